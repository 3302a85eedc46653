/* The log of a server, the snapshot in front of it, and what of both is durable.
 *
 * The store has three keys: "meta" (term and vote), "snapshot", "log".  Each put has the whole value: a log is short,
 * since a snapshot replaces its beginning.  Puts become durable in order and a crash keeps a prefix of them, so a
 * snapshot is put before the log that begins behind it. */
#include "server.h"

#include <stdio.h>
#include <string.h>

/* ---- where servers are ------------------------------------------------------------------------------------------- */

struct raft_text raft_name(uint32_t number)
{
    struct raft_text t;
    snprintf(t.s, sizeof t.s, "raft %u", number % 1000);
    return t;
}
void raft_introduce(uint32_t number, rh_ref who)
{
    rh_table_put(raft_servers, raft_name(number).s, &who, sizeof who);
}
rh_ref raft_server_at(uint32_t number)
{
    rh_ref who;
    return rh_table_get(raft_servers, raft_name(number).s, &who, sizeof who) < 0 ? rh_nobody() : who;
}
rh_ref peer(struct raft_server *s, uint32_t number)
{
    if (number > MOST_SERVERS)
        return rh_nobody();
    if (rh_is_nobody(s->peers[number]))
        s->peers[number] = raft_server_at(number);
    return s->peers[number];
}
bool add_waiting(struct waiting_list *list, struct waiting w)
{
    if (list->count == MOST_WAITING)
        return false;
    list->at[list->count++] = w;
    return true;
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

uint32_t log_last(const struct raft_server *s)
{
    return s->log.base + s->log.count;
}
const struct entry *log_entry(const struct raft_server *s, uint32_t index)
{
    return &s->log.at[index - s->log.base - 1];
}
uint32_t log_term(const struct raft_server *s, uint32_t index)
{
    if (index == s->log.base)
        return s->log.base_term;
    return index > s->log.base && index <= log_last(s) ? log_entry(s, index)->term : 0;
}

/* The members as of an index: those of the latest change up to there.  A server uses a change as soon as it is in its
 * log, committed or not (section 4.1). */
static uint32_t members_at(const struct raft_server *s, uint32_t index)
{
    for (; index > s->log.base; index--)
        if (log_entry(s, index)->kind == ENTRY_MEMBERS)
            return log_entry(s, index)->value;
    return s->snapshot.members;
}

bool members_pending(const struct raft_server *s)
{
    for (uint32_t index = s->commit + 1; index <= log_last(s); index++)
        if (log_entry(s, index)->kind == ENTRY_MEMBERS)
            return true;
    return false;
}

bool log_append(struct raft_server *s, struct entry entry)
{
    if (s->log.count == MOST_LOG)
        return false;
    rh_announce(entry_appended, .server = s->number, .index = log_last(s) + 1, .prev_term = log_term(s, log_last(s)),
                .entry = entry);
    s->log.at[s->log.count++] = entry;
    s->members = members_at(s, log_last(s));
    return true;
}

/* What is being written still has the removed entries: when it is durable, only those before them are of use. */
static void forget_writes(struct raft_server *s, uint32_t from)
{
    for (uint32_t i = 0; i < s->write_count && !s->settings.flaws.late_write; i++)
        if (s->writes[i].last >= from)
            s->writes[i].last = from - 1;
    if (s->durable >= from)
        s->durable = from - 1;
}
void log_truncate(struct raft_server *s, uint32_t from)
{
    rh_assert(from > s->commit, "server %u removes entry %u; entries up to %u are committed", s->number, from,
              s->commit);
    memset(&s->log.at[from - s->log.base - 1], 0, (log_last(s) + 1 - from) * sizeof s->log.at[0]);
    s->log.count = from - 1 - s->log.base;
    s->members = members_at(s, log_last(s));
    forget_writes(s, from);
}

/* ---- disk -------------------------------------------------------------------------------------------------------- */

void log_save(struct raft_server *s)
{
    if (s->write_count == MOST_LOG) { /* the disk is far behind */
        rh_store_sync();
        log_stored(s, s->writes[s->write_count - 1].ticket);
    }
    uint32_t ticket = rh_store_put("log", &s->log, offsetof(struct raft_log, at) + s->log.count * sizeof s->log.at[0]);
    s->writes[s->write_count++] = (struct log_write){ ticket, log_last(s) };
}
void log_stored(struct raft_server *s, uint32_t ticket)
{
    uint32_t done = 0;
    for (; done < s->write_count && s->writes[done].ticket <= ticket; done++)
        if (s->writes[done].last > s->durable)
            s->durable = s->writes[done].last;
    s->write_count -= done;
    memmove(&s->writes[0], &s->writes[done], s->write_count * sizeof s->writes[0]);
}
void meta_save(struct raft_server *s)
{
    s->meta_ticket = rh_store_put("meta", &s->meta, sizeof s->meta);
}

void log_load(struct raft_server *s)
{
    s->snapshot = (struct snapshot){ .members = s->first_members };
    rh_store_get("meta", &s->meta, sizeof s->meta);
    rh_store_get("snapshot", &s->snapshot, sizeof s->snapshot);
    rh_store_get("log", &s->log, sizeof s->log);
    s->registers = s->snapshot.registers;
    s->commit = s->snapshot.index;
    struct snapshot snapshot = s->snapshot;
    if (s->log.base < snapshot.index) /* the crash came between the two puts */
        log_install_snapshot(s, &snapshot);
    s->members = members_at(s, log_last(s));
    s->durable = log_last(s);
}

/* ---- snapshots (sections 5.1, 5.3) ------------------------------------------------------------------------------- */

/* Puts the snapshot in place of the entries that it has.  Entries behind it stay if they belong to the same log. */
void log_install_snapshot(struct raft_server *s, const struct snapshot *snapshot)
{
    uint32_t kept = 0;
    if (snapshot->index <= log_last(s) && log_term(s, snapshot->index) == snapshot->term)
        kept = log_last(s) - snapshot->index;
    else
        forget_writes(s, s->commit + 1);
    memmove(&s->log.at[0], &s->log.at[s->log.count - kept], kept * sizeof s->log.at[0]);
    memset(&s->log.at[kept], 0, (MOST_LOG - kept) * sizeof s->log.at[0]);
    s->log.base = snapshot->index;
    s->log.base_term = snapshot->term;
    s->log.count = kept;
    s->snapshot = *snapshot;
    s->members = members_at(s, log_last(s));
    rh_store_put("snapshot", &s->snapshot, sizeof s->snapshot);
    log_save(s);
}
void log_take_snapshot(struct raft_server *s)
{
    struct snapshot snapshot = { .index = s->commit,
                                 .term = log_term(s, s->commit),
                                 .members = members_at(s, s->commit),
                                 .registers = s->registers };
    log_install_snapshot(s, &snapshot);
}

/* raft_io and raft_fsm for libraft.h.  The library hands over what it wants done; callbacks tell it of the end:
 *
 *   send      rh_send; the callback comes when the handler is over (machine_flush)
 *   append    the entries are in `disk` at once, as the library may read them; the callback comes when they are durable
 *             (machine_complete_write), after later events
 *   set_term, set_vote, truncate   durable when they return, as the library expects
 *
 * There are no snapshots and no crashes here, so `disk` is what would be read after a crash only if nothing is under
 * way; nobody reads it. */
#include "libraft.h"

#include <stdio.h>
#include <string.h>

/* ---- the log, as raft.h shows it --------------------------------------------------------------------------------- */

int log_last(const struct raft_log *log)
{
    size_t count = log->front <= log->back ? log->back - log->front : log->size - log->front + log->back;
    return (int)(log->offset + count);
}

struct entry log_entry(const struct raft_log *log, int index)
{
    const struct raft_entry *e = &log->entries[(log->front + ((size_t)index - 1 - log->offset)) % log->size];
    struct entry out = { (int32_t)e->term, -1 };
    if (e->type == RAFT_COMMAND)
        memcpy(&out.id, e->buf.base, sizeof out.id);
    return out;
}

static void to_disk(struct disk_entry *to, const struct raft_entry *e)
{
    memset(to, 0, sizeof *to);
    rh_assert(e->buf.len <= sizeof to->bytes, "an entry of %zu bytes", e->buf.len);
    to->term = e->term;
    to->type = e->type;
    to->size = (uint32_t)e->buf.len;
    memcpy(to->bytes, e->buf.base, e->buf.len);
}

/* One block with all contents: the library frees `batch`. */
struct raft_entry *entries_from_disk(const struct disk_entry *from, unsigned count)
{
    if (!count)
        return NULL;
    struct raft_entry *e = raft_calloc(count, sizeof *e);
    char *at = raft_calloc(count, sizeof from->bytes), *batch = at;
    rh_assert(e && at, "no memory");
    for (unsigned i = 0; i < count; i++) {
        e[i].term = from[i].term;
        e[i].type = (unsigned short)from[i].type;
        e[i].buf.base = at;
        e[i].buf.len = from[i].size;
        e[i].batch = batch;
        memcpy(at, from[i].bytes, from[i].size);
        at += sizeof from->bytes;
    }
    return e;
}

/* ---- raft_io ----------------------------------------------------------------------------------------------------- */

static int io_init(struct raft_io *io, raft_id id, const char *address)
{
    (void)io, (void)id, (void)address;
    return 0;
}
static void io_close(struct raft_io *io, raft_io_close_cb done)
{
    if (done)
        done(io);
}
static int io_load(struct raft_io *io, raft_term *term, raft_id *vote, struct raft_snapshot **snapshot,
                   raft_index *start, struct raft_entry **entries, size_t *count)
{
    struct machine *m = io->impl;
    *term = m->term;
    *vote = m->vote;
    *snapshot = NULL;
    *start = 1;
    *entries = entries_from_disk(m->disk, (unsigned)m->disk_count);
    *count = (size_t)m->disk_count;
    return 0;
}
static int io_start(struct raft_io *io, unsigned ms, raft_io_tick_cb tick, raft_io_recv_cb receive)
{
    (void)ms;
    struct machine *m = io->impl;
    m->tick = tick;
    m->receive = receive;
    return 0;
}
static int io_bootstrap(struct raft_io *io, const struct raft_configuration *configuration)
{
    struct machine *m = io->impl;
    struct raft_entry e = { .term = 1, .type = RAFT_CHANGE };
    int failed = raft_configuration_encode(configuration, &e.buf);
    if (failed)
        return failed;
    m->term = 1;
    m->disk_count = 1;
    to_disk(&m->disk[0], &e);
    raft_free(e.buf.base);
    return 0;
}
static int io_recover(struct raft_io *io, const struct raft_configuration *configuration)
{
    (void)io, (void)configuration;
    return RAFT_IOERR;
}
static int io_set_term(struct raft_io *io, raft_term term)
{
    struct machine *m = io->impl;
    rh_assert(term >= m->term, "the term of server %d goes back from %llu to %llu", m->number, m->term, term);
    m->term = term;
    m->vote = 0;
    return 0;
}
static int io_set_vote(struct raft_io *io, raft_id vote)
{
    ((struct machine *)io->impl)->vote = vote;
    return 0;
}

static void send_entries(rh_ref to, const struct raft_append_entries *a)
{
    struct disk_entry tail[MOST_ENTRIES];
    rh_assert(a->n_entries <= MOST_ENTRIES, "%u entries", a->n_entries);
    for (unsigned i = 0; i < a->n_entries; i++)
        to_disk(&tail[i], &a->entries[i]);
    rh_send_with(to, tail, a->n_entries * sizeof tail[0], append_entries, .term = a->term, .prev = a->prev_log_index,
                 .prev_term = a->prev_log_term, .commit = a->leader_commit, .count = a->n_entries);
}
static void send_message(rh_ref to, const struct raft_message *x)
{
    switch (x->type) {
    case RAFT_IO_APPEND_ENTRIES:
        send_entries(to, &x->append_entries);
        break;
    case RAFT_IO_APPEND_ENTRIES_RESULT:
        rh_send(to, append_result, .term = x->append_entries_result.term, .rejected = x->append_entries_result.rejected,
                .last = x->append_entries_result.last_log_index);
        break;
    case RAFT_IO_REQUEST_VOTE:
        rh_send(to, request_vote, .term = x->request_vote.term, .last = x->request_vote.last_log_index,
                .last_term = x->request_vote.last_log_term, .disrupt = x->request_vote.disrupt_leader,
                .pre = x->request_vote.pre_vote);
        break;
    case RAFT_IO_REQUEST_VOTE_RESULT:
        rh_send(to, vote, .term = x->request_vote_result.term, .granted = x->request_vote_result.vote_granted,
                .pre = x->request_vote_result.pre_vote);
        break;
    case RAFT_IO_TIMEOUT_NOW:
        rh_send(to, timeout_now, .term = x->timeout_now.term, .last = x->timeout_now.last_log_index,
                .last_term = x->timeout_now.last_log_term);
        break;
    default:
        rh_assert(false, "a message of type %d", x->type);
    }
}
static int io_send(struct raft_io *io, struct raft_io_send *request, const struct raft_message *x, raft_io_send_cb done)
{
    struct machine *m = io->impl;
    if (x->server_id >= 1 && x->server_id <= (raft_id)cluster.count) /* 0: it answers, but knows no leader any more */
        send_message(cluster.at[x->server_id - 1], x);
    rh_assert(m->sent_count < MOST_WRITES, "too many messages at once");
    m->sent[m->sent_count++] = (struct sent){ request, done };
    return 0;
}
static int io_append(struct raft_io *io, struct raft_io_append *request, const struct raft_entry entries[],
                     unsigned count, raft_io_append_cb done)
{
    struct machine *m = io->impl;
    request->cb = done;
    rh_assert(m->disk_count + (int)count <= MOST_ENTRIES && m->write_count < MOST_WRITES, "the disk is full");
    for (unsigned i = 0; i < count; i++)
        to_disk(&m->disk[m->disk_count++], &entries[i]);
    m->writes[m->write_count++] = request;
    return 0;
}
static int io_truncate(struct raft_io *io, raft_index index)
{
    struct machine *m = io->impl;
    if ((int)index - 1 < m->disk_count)
        m->disk_count = (int)index - 1;
    return 0;
}
static int io_snapshot_put(struct raft_io *io, unsigned trailing, struct raft_io_snapshot_put *request,
                           const struct raft_snapshot *snapshot, raft_io_snapshot_put_cb done)
{
    (void)io, (void)trailing, (void)request, (void)snapshot, (void)done;
    return RAFT_IOERR;
}
static int io_snapshot_get(struct raft_io *io, struct raft_io_snapshot_get *request, raft_io_snapshot_get_cb done)
{
    (void)io, (void)request, (void)done;
    return RAFT_IOERR;
}
static raft_time io_time(struct raft_io *io)
{
    return ((struct machine *)io->impl)->clock;
}
static int io_random(struct raft_io *io, int least, int most)
{
    (void)io, (void)most;
    return least; /* the order of timeouts is the explorer's */
}

/* ---- raft_fsm: the commands have no effect ----------------------------------------------------------------------- */

static int fsm_apply(struct raft_fsm *fsm, const struct raft_buffer *command, void **result)
{
    (void)fsm, (void)command;
    *result = NULL;
    return 0;
}
static int fsm_snapshot(struct raft_fsm *fsm, struct raft_buffer **buffers, unsigned *count)
{
    (void)fsm, (void)buffers, (void)count;
    return RAFT_IOERR;
}
static int fsm_restore(struct raft_fsm *fsm, struct raft_buffer *buffer)
{
    (void)fsm, (void)buffer;
    return RAFT_IOERR;
}

/* ---- the machine ------------------------------------------------------------------------------------------------- */

void machine_flush(struct machine *m)
{
    for (int i = 0; i < m->sent_count; i++)
        if (m->sent[i].done) /* a TimeoutNow has none */
            m->sent[i].done(m->sent[i].request, 0);
    m->sent_count = 0;
}

void machine_complete_write(struct machine *m)
{
    struct raft_io_append *request = m->writes[0];
    memmove(&m->writes[0], &m->writes[1], sizeof m->writes[0] * (size_t)--m->write_count);
    request->cb(request, 0);
    machine_flush(m);
}

static void must(struct machine *m, const char *call, int result)
{
    rh_assert(!result, "server %d: %s: %s", m->number, call, raft_strerror(result));
}

void machine_init(struct machine *m, int number)
{
    static const struct raft_io io = { .version = 1,
                                       .init = io_init,
                                       .close = io_close,
                                       .load = io_load,
                                       .start = io_start,
                                       .bootstrap = io_bootstrap,
                                       .recover = io_recover,
                                       .set_term = io_set_term,
                                       .set_vote = io_set_vote,
                                       .send = io_send,
                                       .append = io_append,
                                       .truncate = io_truncate,
                                       .snapshot_put = io_snapshot_put,
                                       .snapshot_get = io_snapshot_get,
                                       .time = io_time,
                                       .random = io_random };
    static const struct raft_fsm fsm = {
        .version = 1, .apply = fsm_apply, .snapshot = fsm_snapshot, .restore = fsm_restore
    };
    m->number = number;
    m->clock = 1000000;
    m->io = io;
    m->io.impl = m;
    m->fsm = fsm;
    snprintf(m->address, sizeof m->address, "%d", (number + 1) % 100);
    must(m, "raft_init", raft_init(&m->raft, &m->io, &m->fsm, (raft_id)number + 1, m->address));
    raft_set_election_timeout(&m->raft, 1000);
    raft_set_heartbeat_timeout(&m->raft, 100);
    raft_set_pre_vote(&m->raft, cluster.pre_vote);
    struct raft_configuration all;
    raft_configuration_init(&all);
    for (int i = 0; i < cluster.count; i++) {
        char address[8];
        snprintf(address, sizeof address, "%d", (i + 1) % 100);
        must(m, "raft_configuration_add", raft_configuration_add(&all, (raft_id)i + 1, address, RAFT_VOTER));
    }
    must(m, "raft_bootstrap", raft_bootstrap(&m->raft, &all));
    raft_configuration_close(&all);
    must(m, "raft_start", raft_start(&m->raft));
    machine_flush(m);
}

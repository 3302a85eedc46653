/* Debian's libraft under a random scheduler that was written for it: no actors, no fibers, no record of a run, and
 * memory that is given back all at once.  It is what somebody would write for this one library in a day.
 * bench/samplers compares the test in this folder with it, on the same two promises: C1, a committed entry is lost
 * (`find=entries`), and C5, a term has two leaders (`find=leaders`).
 *
 *     libraft-driver [NAME=NUMBER...]      options below; prints one line of JSON, exits 1 if something was found
 *
 * A step is drawn by weight: deliver any message, lose one, an election timeout, a heartbeat, a client's write, a
 * transfer, the end of a disk write.  The default weights are a first guess; the tuned ones are in bench/samplers.c. */
#include <raft.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SERVERS = 7, MOST_MESSAGES = 4096, MOST_ENTRIES = 512, MOST_TERMS = 4096, MOST_WRITES = 256 };

/* ---- options ----------------------------------------------------------------------------------------------------- */

enum { DELIVER, LOSE, ELECT, BEAT, WRITE, TRANSFER, DISK, KINDS };
static struct {
    long servers, steps, runs, seed, elections, writes, leaders;
    long weight[KINDS];
} option = { .servers = 3,
             .steps = 200,
             .runs = 1000000,
             .seed = 1,
             .elections = 12,
             .writes = 20,
             .weight = { [DELIVER] = 60, [LOSE] = 3, [ELECT] = 4, [BEAT] = 10, [WRITE] = 8, [DISK] = 40 } };

static bool set_option(const char *text)
{
    const struct {
        const char *name;
        long *value;
        long least, most;
    } rows[] = { { "servers", &option.servers, 2, MOST_SERVERS }, { "steps", &option.steps, 1, 100000 },
                 { "runs", &option.runs, 1, 1000000000 },         { "seed", &option.seed, 0, 1000000000 },
                 { "elections", &option.elections, 0, 1000 },     { "writes", &option.writes, 0, 400 },
                 { "deliver", &option.weight[DELIVER], 1, 1000 }, { "lose", &option.weight[LOSE], 0, 1000 },
                 { "elect", &option.weight[ELECT], 0, 1000 },     { "beat", &option.weight[BEAT], 0, 1000 },
                 { "write", &option.weight[WRITE], 0, 1000 },     { "transfer", &option.weight[TRANSFER], 0, 1000 },
                 { "disk", &option.weight[DISK], 1, 1000 } };
    const char *equals = strchr(text, '=');
    if (!equals)
        return false;
    if (!strcmp(text, "find=leaders") || !strcmp(text, "find=entries")) {
        option.leaders = text[5] == 'l';
        return true;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!strncmp(rows[i].name, text, (size_t)(equals - text)) && !rows[i].name[equals - text]) {
            char *end;
            *rows[i].value = strtol(equals + 1, &end, 10);
            return !*end && end != equals + 1 && *rows[i].value >= rows[i].least && *rows[i].value <= rows[i].most;
        }
    return false;
}

/* ---- random numbers, the end of a run, memory -------------------------------------------------------------------- */

static uint64_t random_state;
static uint32_t below(uint32_t n)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) % n);
}

static jmp_buf end_of_run;
static char finding[160];
__attribute__((format(printf, 1, 2), noreturn)) static void found(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(finding, sizeof finding, format, arguments);
    va_end(arguments);
    longjmp(end_of_run, 1);
}

/* Everything that a run allocates comes from here and is gone with the run. */
enum { ARENA = 16 << 20, BEFORE = 16 };
static char *arena;
static size_t used;
static void *take(void *unused, size_t size)
{
    (void)unused;
    size = (size + 15) & ~(size_t)15;
    if (used + size + BEFORE > ARENA)
        found("no memory");
    char *block = arena + used + BEFORE;
    memcpy(block - BEFORE, &size, sizeof size);
    used += size + BEFORE;
    return block;
}
static void give(void *unused, void *block)
{
    (void)unused, (void)block;
}
static void *take_zeroed(void *unused, size_t count, size_t size)
{
    return memset(take(unused, count * size), 0, count * size);
}
static void *take_again(void *unused, void *block, size_t size)
{
    size_t old = 0;
    void *to = take(unused, size);
    if (block)
        memcpy(&old, (char *)block - BEFORE, sizeof old);
    return block ? memcpy(to, block, old < size ? old : size) : to;
}
static void *take_aligned(void *unused, size_t alignment, size_t size)
{
    uintptr_t block = (uintptr_t)take(unused, size + alignment);
    return (void *)((block + alignment - 1) / alignment * alignment);
}
static void give_aligned(void *unused, size_t alignment, void *block)
{
    (void)unused, (void)alignment, (void)block;
}

/* ---- servers ----------------------------------------------------------------------------------------------------- */

struct server {
    struct raft *raft;
    struct raft_io io;
    struct raft_fsm fsm;
    raft_io_tick_cb tick;
    raft_io_recv_cb receive;
    raft_time clock;
    struct raft_entry first; /* the configuration */
    struct raft_io_append *writes[MOST_WRITES];
    int write_count;
    struct raft_io_send *sent[MOST_WRITES];
    int sent_count;
};
static struct server servers[MOST_SERVERS];

struct message {
    int from, to;
    struct raft_message what;
};
static struct message messages[MOST_MESSAGES];
static int message_count;

static struct raft_entry *copy_entries(const struct raft_entry *from, size_t count)
{
    if (!count)
        return NULL;
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += (from[i].buf.len + 7) & ~(size_t)7;
    struct raft_entry *to = take(NULL, count * sizeof *to);
    char *at = take(NULL, size), *batch = at;
    for (size_t i = 0; i < count; i++) {
        to[i] = from[i];
        to[i].buf.base = memcpy(at, from[i].buf.base, from[i].buf.len);
        to[i].batch = batch;
        at += (from[i].buf.len + 7) & ~(size_t)7;
    }
    return to;
}

static int io_init(struct raft_io *io, raft_id id, const char *address)
{
    (void)io, (void)id, (void)address;
    return 0;
}
static void io_close(struct raft_io *io, raft_io_close_cb done)
{
    (void)io, (void)done;
}
static int io_load(struct raft_io *io, raft_term *term, raft_id *vote, struct raft_snapshot **snapshot,
                   raft_index *start, struct raft_entry **entries, size_t *count)
{
    struct server *s = io->impl;
    *term = 1;
    *vote = 0;
    *snapshot = NULL;
    *start = 1;
    *entries = copy_entries(&s->first, 1);
    *count = 1;
    return 0;
}
static int io_start(struct raft_io *io, unsigned ms, raft_io_tick_cb tick, raft_io_recv_cb receive)
{
    (void)ms;
    struct server *s = io->impl;
    s->tick = tick;
    s->receive = receive;
    return 0;
}
static int io_bootstrap(struct raft_io *io, const struct raft_configuration *configuration)
{
    struct server *s = io->impl;
    s->first = (struct raft_entry){ .term = 1, .type = RAFT_CHANGE };
    return raft_configuration_encode(configuration, &s->first.buf);
}
static int io_set_term(struct raft_io *io, raft_term term)
{
    (void)io, (void)term;
    return 0;
}
static int io_set_vote(struct raft_io *io, raft_id vote)
{
    (void)io, (void)vote;
    return 0;
}
static int io_send(struct raft_io *io, struct raft_io_send *request, const struct raft_message *what,
                   raft_io_send_cb done)
{
    struct server *s = io->impl;
    if (what->server_id >= 1 && what->server_id <= (raft_id)option.servers && message_count < MOST_MESSAGES) {
        struct message *m = &messages[message_count++];
        *m = (struct message){ (int)(s - servers), (int)what->server_id - 1, *what };
        if (what->type == RAFT_IO_APPEND_ENTRIES)
            m->what.append_entries.entries = copy_entries(what->append_entries.entries, what->append_entries.n_entries);
    }
    request->cb = done;
    if (s->sent_count == MOST_WRITES)
        found("too many messages at once");
    s->sent[s->sent_count++] = request;
    return 0;
}
static int io_append(struct raft_io *io, struct raft_io_append *request, const struct raft_entry entries[],
                     unsigned count, raft_io_append_cb done)
{
    (void)entries, (void)count;
    struct server *s = io->impl;
    request->cb = done;
    if (s->write_count == MOST_WRITES)
        found("too many writes at once");
    s->writes[s->write_count++] = request;
    return 0;
}
static int io_truncate(struct raft_io *io, raft_index index)
{
    (void)io, (void)index;
    return 0;
}
static raft_time io_time(struct raft_io *io)
{
    return ((struct server *)io->impl)->clock;
}
static int io_random(struct raft_io *io, int least, int most)
{
    (void)io, (void)most;
    return least;
}
static int fsm_apply(struct raft_fsm *fsm, const struct raft_buffer *command, void **result)
{
    (void)fsm, (void)command;
    *result = NULL;
    return 0;
}

static void flush(struct server *s)
{
    for (int i = 0; i < s->sent_count; i++)
        if (s->sent[i]->cb)
            s->sent[i]->cb(s->sent[i], 0);
    s->sent_count = 0;
}

static void start_server(int number, const struct raft_configuration *all)
{
    struct server *s = &servers[number];
    char address[8];
    snprintf(address, sizeof address, "%d", number % 100 + 1);
    s->clock = 1000000;
    s->io = (struct raft_io){ .version = 1,
                              .impl = s,
                              .init = io_init,
                              .close = io_close,
                              .load = io_load,
                              .start = io_start,
                              .bootstrap = io_bootstrap,
                              .set_term = io_set_term,
                              .set_vote = io_set_vote,
                              .send = io_send,
                              .append = io_append,
                              .truncate = io_truncate,
                              .time = io_time,
                              .random = io_random };
    s->fsm = (struct raft_fsm){ .version = 1, .apply = fsm_apply };
    s->raft = take_zeroed(NULL, 1, sizeof *s->raft);
    if (raft_init(s->raft, &s->io, &s->fsm, (raft_id)number + 1, address))
        found("raft_init");
    raft_set_election_timeout(s->raft, 1000);
    raft_set_heartbeat_timeout(s->raft, 100);
    if (raft_bootstrap(s->raft, all) || raft_start(s->raft))
        found("raft_start");
    flush(s);
}

static void start_servers(void)
{
    struct raft_configuration all;
    raft_configuration_init(&all);
    for (int i = 0; i < option.servers; i++) {
        char address[8];
        snprintf(address, sizeof address, "%d", i % 100 + 1);
        raft_configuration_add(&all, (raft_id)i + 1, address, RAFT_VOTER);
    }
    memset(servers, 0, sizeof servers);
    message_count = 0;
    for (int i = 0; i < option.servers; i++)
        start_server(i, &all);
}

/* ---- what must hold ---------------------------------------------------------------------------------------------- */

struct entry {
    raft_term term;
    long id;
};
static struct entry committed[MOST_ENTRIES];
static raft_index committed_count, seen[MOST_SERVERS];
static int leader_of[MOST_TERMS];

static bool entry_of(const struct raft_log *log, raft_index index, struct entry *e)
{
    size_t count = log->front <= log->back ? log->back - log->front : log->size - log->front + log->back;
    if (index <= log->offset || index > log->offset + count)
        return false;
    const struct raft_entry *from = &log->entries[(log->front + (index - 1 - log->offset)) % log->size];
    *e = (struct entry){ from->term, -1 };
    if (from->type == RAFT_COMMAND)
        memcpy(&e->id, from->buf.base, sizeof e->id);
    return true;
}

static void check_leaders(void)
{
    for (int i = 0; i < option.servers; i++) {
        raft_term term = servers[i].raft->current_term;
        if (raft_state(servers[i].raft) != RAFT_LEADER || term >= MOST_TERMS)
            continue;
        if (leader_of[term] && leader_of[term] != i + 1)
            found("term %llu has two leaders, servers %d and %d", term, leader_of[term] - 1, i);
        leader_of[term] = i + 1;
    }
}

static void check_entries(void)
{
    const struct raft *newest = NULL;
    for (int i = 0; i < option.servers; i++) {
        const struct raft *r = servers[i].raft;
        if (r->state == RAFT_LEADER && (!newest || r->current_term > newest->current_term))
            newest = r;
        for (raft_index k = seen[i] + 1; k <= r->commit_index && k < MOST_ENTRIES; k++) {
            struct entry e = { 0 };
            if (!entry_of(&r->log, k, &e))
                found("server %d has committed entry %llu, which it does not have", i, k);
            if (k > committed_count)
                committed[committed_count = k] = e;
            else if (committed[k].term != e.term || committed[k].id != e.id)
                found("server %d has committed another entry %llu", i, k);
            seen[i] = k;
        }
    }
    for (raft_index k = 1; newest && k <= committed_count; k++) {
        struct entry e = { 0 };
        if (committed[k].term < newest->current_term &&
            (!entry_of(&newest->log, k, &e) || e.term != committed[k].term || e.id != committed[k].id))
            found("the leader of term %llu does not have the committed entry %llu", newest->current_term, k);
    }
}

/* ---- a run ------------------------------------------------------------------------------------------------------- */

static long elections_left, writes_left, next_id;

static void applied(struct raft_apply *request, int status, void *result)
{
    (void)request, (void)status, (void)result;
}
static void transferred(struct raft_transfer *request)
{
    (void)request;
}

static bool deliver(bool lose)
{
    if (!message_count)
        return false;
    int k = (int)below((uint32_t)message_count);
    struct message m = messages[k];
    char address[8];
    messages[k] = messages[--message_count];
    if (lose)
        return true;
    snprintf(address, sizeof address, "%d", m.from % 100 + 1);
    m.what.server_id = (raft_id)m.from + 1;
    m.what.server_address = address;
    servers[m.to].receive(&servers[m.to].io, &m.what);
    flush(&servers[m.to]);
    return true;
}
static bool tick(struct server *s, raft_time ms)
{
    s->clock += ms;
    s->tick(&s->io);
    flush(s);
    return true;
}
static bool write_one(struct server *s)
{
    struct raft_buffer command = { .base = take_zeroed(NULL, 1, 8), .len = 8 };
    writes_left--;
    next_id++;
    memcpy(command.base, &next_id, sizeof next_id);
    raft_apply(s->raft, take_zeroed(NULL, 1, sizeof(struct raft_apply)), &command, 1, applied);
    flush(s);
    return true;
}
static bool transfer(struct server *s)
{
    int to = (int)(s - servers + 1 + below((uint32_t)option.servers - 1)) % (int)option.servers;
    raft_transfer(s->raft, take_zeroed(NULL, 1, sizeof(struct raft_transfer)), (raft_id)to + 1, transferred);
    flush(s);
    return true;
}
static bool end_write(struct server *s)
{
    if (!s->write_count)
        return false;
    struct raft_io_append *request = s->writes[0];
    memmove(&s->writes[0], &s->writes[1], sizeof s->writes[0] * (size_t)--s->write_count);
    request->cb(request, 0);
    flush(s);
    return true;
}

/* One step of this kind at a server that was drawn; false if there is none. */
static bool step(int kind)
{
    struct server *s = &servers[below((uint32_t)option.servers)];
    bool leads = raft_state(s->raft) == RAFT_LEADER;
    switch (kind) {
    case DELIVER:
    case LOSE:
        return deliver(kind == LOSE);
    case ELECT:
        return !leads && elections_left > 0 && (elections_left--, tick(s, 2500));
    case BEAT:
        return tick(s, leads ? 150 : 1);
    case WRITE:
        return leads && writes_left > 0 && write_one(s);
    case TRANSFER:
        return leads && transfer(s);
    default:
        return end_write(s);
    }
}

static void run(long number)
{
    enum { TRIES = 50 };
    long total = 0;
    for (int i = 0; i < KINDS; i++)
        total += option.weight[i];
    random_state = (uint64_t)option.seed << 32 ^ (uint64_t)number;
    used = 0;
    elections_left = option.elections;
    writes_left = option.writes;
    next_id = 0;
    committed_count = 0;
    memset(seen, 0, sizeof seen);
    memset(leader_of, 0, sizeof leader_of);
    start_servers();
    for (long i = 0; i < option.steps; i++) {
        bool done = false;
        for (int tries = 0; tries < TRIES && !done; tries++) {
            long at = below((uint32_t)total);
            int kind = 0;
            while (at >= option.weight[kind])
                at -= option.weight[kind++];
            done = step(kind);
        }
        if (option.leaders)
            check_leaders();
        else
            check_entries();
    }
}

int main(int argc, char **argv)
{
    static struct raft_heap heap = { .malloc = take,
                                     .free = give,
                                     .calloc = take_zeroed,
                                     .realloc = take_again,
                                     .aligned_alloc = take_aligned,
                                     .aligned_free = give_aligned };
    for (int i = 1; i < argc; i++)
        if (!set_option(argv[i])) {
            fprintf(stderr, "libraft-driver: %s: not an option, or not a number that it takes\n", argv[i]);
            return 2;
        }
    arena = malloc(ARENA);
    if (!arena)
        return 2;
    raft_heap_set(&heap);
    volatile long made = 0;
    if (!setjmp(end_of_run))
        while (made < option.runs) {
            made++;
            run(made);
        }
    printf("{\"executions\":%ld,\"found\":%d,\"text\":\"%s\"}\n", made, finding[0] != 0, finding);
    return finding[0] != 0;
}

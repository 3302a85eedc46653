/* Concurrent dictionary: workers read and update counters in a dictionary, which is an actor with a hash table.
 *
 * Invariant: the counters add up to the number of updates; an entry stands where its probe sequence finds it; versions
 * of an entry only grow.
 * Bug lost_update: a worker reads a counter and writes the next value in a second message, and another worker may
 * write in between. */
#include "../savina.h"

enum { SLOTS = 16, MOST_WORKERS = 8, MOST_OPERATIONS = 10000, KEYS = 4 };

RH_MESSAGE(load, int workers; int operations; int write_percent; uint32_t seed;);
RH_MESSAGE(loaded, int updates; int sum; bool refused;);
RH_MESSAGE(get, int key;);
RH_MESSAGE(put, int key; int value;);
RH_MESSAGE(add, int key; int by;);
RH_MESSAGE(swap, int key; int expected; int value;); /* sets the value if it is the expected one */
RH_MESSAGE(forget, int key;);
RH_MESSAGE(found, int key; int value; int version;); /* version 0: there is no such entry */
RH_MESSAGE(stored, int key; int version;);           /* version 0: nothing was stored */
RH_MESSAGE(sum_up);
RH_MESSAGE(sum, int sum; int entries;);
RH_MESSAGE(work);
RH_MESSAGE(worked, int updates;);

struct entry {
    int key, value, version;
};

/* ---- dictionary -------------------------------------------------------------------------------------------------- */
RH_ACTOR(dictionary, struct entry at[SLOTS]; int entries;);

static unsigned first_slot(int key)
{
    return (unsigned)key * 2654435761u >> 28;
}
/* Linear probing: the entry of a key, or the free slot where it belongs; NULL if the table is full. */
static struct entry *probe(struct dictionary *state, int key)
{
    unsigned first = first_slot(key);
    for (unsigned i = 0; i < SLOTS; i++) {
        struct entry *e = &state->at[(first + i) % SLOTS];
        if (e->version == 0 || e->key == key)
            return e;
    }
    return NULL;
}
static int store(struct dictionary *state, int key, int value, bool adds)
{
    struct entry *e = probe(state, key);
    if (!e)
        return 0;
    if (e->version == 0)
        state->entries++;
    rh_assert(state->entries <= SLOTS, "%d entries", state->entries);
    e->key = key;
    e->value = adds ? (int)((unsigned)e->value + (unsigned)value) : value;
    return ++e->version;
}
RH_HANDLER(dictionary, get)
{
    const struct entry *e = probe(state, msg->key);
    if (!e || e->version == 0)
        rh_reply(found, .key = msg->key);
    else
        rh_reply(found, .key = msg->key, .value = e->value, .version = e->version);
}
RH_HANDLER(dictionary, put)
{
    rh_reply(stored, .key = msg->key, .version = store(state, msg->key, msg->value, false));
}
RH_HANDLER(dictionary, add)
{
    rh_reply(stored, .key = msg->key, .version = store(state, msg->key, msg->by, true));
}
RH_HANDLER(dictionary, swap)
{
    struct entry *e = probe(state, msg->key);
    if (e && e->version > 0 && e->value == msg->expected) {
        e->value = msg->value;
        rh_reply(stored, .key = msg->key, .version = ++e->version);
    } else {
        rh_reply(stored, .key = msg->key);
    }
}
/* Entries behind the one that is removed move up if their probe sequence begins at its slot or before. */
RH_HANDLER(dictionary, forget)
{
    struct entry *e = probe(state, msg->key);
    if (!e || e->version == 0) {
        rh_reply(found, .key = msg->key);
        return;
    }
    rh_reply(found, .key = msg->key, .value = e->value, .version = e->version);
    unsigned hole = (unsigned)(e - state->at);
    for (unsigned i = 1; i < SLOTS; i++) {
        unsigned at = (hole + i) % SLOTS;
        if (state->at[at].version == 0)
            break;
        unsigned distance = (at - first_slot(state->at[at].key)) % SLOTS;
        if (distance >= i) {
            state->at[hole] = state->at[at];
            hole = at;
            i = 0;
        }
    }
    state->at[hole] = (struct entry){ .version = 0 };
    state->entries--;
}
RH_HANDLER(dictionary, sum_up)
{
    unsigned total = 0;
    int entries = 0;
    for (int i = 0; i < SLOTS; i++)
        if (state->at[i].version) {
            entries++;
            rh_assert(probe(state, state->at[i].key) == &state->at[i], "key %d is not found", state->at[i].key);
            total += (unsigned)state->at[i].value;
        }
    rh_assert(entries == state->entries, "%d entries instead of %d", entries, state->entries);
    rh_reply(sum, .sum = (int)total, .entries = state->entries);
}
RH_HANDLER(dictionary, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(dictionary, open, get, put, add, swap, forget, sum_up, stop);

/* ---- worker ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(worker, rh_ref dictionary; rh_ref manager; int operations; int write_percent; uint32_t random; int updates;
         bool updating; int versions[KEYS]; bool lost_update;);

static void next_operation(rh_ref self, struct worker *state)
{
    if (state->operations-- == 0) {
        rh_send(state->manager, worked, .updates = state->updates);
        rh_stop();
        return;
    }
    state->random = state->random * 1664525 + 1013904223;
    int key = (int)(state->random >> 16) % KEYS;
    state->updating = (int)(state->random >> 8 & 0xff) * 100 / 256 < state->write_percent;
    if (state->updating && !state->lost_update)
        rh_send(state->dictionary, add, .key = key, .by = 1);
    else
        rh_send(state->dictionary, get, .key = key);
    (void)self;
}
RH_HANDLER(worker, work)
{
    next_operation(self, state);
}
RH_HANDLER(worker, found)
{
    rh_assert(msg->version >= state->versions[msg->key], "version %d of key %d after version %d", msg->version,
              msg->key, state->versions[msg->key]);
    state->versions[msg->key] = msg->version;
    if (state->updating)
        rh_send(state->dictionary, put, .key = msg->key, .value = msg->value + 1);
    else
        next_operation(self, state);
}
RH_HANDLER(worker, stored)
{
    rh_assert(msg->version > state->versions[msg->key], "an update without a new version");
    state->versions[msg->key] = msg->version;
    state->updates++;
    next_operation(self, state);
}
RH_BEHAVIOUR(worker, working, work, found, stored);

/* ---- manager ----------------------------------------------------------------------------------------------------- */
RH_ACTOR(manager, struct rh_request client; rh_ref dictionary; int workers; int updates; bool lost_update;);
RH_HANDLER(manager, load)
{
    if (msg->workers < 1 || msg->workers > MOST_WORKERS || msg->operations < 0 || msg->operations > MOST_OPERATIONS ||
        msg->write_percent < 0 || msg->write_percent > 100) {
        rh_reply(loaded, .refused = true);
        return;
    }
    state->client = rh_keep_request();
    state->workers = msg->workers;
    state->updates = 0;
    state->dictionary = rh_spawn(dictionary);
    for (int i = 0; i < msg->workers; i++)
        rh_send(rh_spawn(worker, .dictionary = state->dictionary, .manager = self, .operations = msg->operations,
                         .write_percent = msg->write_percent, .random = msg->seed + (uint32_t)i,
                         .lost_update = state->lost_update),
                work);
    rh_become(manager, busy);
}
RH_HANDLER(manager, worked)
{
    state->updates += msg->updates;
    if (--state->workers == 0)
        rh_send(state->dictionary, sum_up);
}
RH_HANDLER(manager, sum)
{
    rh_assert(msg->sum == state->updates, "%d updates, and the counters add up to %d", state->updates, msg->sum);
    rh_send(state->dictionary, stop);
    rh_reply_to(state->client, loaded, .updates = state->updates, .sum = msg->sum);
    rh_become(manager, ready);
}
RH_HANDLER(manager, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(manager, ready, load, stop);
RH_BEHAVIOUR(manager, busy, worked, sum, RH_DEFER(load), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int workers; int operations; bool lost_update;);
RH_BODY(driver)
{
    rh_ref m = rh_spawn(manager, .lost_update = state->lost_update);
    const struct loaded *r = rh_ask(m, load, loaded, .workers = state->workers, .operations = state->operations,
                                    .write_percent = 75, .seed = 7);
    rh_assert(!r->refused);
    rh_log("dictionary: %d updates", r->updates);
    rh_send(m, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .workers = MOST_WORKERS, .operations = 1000)
#else
RH_PARAM(workers, "2", "how many workers there are");
RH_PARAM(operations, "3", "how many reads and updates each of them makes");
RH_BUG(lost_update, "a worker reads and writes in two messages");

RH_TEST(no_update_is_lost)
{
    rh_spawn(driver, .workers = (int)rh_param("workers", 2), .operations = (int)rh_param("operations", 3),
             .lost_update = rh_bug("lost_update"));
}

static bool is_small(const struct load *m)
{
    return m->workers <= 2 && m->operations <= 4;
}
RH_TEST(anybody_may_load, .outside = 2, .outside_values = 40)
{
    rh_open(rh_spawn(manager, .lost_update = rh_bug("lost_update")), load, .when = is_small);
}
RH_TEST(anybody_may_use_the_dictionary, .outside = 8)
{
    rh_ref d = rh_spawn(dictionary);
    rh_open(d, get);
    rh_open(d, put);
    rh_open(d, add);
    rh_open(d, swap);
    rh_open(d, forget);
    rh_open(d, sum_up);
}

RH_MAIN()
#endif

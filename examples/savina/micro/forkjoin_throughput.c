/* Fork and join, throughput: a manager sends each of its workers the same number of pieces of work, and takes the
 * workers' results together.
 *
 * Invariant: every worker has done all its pieces, and the results are those of a loop.
 * No bug: the messages to one worker come from one sender. */
#include "../savina.h"

enum { MOST_WORKERS = 16, MOST_PIECES = 10000 };

RH_MESSAGE(fork_join, int workers; int pieces; uint32_t seed;);
RH_MESSAGE(joined, uint32_t value; bool refused;);
RH_MESSAGE(work, uint32_t value;);
RH_MESSAGE(finished, int worker; int pieces; uint32_t value;);

/* Some bits of arithmetic: one piece of work. */
static uint32_t piece(uint32_t sum, uint32_t value)
{
    sum ^= value;
    sum *= 0x9e3779b1u;
    return sum ^ sum >> 15;
}
static uint32_t piece_of(uint32_t seed, int worker, int number)
{
    return seed + (uint32_t)worker * 7919 + (uint32_t)number;
}

/* ---- worker ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(worker, int number; int pieces; int done; uint32_t sum;);
RH_HANDLER(worker, work)
{
    state->sum = piece(state->sum, msg->value);
    if (++state->done == state->pieces) {
        rh_reply(finished, .worker = state->number, .pieces = state->done, .value = state->sum);
        rh_stop();
    }
}
RH_BEHAVIOUR(worker, working, work);

/* ---- manager ----------------------------------------------------------------------------------------------------- */
RH_ACTOR(manager, struct rh_request client; int workers; int pieces; uint32_t seed; int finished;
         uint32_t sums[MOST_WORKERS]; bool heard[MOST_WORKERS];);
RH_HANDLER(manager, fork_join)
{
    if (msg->workers < 1 || msg->workers > MOST_WORKERS || msg->pieces < 1 || msg->pieces > MOST_PIECES) {
        rh_reply(joined, .refused = true);
        return;
    }
    *state = (struct manager){ .workers = msg->workers, .pieces = msg->pieces, .seed = msg->seed };
    state->client = rh_keep_request();
    for (int i = 0; i < msg->workers; i++) {
        rh_ref w = rh_spawn(worker, .number = i, .pieces = msg->pieces);
        for (int k = 0; k < msg->pieces; k++)
            rh_send(w, work, .value = piece_of(msg->seed, i, k));
    }
    rh_become(manager, joining);
}
RH_HANDLER(manager, finished)
{
    rh_assert(msg->pieces == state->pieces, "worker %d did %d pieces", msg->worker, msg->pieces);
    rh_assert(!state->heard[msg->worker], "worker %d has finished twice", msg->worker);
    state->heard[msg->worker] = true;
    state->sums[msg->worker] = msg->value;
    if (++state->finished < state->workers)
        return;
    uint32_t value = 0;
    for (int i = 0; i < state->workers; i++)
        value = piece(value, state->sums[i]);
    rh_reply_to(state->client, joined, .value = value);
    rh_become(manager, ready);
}
RH_HANDLER(manager, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(manager, ready, fork_join, stop);
RH_BEHAVIOUR(manager, joining, finished, RH_DEFER(fork_join), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int workers; int pieces;);
RH_BODY(driver)
{
    uint32_t value = 0;
    for (int i = 0; i < state->workers; i++) {
        uint32_t sum = 0;
        for (int k = 0; k < state->pieces; k++)
            sum = piece(sum, piece_of(42, i, k));
        value = piece(value, sum);
    }
    rh_ref m = rh_spawn(manager);
    const struct joined *r =
        rh_ask(m, fork_join, joined, .workers = state->workers, .pieces = state->pieces, .seed = 42);
    rh_assert(!r->refused && r->value == value, "%u instead of %u", r->value, value);
    rh_log("forkjoin_throughput: %u", r->value);
    rh_send(m, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .workers = 16, .pieces = 1000)
#else
RH_PARAM(workers, "3", "how many workers there are");
RH_PARAM(pieces, "2", "how many pieces of work each of them gets");

RH_TEST(all_work_is_done)
{
    rh_spawn(driver, .workers = (int)rh_param("workers", 3), .pieces = (int)rh_param("pieces", 2));
}

static bool is_small(const struct fork_join *m)
{
    return m->workers <= 3 && m->pieces <= 4;
}
RH_TEST(anybody_may_ask, .outside = 2, .outside_values = 40)
{
    rh_open(rh_spawn(manager), fork_join, .when = is_small);
}

RH_MAIN()
#endif

/* Producers and consumers with a bounded buffer: the manager of the buffer tells a producer when to produce, and gives
 * items to consumers that are idle.
 *
 * Invariant: the buffer never holds more than its bound; what was produced is consumed, once.
 * Bug unaccounted: the manager looks only at the items in the buffer, and not at those which producers are working on.
 */
#include "../savina.h"

enum { MOST_PARTIES = 8, MOST_BOUND = 16, MOST_ITEMS = 10000 };

RH_MESSAGE(trade, int producers; int consumers; int items; int bound;);
RH_MESSAGE(traded, int64_t sum; bool refused;);
RH_MESSAGE(produce_next);
RH_MESSAGE(item, int value;);
RH_MESSAGE(no_more); /* from a producer */
RH_MESSAGE(consume, int value;);
RH_MESSAGE(consumed, int value;);

/* ---- producer and consumer --------------------------------------------------------------------------------------- */
RH_ACTOR(producer, int next; int step; int items;);
RH_HANDLER(producer, produce_next)
{
    if (state->items-- == 0) {
        rh_reply(no_more);
        rh_stop();
        return;
    }
    rh_reply(item, .value = state->next);
    state->next += state->step;
}
RH_BEHAVIOUR(producer, working, produce_next);

RH_ACTOR(consumer, int last;);
RH_HANDLER(consumer, consume)
{
    state->last = msg->value;
    rh_reply(consumed, .value = msg->value);
}
RH_HANDLER(consumer, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(consumer, idle, consume, stop);

/* ---- manager ----------------------------------------------------------------------------------------------------- */
RH_ACTOR(manager, struct rh_request client; int producers; int consumers; int total; int bound; int outstanding;
         int idle_count; rh_ref idle[MOST_PARTIES]; int waiting_count; rh_ref waiting[MOST_PARTIES]; int first;
         int count; int buffer[MOST_BOUND]; int produced; int consumed; int64_t sum; int64_t expected;
         bool unaccounted;);

static bool has_room(const struct manager *state)
{
    return state->count + (state->unaccounted ? 0 : state->outstanding) < state->bound;
}
static void let_produce(struct manager *state)
{
    while (state->waiting_count && has_room(state)) {
        state->outstanding++;
        rh_send(state->waiting[--state->waiting_count], produce_next);
    }
}
static void let_consume(struct manager *state)
{
    while (state->idle_count && state->count) {
        rh_send(state->idle[--state->idle_count], consume, .value = state->buffer[state->first]);
        state->first = (state->first + 1) % MOST_BOUND;
        state->count--;
    }
}
RH_HANDLER(manager, trade)
{
    if (msg->producers < 1 || msg->producers > MOST_PARTIES || msg->consumers < 1 || msg->consumers > MOST_PARTIES ||
        msg->items < 0 || msg->items > MOST_ITEMS || msg->bound < 1 || msg->bound > MOST_BOUND) {
        rh_reply(traded, .refused = true);
        return;
    }
    int64_t all = (int64_t)msg->producers * msg->items;
    *state = (struct manager){ .producers = msg->producers,
                               .consumers = msg->consumers,
                               .bound = msg->bound,
                               .total = (int)all,
                               .expected = all * (all - 1) / 2,
                               .unaccounted = state->unaccounted };
    state->client = rh_keep_request();
    for (int i = 0; i < msg->consumers; i++)
        state->idle[state->idle_count++] = rh_spawn(consumer);
    for (int i = 0; i < msg->producers; i++)
        state->waiting[state->waiting_count++] =
            rh_spawn(producer, .next = i, .step = msg->producers, .items = msg->items);
    rh_become(manager, trading);
    let_produce(state);
}
static void end_if_all_is_done(struct manager *state)
{
    if (state->producers || state->consumed < state->total)
        return;
    rh_assert(state->sum == state->expected, "the items add up to %lld", (long long)state->sum);
    rh_assert(state->idle_count == state->consumers && state->count == 0);
    for (int i = 0; i < state->consumers; i++)
        rh_send(state->idle[i], stop);
    rh_reply_to(state->client, traded, .sum = state->sum);
    rh_become(manager, ready);
}
RH_HANDLER(manager, item)
{
    rh_assert(state->count < state->bound, "%d items in a buffer for %d", state->count + 1, state->bound);
    state->buffer[(state->first + state->count++) % MOST_BOUND] = msg->value;
    state->outstanding--;
    state->produced++;
    state->waiting[state->waiting_count++] = rh_sender();
    let_consume(state);
    let_produce(state);
}
RH_HANDLER(manager, no_more)
{
    state->outstanding--;
    state->producers--;
    let_produce(state);
    end_if_all_is_done(state);
}
RH_HANDLER(manager, consumed)
{
    state->consumed++;
    state->sum += msg->value;
    state->idle[state->idle_count++] = rh_sender();
    let_consume(state);
    let_produce(state);
    end_if_all_is_done(state);
}
RH_HANDLER(manager, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(manager, ready, trade, stop);
RH_BEHAVIOUR(manager, trading, item, no_more, consumed, RH_DEFER(trade), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int producers; int consumers; int items; int bound; bool unaccounted;);
RH_BODY(driver)
{
    rh_ref m = rh_spawn(manager, .unaccounted = state->unaccounted);
    const struct traded *r = rh_ask(m, trade, traded, .producers = state->producers, .consumers = state->consumers,
                                    .items = state->items, .bound = state->bound);
    rh_assert(!r->refused);
    rh_log("prodcons: the items add up to %lld", (long long)r->sum);
    rh_send(m, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .producers = 6, .consumers = 4, .items = 1000, .bound = 3)
#else
RH_PARAM(producers, "2", "how many producers there are");
RH_PARAM(consumers, "1", "how many consumers there are");
RH_PARAM(items, "2", "how many items each producer makes");
RH_PARAM(bound, "1", "how many items the buffer may hold");
RH_BUG(unaccounted, "the manager forgets items on their way to the buffer");

RH_TEST(the_buffer_is_bounded)
{
    rh_spawn(driver, .producers = (int)rh_param("producers", 2), .consumers = (int)rh_param("consumers", 1),
             .items = (int)rh_param("items", 2), .bound = (int)rh_param("bound", 1),
             .unaccounted = rh_bug("unaccounted"));
}

static bool is_small(const struct trade *m)
{
    return m->producers <= 3 && m->consumers <= 3 && m->items <= 4;
}
RH_TEST(anybody_may_trade, .outside = 2, .outside_values = 40)
{
    rh_open(rh_spawn(manager, .unaccounted = rh_bug("unaccounted")), trade, .when = is_small);
}

RH_MAIN()
#endif

/* Logistic map: several series x' = r x (1 - x), each with its own rate r.  A series asks a computer of its own for
 * each term; a master asks all series for terms, and then for the last one.
 *
 * Invariant: the last terms, and their sum, are those of a loop, bit by bit.
 * Bug stale: a series asks for the next term before the last one has come, and computes from a term that is too old. */
#include "../savina.h"

enum { MOST_SERIES = 8, MOST_TERMS = 10000 };

RH_MESSAGE(sequence, int series; int terms; double start;);
RH_MESSAGE(sequenced, double sum; bool refused;);
RH_MESSAGE(next_term);
RH_MESSAGE(get_term);
RH_MESSAGE(term, int series; double x;);
RH_MESSAGE(compute, double x;);
RH_MESSAGE(computed, double x;);

static double map_once(double rate, double x)
{
    return rate * x * (1 - x);
}
static double rate_of(int series)
{
    return 3.46 + 0.0025 * series;
}

/* ---- computer ---------------------------------------------------------------------------------------------------- */
RH_ACTOR(computer, double rate;);
RH_HANDLER(computer, compute)
{
    rh_reply(computed, .x = map_once(state->rate, msg->x));
}
RH_HANDLER(computer, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(computer, open, compute, stop);

/* ---- series ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(series, int number; rh_ref computer; double x; int outstanding; bool stale;);
RH_HANDLER(series, next_term)
{
    rh_send(state->computer, compute, .x = state->x);
    state->outstanding++;
    if (!state->stale)
        rh_become(series, waiting);
}
RH_HANDLER(series, computed)
{
    state->x = msg->x;
    state->outstanding--;
    rh_become(series, ready);
}
RH_HANDLER(series, get_term)
{
    rh_assert(state->stale || state->outstanding == 0, "%d terms are missing", state->outstanding);
    rh_reply(term, .series = state->number, .x = state->x);
}
RH_HANDLER(series, stop)
{
    rh_send(state->computer, stop);
    rh_stop();
}
RH_BEHAVIOUR(series, ready, next_term, computed, get_term, stop);
RH_BEHAVIOUR(series, waiting, computed, RH_DEFER(next_term), RH_DEFER(get_term), RH_DEFER(stop));

/* ---- master ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(master, struct rh_request client; int series; int terms; double start; int heard; rh_ref at[MOST_SERIES];
         double last[MOST_SERIES]; bool stale;);
RH_HANDLER(master, sequence)
{
    if (msg->series < 1 || msg->series > MOST_SERIES || msg->terms < 0 || msg->terms > MOST_TERMS ||
        !(msg->start >= 0 && msg->start <= 1)) {
        rh_reply(sequenced, .refused = true);
        return;
    }
    *state = (struct master){ .series = msg->series, .terms = msg->terms, .start = msg->start, .stale = state->stale };
    state->client = rh_keep_request();
    for (int i = 0; i < msg->series; i++) {
        state->at[i] = rh_spawn(series, .number = i, .computer = rh_spawn(computer, .rate = rate_of(i)),
                                .x = msg->start, .stale = state->stale);
        for (int k = 0; k < msg->terms; k++)
            rh_send(state->at[i], next_term);
        rh_send(state->at[i], get_term);
    }
    rh_become(master, waiting);
}
RH_HANDLER(master, term)
{
    double x = state->start;
    for (int k = 0; k < state->terms; k++)
        x = map_once(rate_of(msg->series), x);
    rh_assert(msg->x == x, "series %d ends with %.17g instead of %.17g", msg->series, msg->x, x);
    state->last[msg->series] = msg->x;
    if (++state->heard < state->series)
        return;
    double sum = 0;
    for (int i = 0; i < state->series; i++) {
        sum += state->last[i];
        rh_send(state->at[i], stop);
    }
    rh_reply_to(state->client, sequenced, .sum = sum);
    rh_become(master, ready);
}
RH_HANDLER(master, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(master, ready, sequence, stop);
RH_BEHAVIOUR(master, waiting, term, RH_DEFER(sequence), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int series; int terms; bool stale;);
RH_BODY(driver)
{
    rh_ref m = rh_spawn(master, .stale = state->stale);
    const struct sequenced *r =
        rh_ask(m, sequence, sequenced, .series = state->series, .terms = state->terms, .start = 0.5);
    rh_assert(!r->refused);
    rh_log("logmap: the last terms add up to %.6f", r->sum);
    rh_send(m, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .series = MOST_SERIES, .terms = 1000)
#else
RH_PARAM(series, "2", "how many series there are");
RH_PARAM(terms, "2", "how many terms each of them gets");
RH_BUG(stale, "a series does not wait for a term before it asks for the next");

RH_TEST(the_terms_are_right)
{
    rh_spawn(driver, .series = (int)rh_param("series", 2), .terms = (int)rh_param("terms", 2),
             .stale = rh_bug("stale"));
}

static bool is_small(const struct sequence *m)
{
    return m->series <= 3 && m->terms <= 4;
}
RH_TEST(anybody_may_ask, .outside = 2, .outside_values = 40)
{
    rh_open(rh_spawn(master, .stale = rh_bug("stale")), sequence, .when = is_small);
}

RH_MAIN()
#endif

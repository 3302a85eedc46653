/* Trapezoidal approximation of an integral: each worker has a part of the interval.
 *
 * Invariant: the result is that of a loop over the parts, bit by bit, and close to the integral.
 * Bug by_arrival: the master adds the parts up as they arrive.  Floating point addition depends on the order, so the
 * result differs from run to run. */
#include "../savina.h"

#include <math.h>

enum { MOST_WORKERS = 16, MOST_PIECES = 100000 };

RH_MESSAGE(integrate, int left; int right; int pieces; int workers;);
RH_MESSAGE(integrated, double area; bool refused;);
RH_MESSAGE(part, double left; double width; int pieces;);
RH_MESSAGE(part_done, int worker; double area;);

static double f(double x)
{
    return exp(-x / 3) * sin(x * x / 4) / (1 + x) + 1 / (x + 2);
}
static double area_of(double left, double width, int pieces)
{
    double sum = 0, h = width / pieces;
    for (int i = 0; i < pieces; i++)
        sum += 0.5 * (f(left + i * h) + f(left + (i + 1) * h)) * h;
    return sum;
}

/* ---- worker ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(worker, int number;);
RH_HANDLER(worker, part)
{
    rh_reply(part_done, .worker = state->number, .area = area_of(msg->left, msg->width, msg->pieces));
    rh_stop();
}
RH_BEHAVIOUR(worker, idle, part);

/* ---- master ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(master, struct rh_request client; int left; int right; int pieces; int workers; int heard;
         double parts[MOST_WORKERS]; double by_arrival; bool adds_by_arrival;);

static double width_of(const struct master *state)
{
    return (double)(state->right - state->left) / state->workers;
}
RH_HANDLER(master, integrate)
{
    if (msg->left < 0 || msg->right <= msg->left || msg->right > 100 || msg->workers < 1 ||
        msg->workers > MOST_WORKERS || msg->pieces < msg->workers || msg->pieces > MOST_PIECES) {
        rh_reply(integrated, .refused = true);
        return;
    }
    *state = (struct master){ .left = msg->left,
                              .right = msg->right,
                              .pieces = msg->pieces / msg->workers,
                              .workers = msg->workers,
                              .adds_by_arrival = state->adds_by_arrival };
    state->client = rh_keep_request();
    for (int i = 0; i < msg->workers; i++)
        rh_send(rh_spawn(worker, .number = i), part, .left = msg->left + i * width_of(state), .width = width_of(state),
                .pieces = state->pieces);
    rh_become(master, waiting);
}
RH_HANDLER(master, part_done)
{
    state->parts[msg->worker] = msg->area;
    state->by_arrival += msg->area;
    if (++state->heard < state->workers)
        return;
    double sum = 0, expected = 0;
    for (int i = 0; i < state->workers; i++) {
        sum += state->parts[i];
        expected += area_of(state->left + i * width_of(state), width_of(state), state->pieces);
    }
    if (state->adds_by_arrival)
        sum = state->by_arrival;
    rh_assert(sum == expected, "%.17g instead of %.17g", sum, expected);
    rh_reply_to(state->client, integrated, .area = sum);
    rh_become(master, ready);
}
RH_HANDLER(master, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(master, ready, integrate, stop);
RH_BEHAVIOUR(master, waiting, part_done, RH_DEFER(integrate), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int pieces; int workers; bool by_arrival;);
RH_BODY(driver)
{
    rh_ref m = rh_spawn(master, .adds_by_arrival = state->by_arrival);
    const struct integrated *r =
        rh_ask(m, integrate, integrated, .left = 0, .right = 5, .pieces = state->pieces, .workers = state->workers);
    rh_assert(!r->refused);
    rh_log("trapezoid: the area is %.5f", r->area);
    rh_send(m, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .pieces = MOST_PIECES, .workers = MOST_WORKERS)
#else
RH_PARAM(pieces, "40", "how many trapezoids there are");
RH_PARAM(workers, "4", "how many workers there are");
RH_BUG(by_arrival, "parts are added up in the order of their arrival");

RH_TEST(the_area_is_the_same_every_time)
{
    rh_spawn(driver, .pieces = (int)rh_param("pieces", 40), .workers = (int)rh_param("workers", 4),
             .by_arrival = rh_bug("by_arrival"));
}

static bool is_small(const struct integrate *m)
{
    return m->pieces <= 100 && m->workers <= 4 && m->left >= 0;
}
RH_TEST(anybody_may_integrate, .outside = 2, .outside_values = 40)
{
    rh_open(rh_spawn(master, .adds_by_arrival = rh_bug("by_arrival")), integrate, .when = is_small);
}

RH_MAIN()
#endif

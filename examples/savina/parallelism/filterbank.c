/* Filter bank: a signal goes through several branches, each a delay and a filter with a finite impulse response.  An
 * integrator adds up what the branches make of each sample.
 *
 * Invariant: the output is that of a loop, sample by sample.
 * Bug unready: a filter allocates its delay line when the bank tells it its coefficients.  A sample comes from the
 * delay, and may be faster: with the bug the filter writes to memory that is not there (TAP's Figure 12, with a null
 * pointer).
 * Bug by_arrival: the integrator adds up the first values that come, one for each branch, whatever sample they are of.
 */
#include "../savina.h"

#include <stdlib.h>

enum { MOST_BRANCHES = 4, MOST_TAPS = 8, MOST_SAMPLES = 2000 };

RH_MESSAGE(filter_signal, int branches; int taps; int samples;);
RH_MESSAGE(signal_filtered, int64_t energy; bool refused;);
RH_MESSAGE(coefficients, int taps; int at[MOST_TAPS];);
RH_MESSAGE(sample, int number; int value;);
RH_MESSAGE(filtered, int number; int64_t value;);
RH_MESSAGE(output, int number; int64_t value;);

static int signal_at(int i)
{
    return i < 0 ? 0 : (int)((uint32_t)i * 2654435761u >> 25) - 64;
}
static int coefficient(int branch, int tap)
{
    return (branch + 2) * (tap + 1) % 7 - 3;
}
static int64_t output_at(int branches, int taps, int i)
{
    int64_t sum = 0;
    for (int b = 0; b < branches; b++)
        for (int t = 0; t < taps; t++)
            sum += (int64_t)coefficient(b, t) * signal_at(i - t - b); /* branch b delays by b samples */
    return sum;
}

/* ---- delay ------------------------------------------------------------------------------------------------------- */
RH_ACTOR(delay, rh_ref filter; int by; int line[MOST_BRANCHES];);
RH_HANDLER(delay, sample)
{
    int value = msg->value;
    if (state->by > 0) {
        int *place = &state->line[msg->number % state->by];
        value = *place;
        *place = msg->value;
    }
    rh_send(state->filter, sample, .number = msg->number, .value = value);
}
RH_HANDLER(delay, stop)
{
    rh_send(state->filter, stop);
    rh_stop();
}
RH_BEHAVIOUR(delay, open, sample, stop);

/* ---- filter ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(filter, rh_ref integrator; int taps; int at[MOST_TAPS]; int *line; int next; bool unready;);
RH_HANDLER(filter, rh_start)
{
    if (!state->unready)
        rh_become(filter, without_coefficients);
}
RH_HANDLER(filter, coefficients)
{
    state->taps = msg->taps;
    for (int i = 0; i < msg->taps; i++)
        state->at[i] = msg->at[i];
    state->line = calloc(MOST_TAPS, sizeof *state->line);
    rh_assert(state->line, "no memory");
    rh_become(filter, ready);
}
RH_HANDLER(filter, sample)
{
    int64_t sum = 0;
    state->line[state->next] = msg->value;
    for (int i = 0; i < state->taps; i++)
        sum += (int64_t)state->at[i] * state->line[(state->next - i + MOST_TAPS) % MOST_TAPS];
    state->next = (state->next + 1) % MOST_TAPS;
    rh_send(state->integrator, filtered, .number = msg->number, .value = sum);
}
RH_HANDLER(filter, stop)
{
    free(state->line);
    rh_stop();
}
RH_BEHAVIOUR(filter, ready, rh_start, coefficients, sample, stop);
RH_BEHAVIOUR(filter, without_coefficients, coefficients, RH_DEFER(sample), RH_DEFER(stop));

/* ---- integrator -------------------------------------------------------------------------------------------------- */
RH_ACTOR(integrator, rh_ref bank; int branches; int samples; int64_t sums[MOST_SAMPLES]; uint8_t heard[MOST_SAMPLES];
         int arrived; bool by_arrival;);
RH_HANDLER(integrator, filtered)
{
    int number = state->by_arrival ? state->arrived++ / state->branches : msg->number;
    state->sums[number] += msg->value;
    if (++state->heard[number] == state->branches)
        rh_send(state->bank, output, .number = number, .value = state->sums[number]);
}
RH_HANDLER(integrator, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(integrator, open, filtered, stop);

/* ---- bank -------------------------------------------------------------------------------------------------------- */
RH_ACTOR(bank, struct rh_request client; int branches; int taps; int samples; int heard; int64_t energy;
         rh_ref integrator; rh_ref at[MOST_BRANCHES]; bool unready; bool by_arrival;);
RH_HANDLER(bank, filter_signal)
{
    if (msg->branches < 1 || msg->branches > MOST_BRANCHES || msg->taps < 1 || msg->taps > MOST_TAPS ||
        msg->samples < 1 || msg->samples > MOST_SAMPLES) {
        rh_reply(signal_filtered, .refused = true);
        return;
    }
    *state = (struct bank){ .branches = msg->branches,
                            .taps = msg->taps,
                            .samples = msg->samples,
                            .unready = state->unready,
                            .by_arrival = state->by_arrival };
    state->client = rh_keep_request();
    state->integrator = rh_spawn(integrator, .bank = self, .branches = msg->branches, .samples = msg->samples,
                                 .by_arrival = state->by_arrival);
    for (int b = 0; b < msg->branches; b++) {
        rh_ref f = rh_spawn(filter, .integrator = state->integrator, .unready = state->unready);
        struct coefficients c = { .taps = msg->taps };
        for (int t = 0; t < msg->taps; t++)
            c.at[t] = coefficient(b, t);
        rh_send_value(f, coefficients, &c);
        state->at[b] = rh_spawn(delay, .filter = f, .by = b);
        for (int i = 0; i < msg->samples; i++)
            rh_send(state->at[b], sample, .number = i, .value = signal_at(i));
    }
    rh_become(bank, filtering);
}
RH_HANDLER(bank, output)
{
    int64_t expected = output_at(state->branches, state->taps, msg->number);
    rh_assert(msg->value == expected, "sample %d is %lld instead of %lld", msg->number, (long long)msg->value,
              (long long)expected);
    state->energy += msg->value * msg->value;
    if (++state->heard < state->samples)
        return;
    for (int b = 0; b < state->branches; b++)
        rh_send(state->at[b], stop);
    rh_send(state->integrator, stop);
    rh_reply_to(state->client, signal_filtered, .energy = state->energy);
    rh_become(bank, ready);
}
RH_HANDLER(bank, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(bank, ready, filter_signal, stop);
RH_BEHAVIOUR(bank, filtering, output, RH_DEFER(filter_signal), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int branches; int taps; int samples; bool unready; bool by_arrival;);
RH_BODY(driver)
{
    rh_ref b = rh_spawn(bank, .unready = state->unready, .by_arrival = state->by_arrival);
    const struct signal_filtered *r = rh_ask(b, filter_signal, signal_filtered, .branches = state->branches,
                                             .taps = state->taps, .samples = state->samples);
    rh_assert(!r->refused);
    rh_log("filterbank: the energy is %lld", (long long)r->energy);
    rh_send(b, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .branches = MOST_BRANCHES, .taps = MOST_TAPS, .samples = MOST_SAMPLES)
#else
RH_PARAM(branches, "2", "how many branches there are");
RH_PARAM(taps, "2", "how many coefficients a filter has");
RH_PARAM(samples, "3", "how long the signal is");
RH_BUG(unready, "a filter takes samples before it has its coefficients");
RH_BUG(by_arrival, "the integrator does not look at the numbers of samples");

RH_TEST(the_signal_is_filtered)
{
    rh_spawn(driver, .branches = (int)rh_param("branches", 2), .taps = (int)rh_param("taps", 2),
             .samples = (int)rh_param("samples", 3), .unready = rh_bug("unready"), .by_arrival = rh_bug("by_arrival"));
}

static bool is_small(const struct filter_signal *m)
{
    return m->branches <= 3 && m->samples <= 4;
}
RH_TEST(anybody_may_filter, .outside = 2, .outside_values = 40)
{
    rh_open(rh_spawn(bank, .unready = rh_bug("unready"), .by_arrival = rh_bug("by_arrival")), filter_signal,
            .when = is_small);
}

RH_MAIN()
#endif

/* Pi to many places: the terms of the formula of Bailey, Borwein and Plouffe, in fixed point numbers of many words.
 * Workers compute terms until they are too small to count.
 *
 * Invariant: the places are those of pi.
 * Bug early: the master is done when a worker reports a term of zero, although other workers have earlier terms. */
#include "../savina.h"

#include <string.h>

enum { MOST_WORDS = 8, MOST_WORKERS = 4 };

RH_MESSAGE(compute_pi, int words; int workers;);
RH_MESSAGE(pi_computed, int terms; uint32_t words[MOST_WORDS + 1]; bool refused;); /* words[0] is 3 */
RH_MESSAGE(term, int number; int words;);
RH_MESSAGE(term_done, int worker; int number; uint32_t words[MOST_WORDS + 3]; bool is_zero;); /* SIZE words */

/* The first places of pi, in base 16. */
static const uint32_t places[MOST_WORDS + 1] = { 0x3,        0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344,
                                                 0xA4093822, 0x299F31D0, 0x082EFA98, 0xEC4E6C89 };

/* ---- fixed point numbers: words[0] before the point, two more words than asked for against rounding -------------- */
enum { SPARE = 2, SIZE = MOST_WORDS + 1 + SPARE };

/* to = numerator / (denominator 16^shift) */
static void divide(uint32_t *to, int size, uint32_t numerator, uint32_t denominator, int shift)
{
    int word = shift * 4 / 32, bits = shift * 4 % 32;
    uint64_t rest = 0;
    memset(to, 0, (size_t)size * sizeof *to);
    for (int i = word; i < size; i++) {
        /* The dividend has `numerator`, moved to the right by `bits`, in the words `word` and `word` + 1. */
        uint32_t digit = i == word ? numerator >> bits : i == word + 1 && bits ? numerator << (32 - bits) : 0;
        rest = rest << 32 | digit;
        to[i] = (uint32_t)(rest / denominator);
        rest %= denominator;
    }
}
static void add(uint32_t *to, const uint32_t *other, int size)
{
    uint64_t carry = 0;
    for (int i = size - 1; i >= 0; i--) {
        carry += (uint64_t)to[i] + other[i];
        to[i] = (uint32_t)carry;
        carry >>= 32;
    }
}
static void subtract(uint32_t *to, const uint32_t *other, int size)
{
    uint64_t borrow = 0;
    for (int i = size - 1; i >= 0; i--) {
        uint64_t difference = (uint64_t)to[i] - other[i] - borrow;
        to[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
}
static bool term_of(uint32_t *sum, int size, int k)
{
    static const struct {
        uint32_t numerator, offset;
    } rows[] = { { 4, 1 }, { 2, 4 }, { 1, 5 }, { 1, 6 } };
    uint32_t x[SIZE];
    divide(sum, size, rows[0].numerator, 8 * (uint32_t)k + rows[0].offset, k);
    for (int i = 1; i < 4; i++) {
        divide(x, size, rows[i].numerator, 8 * (uint32_t)k + rows[i].offset, k);
        subtract(sum, x, size);
    }
    for (int i = 0; i < size; i++)
        if (sum[i])
            return true;
    return false;
}

/* ---- worker ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(worker, int number;);
RH_HANDLER(worker, term)
{
    struct term_done d = { .worker = state->number, .number = msg->number };
    d.is_zero = !term_of(d.words, msg->words + 1 + SPARE, msg->number);
    rh_send_value(rh_sender(), term_done, &d);
}
RH_HANDLER(worker, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(worker, idle, term, stop);

/* ---- master ------------------------------------------------------------------------------------------------------ */
RH_ACTOR(master, struct rh_request client; int words; int workers; int next; int busy; int terms; bool is_over;
         rh_ref at[MOST_WORKERS]; uint32_t sum[SIZE]; bool early;);

static void ask_for_a_term(struct master *state, int worker)
{
    state->busy++;
    rh_send(state->at[worker], term, .number = state->next++, .words = state->words);
}
RH_HANDLER(master, compute_pi)
{
    if (msg->words < 1 || msg->words > MOST_WORDS || msg->workers < 1 || msg->workers > MOST_WORKERS) {
        rh_reply(pi_computed, .refused = true);
        return;
    }
    *state = (struct master){ .words = msg->words, .workers = msg->workers, .early = state->early };
    state->client = rh_keep_request();
    for (int i = 0; i < msg->workers; i++) {
        state->at[i] = rh_spawn(worker, .number = i);
        ask_for_a_term(state, i);
    }
    rh_become(master, adding);
}
RH_HANDLER(master, term_done)
{
    state->busy--;
    if (msg->is_zero)
        state->is_over = true;
    else
        add(state->sum, msg->words, state->words + 1 + SPARE);
    state->terms += !msg->is_zero;
    if (!state->is_over)
        ask_for_a_term(state, msg->worker);
    if (!state->is_over || (state->busy > 0 && !state->early))
        return;
    struct pi_computed r = { .terms = state->terms };
    for (int i = 0; i <= state->words; i++) {
        rh_assert(state->sum[i] == places[i], "word %d is %08x instead of %08x", i, state->sum[i], places[i]);
        r.words[i] = state->sum[i];
    }
    for (int i = 0; i < state->workers; i++)
        rh_send(state->at[i], stop);
    rh_reply_to(state->client, pi_computed, .terms = r.terms, .words = { r.words[0], r.words[1] });
    rh_become(master, ready);
}
RH_HANDLER(master, stop)
{
    rh_stop();
}
RH_BEHAVIOUR(master, ready, compute_pi, stop);
RH_BEHAVIOUR(master, adding, term_done, RH_DEFER(compute_pi), RH_DEFER(stop));

/* ---- driver ------------------------------------------------------------------------------------------------------ */
RH_PROCESS(driver, int words; int workers; bool early;);
RH_BODY(driver)
{
    rh_ref m = rh_spawn(master, .early = state->early);
    const struct pi_computed *r = rh_ask(m, compute_pi, pi_computed, .words = state->words, .workers = state->workers);
    rh_assert(!r->refused && r->words[0] == 3);
    rh_log("piprecision: %d terms, %d places in base 16: %x.%08x...", r->terms, 8 * state->words, r->words[0],
           r->words[1]);
    rh_send(m, stop);
}

#ifdef SAVINA_PRODUCTION
SAVINA_PRODUCTION_MAIN(driver, .words = MOST_WORDS, .workers = MOST_WORKERS)
#else
RH_PARAM(words, "1", "how many words of 32 bits are computed");
RH_PARAM(workers, "2", "how many workers there are");
RH_BUG(early, "the master does not wait for terms that are under way");

RH_TEST(the_places_are_those_of_pi)
{
    rh_spawn(driver, .words = (int)rh_param("words", 1), .workers = (int)rh_param("workers", 2),
             .early = rh_bug("early"));
}

static bool is_small(const struct compute_pi *m)
{
    return m->words <= 2 && m->workers <= 3;
}
RH_TEST(anybody_may_ask, .outside = 1, .outside_values = 40)
{
    rh_open(rh_spawn(master, .early = rh_bug("early")), compute_pi, .when = is_small);
}

RH_MAIN()
#endif

#include "coverage/support/measuring.h"

/* What was compared, for the reader. */
static struct {
    uint64_t programs, runs, names, pairs, forced, left_out, goals, covered;
} compared;

struct rh_exploration *measuring_of(struct rh_world *w)
{
    struct rh_exploration *x = calloc(1, sizeof *x);
    assert_non_null(x);
    x->world = w;
    x->results = rh__results_new(2);
    assert_non_null(x->results);
    assert_true(rh__measure(x, ALL_CRITERIA));
    return x;
}

void measuring_free(struct rh_exploration *x)
{
    rh__measure_free(x);
    rh__results_free(x->results);
    free(x);
}

void random_run(struct rh_world *w, uint64_t *random)
{
    uint32_t open;
    const struct rh_choice *choices;
    rh_world_reset(w);
    while ((choices = rh_world_enabled(w, &open)), open)
        assert_true(rh_world_step(w, &choices[rh__random_below(random, open)]));
    rh_world_outcome(w);
}

const char *told(const struct slow *s, uint32_t name)
{
    return s->text[name];
}

/* The same name has the same id, and the other way round: see names_are_apart. */
static void compare_names(struct slow *s, const struct slow_run *r, const struct rh__measure *m, uint64_t seed)
{
    assert_int_equal(m->steps.count, r->count);
    for (uint32_t i = 0; i < r->count; i++) {
        const struct rh__coverage_step *e = &m->list[i];
        uint64_t *id = &s->id_of[r->name[i]];
        bool receive = slow_is_receive(r, i);
        if (!*id) {
            *id = i ? e->id : 1;
            compared.names++;
        }
        if (i && *id != e->id)
            fail_msg("program %llu: event %u, %s, has two ids", (unsigned long long)seed, i, told(s, r->name[i]));
        if (receive != !!(e->flags & RH__STEP_RECEIVE) || slow_actor(r, i) != e->actor ||
            (receive && slow_becomes(r, i) != !!(e->flags & RH__STEP_BECOMES)))
            fail_msg("program %llu: event %u, %s, is not seen as it is", (unsigned long long)seed, i,
                     told(s, r->name[i]));
    }
}

static void names_are_apart(const struct slow *s, uint64_t seed)
{
    static uint64_t ids[SLOW_NAMES];
    uint32_t n = 0;
    for (uint32_t i = 1; i <= s->name_count; i++)
        if (s->id_of[i])
            ids[n++] = s->id_of[i];
    uint32_t all = n;
    if (distinct(ids, n) != all)
        fail_msg("program %llu: two events have one id", (unsigned long long)seed);
}

static void print_events(const struct slow_run *r)
{
    for (uint32_t i = 0; i < r->count; i++) {
        char text[256];
        rh_world_choice_text(r->w, &r->events[i].choice, text, sizeof text);
        print_message("  %3u %s (by %d)\n", i, text, (int)slow_cause(r, i));
    }
}

/* Several actors may send in the name of one outside, and one that starts again gets that from its parent.  Under
 * causal what follows from the order of such messages by other ways than messages is not all found: then less is
 * forced, which costs no more than a schedule in vain. */
static bool shares_senders(const struct slow_run *r)
{
    if (r->w->semantics.model == RH_CAUSAL && (r->w->semantics.restarts || r->w->semantics.kept_restarts))
        return true;
    for (uint32_t i = 0; i < rh_world_message_count(r->w); i++)
        if (r->w->messages[i].event && r->w->actors[r->w->messages[i].sender].status == STATUS_OUTSIDE)
            return r->w->semantics.model == RH_CAUSAL;
    return false;
}

/* What a timer has put into a mailbox: under causal the vectors of the run count all that the actor took until the
 * timer fired, must-happen-before what it had taken when it set the timer.  It may fire and be taken earlier: so less
 * is forced. */
static bool is_of_timer(const struct slow_run *r, uint32_t event)
{
    const struct world_message *m = slow_taken(r, event);
    return r->w->semantics.model == RH_CAUSAL && m && m->timer;
}

static void compare_must(const struct slow_run *r, const struct rh__steps *s, uint64_t seed)
{
    enum { WORDS = SLOW_EVENTS / 64 };
    static uint64_t seen[SLOW_EVENTS * 2 * WORDS], must[(SLOW_EVENTS + 1) * WORDS];
    uint32_t bits[SLOW_EVENTS];
    for (uint32_t a = 0; a < s->actors; a++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < r->count; i++)
            bits[i] = slow_actor(r, i) == a && slow_is_receive(r, i) ? n++ : RH_NONE;
        if (n < 2)
            continue;
        rh__must_happen_before(s, bits, WORDS, seen, must);
        for (uint32_t j = 0; j < r->count; j++)
            for (uint32_t i = 0; i < j; i++) {
                if (bits[i] == RH_NONE || bits[j] == RH_NONE)
                    continue;
                bool found = must[j * WORDS + bits[i] / 64] >> bits[i] % 64 & 1;
                compared.pairs++;
                compared.forced += found;
                if (found == r->must[i][j])
                    continue;
                if (!found && (shares_senders(r) || is_of_timer(r, j))) {
                    compared.left_out++;
                    continue;
                }
                print_events(r);
                fail_msg("program %llu, model %d: %u must%s be before %u", (unsigned long long)seed,
                         (int)r->w->semantics.model, i, found ? " not" : "", j);
            }
    }
}

static void compare_pair(const struct slow *s, const struct rh__coverage *c, uint32_t a, uint32_t b,
                         struct rh__count *counts, bool left_out, uint64_t seed)
{
    uint32_t x = rh__coverage_find(c, s->id_of[s->name_of[a]]), y = rh__coverage_find(c, s->id_of[s->name_of[b]]);
    bool both = s->goals[a][b] & 1u << RH__PR && s->goals[b][a] & 1u << RH__PR;
    for (uint32_t k = 0; k < RH__CRITERION_COUNT; k++) {
        bool is = s->goals[a][b] >> k & 1;
        counts[k].goals += is;
        counts[k].pairs += is && a < b && s->goals[b][a] >> k & 1;
        if (is != rh__achieved(c, k, x, y))
            fail_msg("program %llu: %s is%s achieved: %s, %s", (unsigned long long)seed, rh__criterion_name(k),
                     is ? "" : " not", told(s, s->name_of[a]), told(s, s->name_of[b]));
    }
    bool freely = rh__achieved(c, RH__FREE, x, y);
    if (!both && s->freely[a][b] != freely && !(freely && left_out))
        fail_msg("program %llu: was %sfreely before: %s, %s", (unsigned long long)seed, s->freely[a][b] ? "" : "not ",
                 told(s, s->name_of[a]), told(s, s->name_of[b]));
}

void compare_coverage(const struct slow *s, const struct rh__coverage *c, bool left_out, uint64_t seed)
{
    struct rh__count counts[RH__CRITERION_COUNT] = { { 0, 0 } };
    assert_false(c->full);
    assert_int_equal(c->receive_count, s->receive_count);
    for (uint32_t a = 0; a < s->receive_count; a++) {
        uint32_t x = rh__coverage_find(c, s->id_of[s->name_of[a]]);
        assert_int_not_equal(x, RH_NONE);
        if (s->becomes[a] != !!rh__covered_receive(c, x)->becomes)
            fail_msg("program %llu: %s becomes", (unsigned long long)seed, told(s, s->name_of[a]));
        for (uint32_t b = 0; b < s->receive_count; b++) {
            uint32_t y = rh__coverage_find(c, s->id_of[s->name_of[b]]);
            bool same = s->actor_of[a] == s->actor_of[b];
            if (same != (rh__covered_receive(c, x)->actor == rh__covered_receive(c, y)->actor))
                fail_msg("program %llu: not two actors, or not one: %s, %s", (unsigned long long)seed,
                         told(s, s->actor_of[a]), told(s, s->actor_of[b]));
            if (a != b && same)
                compare_pair(s, c, a, b, counts, left_out, seed);
        }
    }
    for (uint32_t k = 0; k < RH__CRITERION_COUNT; k++) {
        assert_int_equal(counts[k].goals, c->counts[k].goals);
        assert_int_equal(counts[k].pairs, c->counts[k].pairs);
        compared.goals += counts[k].goals;
        compared.covered += counts[k].pairs;
    }
}

void measure_program(const char *test, const struct rh_semantics *semantics, uint32_t runs, uint64_t seed)
{
    struct rh_world *w = world_of(test, semantics, NULL, 0);
    struct rh_exploration *x = measuring_of(w);
    struct slow *s = slow_new();
    uint64_t random = rh__random_seed(seed, 3), left_out = compared.left_out;
    rh_world_begin(w);
    for (uint32_t i = 0; i < runs; i++) {
        random_run(w, &random);
        rh__measure_run(x);
        const struct slow_run *r = slow_add(s, w);
        compare_names(s, r, x->measure, seed);
        compare_must(r, &x->measure->steps, seed);
    }
    names_are_apart(s, seed);
    compare_coverage(s, x->results->coverage, compared.left_out != left_out, seed);
    compared.programs++;
    compared.runs += runs;
    slow_free(s);
    measuring_free(x);
    rh_world_free(w);
}

void tell_compared(void)
{
    print_message("%llu programs, %llu runs, %llu names; %llu pairs in runs, %llu of them forced, %llu not seen to be; "
                  "%llu goals, %llu pairs "
                  "covered\n",
                  (unsigned long long)compared.programs, (unsigned long long)compared.runs,
                  (unsigned long long)compared.names, (unsigned long long)compared.pairs,
                  (unsigned long long)compared.forced, (unsigned long long)compared.left_out,
                  (unsigned long long)compared.goals, (unsigned long long)compared.covered);
    memset(&compared, 0, sizeof compared);
}

/* Searches over states against brute force, over programs that forget (world/support/automata.h): every model,
 * granularity, time and fault, with memory for all states and for next to none.
 *
 * Brute force makes every sequence of choices by steps and undos, without the engine.  What is compared is what a
 * program and its user can see, not fingerprints: a sight of each state (names, memory and ends of actors, open choices
 * with the contents of messages), and each end of a run with its outcome and place. */
#include "explore/support/runs.h"

#include "support/few.h"
#include "support/generated.h"
#include "world/support/automata.h"

#ifdef FORGETFUL_LONG
enum { PROGRAMS = MANY_OR_FEW(2000, 200), MOST_STATES = 10000 };
#else
enum { PROGRAMS = MANY_OR_FEW(120, 25), MOST_STATES = 4000 };
#endif
enum { SLOTS = 1 << 16 };

/* ---- sights ------------------------------------------------------------------------------------------------------ */

struct sights {
    uint32_t count, end_count;
    uint64_t steps;
    uint64_t ends[SLOTS / 2]; /* of runs; some several times */
    uint64_t set[SLOTS];
};
static struct sights *sights; /* shared memory; of the search under way */

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t h = a * 0x9e3779b97f4a7c15u ^ b;
    return generated_random(&h);
}

static uint64_t text_hash(const char *text)
{
    return fnv(FNV_START, text, strlen(text));
}

static void note(uint64_t sight)
{
    sight += !sight;
    uint32_t i = (uint32_t)(sight % SLOTS);
    while (sights->set[i] && sights->set[i] != sight)
        i = (i + 1) % SLOTS;
    if (sights->set[i])
        return;
    sights->set[i] = sight;
    assert_in_range(++sights->count, 0, SLOTS / 2);
}

static bool has(const struct sights *s, uint64_t sight)
{
    uint32_t i = (uint32_t)(sight % SLOTS);
    while (s->set[i] && s->set[i] != sight)
        i = (i + 1) % SLOTS;
    return s->set[i] == sight;
}

/* Without padding, which has what was on some stack.  Of a kept request nothing but that there is one: its ticket says
 * nothing to the program. */
static uint64_t soul_hash(const struct soul *s)
{
    uint8_t small[] = { s->me, s->mood, s->keeps, s->child };
    uint64_t h = fnv(FNV_START, small, sizeof small);
    h = mix(h, fnv(FNV_START, &s->block, sizeof s->block));
    return mix(h, fnv(FNV_START, &s->friend_, sizeof s->friend_));
}

static uint64_t actors_hash(const struct rh_world *w)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < rh_world_actor_count(w); i++) {
        char name[256];
        rh_world_actor_name(w, i, name, sizeof name);
        uint64_t x = text_hash(name);
        const struct rh_actor_type *type = rh_world_actor_type(w, i);
        bool alive = !rh_world_actor_ended(w, i) && type;
        if (alive && type->size == sizeof(struct soul))
            x = mix(x, soul_hash(rh_world_actor_state(w, i)));
        else if (alive)
            x = mix(x, fnv(FNV_START, rh_world_actor_state(w, i), type->size));
        h += x;
    }
    return h;
}

static uint64_t choice_hash(const struct rh_world *w, const struct rh_choice *c)
{
    char text[512];
    rh_world_choice_text(w, c, text, sizeof text);
    uint64_t h = text_hash(text);
    if (c->kind == RH_CHOICE_DELIVER || c->kind == RH_CHOICE_LOSE || c->kind == RH_CHOICE_DUPLICATE) {
        struct rh_message_info m = rh_world_message(w, c->what);
        h = mix(h, fnv(fnv(FNV_START, m.value, m.size), m.tail ? m.tail : "", m.tail_size));
    }
    return h;
}

static void note_state(const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    uint64_t h = mix(1, actors_hash(w));
    for (uint32_t i = 0; i < count; i++)
        h += choice_hash(w, &open[i]);
    note(h);
    sights->steps++;
}

/* After a failed step the memory of actors is nobody's business. */
static void note_end(const struct rh_world *w)
{
    const struct rh_outcome *o = rh_world_outcome(w);
    uint64_t h = mix(mix(2, o->kind), text_hash(o->place));
    bool all = !rh_outcome_failed(o->kind) || o->kind == RH_OUTCOME_STUCK || o->kind == RH_OUTCOME_MONITOR;
    uint64_t end = all ? mix(h, actors_hash(w)) : h;
    note(end);
    if (sights->end_count < SLOTS / 2)
        sights->ends[sights->end_count++] = end + !end;
}

/* ---- brute force ------------------------------------------------------------------------------------------------- */

/* Every sequence of choices from here.  False if there are too many, or a limit cuts one. */
static bool every_sequence(struct rh_world *w)
{
    uint32_t n;
    const struct rh_choice *list = rh_world_enabled(w, &n);
    if (sights->steps > MOST_STATES || w->event_count > w->semantics.max_steps)
        return false;
    note_state(w, list, n);
    if (!n) {
        note_end(w);
        return true;
    }
    struct rh_choice *open = malloc(n * sizeof *open);
    bool fine = open != NULL;
    memcpy(open, list, n * sizeof *open);
    for (uint32_t i = 0; i < n && fine; i++)
        fine = rh_world_step(w, &open[i]) && every_sequence(w) && rh_world_undo(w);
    free(open);
    return fine;
}

static void drive(struct rh_world *w, void *arg)
{
    rh_world_reset(w);
    *(bool *)arg = every_sequence(w);
}

static struct sights *brute_sights(bool *fine)
{
    struct rh_world *w = world_of("automata", &automata.semantics, NULL, 0);
    bool *all = rh_shared_new(sizeof *all);
    sights = rh_shared_new(sizeof *sights);
    assert_true(all && sights);
    assert_int_equal(rh_sandbox_run(w, drive, all), RH_SANDBOX_DONE);
    *fine = *all;
    rh_shared_free(all, sizeof *all);
    rh_world_free(w);
    return sights;
}

/* ---- explorers --------------------------------------------------------------------------------------------------- */

static uint32_t sights_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    note_state(w, open, count);
    return rh_inner_choose(state, w, open, count);
}

static void sights_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    if (!run->pruned) {
        note_state(w, NULL, 0);
        note_end(w);
    }
    rh_inner_end(state, w, run);
}

static const struct rh_explorer sights_of = {
    .name = "sights_of",
    .summary = "notes what can be seen of the states of another explorer",
    .state_size = sizeof(struct rh_inner),
    .arguments = rh_only_arguments,
    .open = rh_only_open,
    .choose = sights_choose,
    .end = sights_end,
    .report = &rh_only_report,
    .decorator = &rh_only_decorator,
};
RH_EXPLORER(sights_of)

/* Memory for all states, and for 32 of them (kb=1); a frontier that goes to a file. */
static const char *const explorers[] = {
    "stateful",
    "stateful(kb=1)",
    "delay(rtc, ses)",
    "delay(rr, ses)",
    "delay(prr, ses, check)",
    "delay(rtc, ses, kb=1, frontier=1)",
    "delay(rr, ses, kb=1)",
    "preempt(1000, only, stateful)",
};
enum { EXPLORERS = sizeof explorers / sizeof *explorers };

struct sum {
    uint64_t programs, compared, states, steps, of, dropped, wrong;
};

/* What stateful promises where an actor may crash inside a handler: every end, and nothing that is not there.  It
 * leaves out what others do while an actor stands at a crash point (docs/guarantees.md). */
static bool leaves_out_states(const char *explorer)
{
    return strstr(explorer, "stateful") && rh__has_crash_points(&automata.semantics) &&
           automata.semantics.model != RH_MAILBOX;
}

static bool has_all_ends(const struct sights *all)
{
    bool good = true;
    for (uint32_t i = 0; i < all->end_count && good; i++)
        good = has(sights, all->ends[i]);
    return good;
}

static const char *difference(const struct sights *all, const struct rh_exploration *x, const char *explorer)
{
    uint32_t here = 0;
    bool drawn = automata.semantics.outside != 0; /* values from outside are drawn: nobody can promise anything */
    if ((rh__exploration_verdict(x) == RH_VERDICT_EXHAUSTIVE) == drawn)
        return "the verdict is wrong";
    for (uint32_t i = 0; i < SLOTS; i++)
        here += all->set[i] && has(sights, all->set[i]);
    if (leaves_out_states(explorer) ? !has_all_ends(all) : here < all->count)
        return "it has missed something";
    return sights->count > here ? "it has seen what is not there" : NULL;
}

static uint32_t sights_of_last; /* of the explorer that was compared last */

static void compare_one(struct sum *sum, const struct sights *all, const char *explorer)
{
    char text[256], notes[512];
    struct rh_world *w = world_of("automata", &automata.semantics, NULL, 0);
    sights = rh_shared_new(sizeof *sights);
    assert_non_null(sights);
    snprintf(text, sizeof text, "sights_of(%s)", explorer);
    struct rh_exploration *x = explored(w, text, 1, 0);
    const char *wrong = difference(all, x, explorer);
    rh_inner_notes(&x->explorer, notes, sizeof notes);
    sum->steps += sights->steps;
    sights_of_last = sights->count;
    sum->of += all->steps;
    sum->dropped += strstr(notes, "dropped for lack of memory") != NULL;
    if (wrong) {
        automata_write(&automata, text, sizeof text);
        printf("%s\n    %s: %s: %u sights, brute force %u; %s\n", text, explorer, wrong, sights->count, all->count,
               notes);
        sum->wrong++;
    }
    rh__exploration_free(x);
    rh_world_free(w);
    rh_shared_free(sights, sizeof *sights);
}

/* A program that is too large is made smaller.  Two of the explorers have their turn. */
static void compare(struct sum *sum, uint64_t seed)
{
    bool fine = false;
    struct sights *all = NULL;
    automata_make(&automata, seed);
    do {
        if (all)
            rh_shared_free(all, sizeof *all);
        all = brute_sights(&fine);
    } while (!fine && automata_shrink(&automata));
    sum->programs++;
    sum->compared += fine;
    sum->states += fine ? all->count : 0;
    uint64_t turn = seed * 0x9e3779b97f4a7c15u >> 40;
    for (uint64_t i = 0; i < 2 && fine; i++)
        compare_one(sum, all, explorers[(turn + i * 3) % EXPLORERS]);
    rh_shared_free(all, sizeof *all);
}

static void require_none_wrong(const struct sum *s)
{
    print_message("%llu programs, %llu compared, %llu sights; %llu steps, brute force %llu; %llu with states dropped; "
                  "%llu wrong\n",
                  (unsigned long long)s->programs, (unsigned long long)s->compared, (unsigned long long)s->states,
                  (unsigned long long)s->steps, (unsigned long long)s->of, (unsigned long long)s->dropped,
                  (unsigned long long)s->wrong);
    assert_int_equal(s->wrong, 0);
}

/* ---- a reduction ------------------------------------------------------------------------------------------------- */

/* stateful(reduce) leaves out states, and no end of a run.  It has an effect under mailbox, without faults. */
static void make_for_reduction(uint64_t seed)
{
    automata_make(&automata, seed);
    automata.semantics = (struct rh_semantics){ .model = RH_MAILBOX,
                                                .granularity = RH_GRAIN_HANDLER,
                                                .time = automata.semantics.time,
                                                .dead_letters = automata.semantics.dead_letters,
                                                .max_steps = automata.semantics.max_steps };
}

static void a_reduction_keeps_every_end(void **unused)
{
    (void)unused;
    uint32_t compared = 0, reduced = 0, fewer = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        bool fine = false;
        char notes[1024];
        make_for_reduction(seed);
        struct sights *all = brute_sights(&fine);
        while (!fine && automata_shrink(&automata)) {
            rh_shared_free(all, sizeof *all);
            all = brute_sights(&fine);
        }
        struct rh_world *w = world_of("automata", &automata.semantics, NULL, 0);
        sights = rh_shared_new(sizeof *sights);
        assert_non_null(sights);
        struct rh_exploration *x = explored(w, "sights_of(stateful(reduce))", 1, 0);
        rh_inner_notes(&x->explorer, notes, sizeof notes);
        compared += fine;
        reduced += fine && strstr(notes, "one step was enough");
        fewer += fine && sights->count < all->count;
        if (fine && (!has_all_ends(all) || sights->count > all->count))
            fail_msg("seed %llu: an end of a run is missing, or there is one that is not there: %s",
                     (unsigned long long)seed, notes);
        if (fine && rh__exploration_verdict(x) != RH_VERDICT_EXHAUSTIVE)
            fail_msg("seed %llu is not exhaustive: %s", (unsigned long long)seed, notes);
        rh__exploration_free(x);
        rh_world_free(w);
        rh_shared_free(sights, sizeof *sights);
        rh_shared_free(all, sizeof *all);
    }
    print_message("%u programs compared, %u reduced, %u with fewer sights\n", compared, reduced, fewer);
    assert_true(compared > PROGRAMS / 2 && reduced > PROGRAMS / 20);
}

static void what_is_left_out_at_crash_points_is_no_end(void **unused)
{
    (void)unused;
    struct sum sum = { 0 };
    automata_make(&automata, 700545);
    bool fine;
    struct sights *all = brute_sights(&fine);
    assert_true(fine && leaves_out_states("stateful") && !leaves_out_states("delay(rtc, ses)"));
    compare_one(&sum, all, "stateful(kb=1)");
    assert_true(sights_of_last < all->count);
    compare_one(&sum, all, "delay(rtc, ses)");
    assert_int_equal(sights_of_last, all->count);
    assert_int_equal(sum.wrong, 0);
    rh_shared_free(all, sizeof *all);
}

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

/* REHEARSE_FIRST and REHEARSE_PROGRAMS: other seeds, and more of them. */
static void searches_see_what_brute_force_sees(void **unused)
{
    (void)unused;
    struct sum sum = { 0 };
    uint64_t first = from_environment("REHEARSE_FIRST", 1);
    uint64_t last = first + from_environment("REHEARSE_PROGRAMS", PROGRAMS);
    for (uint64_t seed = first; seed < last; seed++)
        compare(&sum, seed);
    require_none_wrong(&sum);
    assert_true(sum.compared > sum.programs / 2);
    assert_true(sum.steps < sum.of);
    assert_true(sum.dropped > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(searches_see_what_brute_force_sees),
        EXPLORE_TEST(what_is_left_out_at_crash_points_is_no_end),
        EXPLORE_TEST(a_reduction_keeps_every_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

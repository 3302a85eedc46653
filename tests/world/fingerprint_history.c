/* The fingerprint of a state is a function of the choices that lead to it, whatever the process has done before and
 * whenever it has asked for fingerprints, over programs that forget (support/automata.h): every model, granularity,
 * time and fault.  Workers that begin at different places rely on it: they count the same states only then.
 *
 * Some thousand states are reached by steps and undos, with a fingerprint of each of them.  Then some of them are
 * reached again from the beginning, in a random order, with fingerprints here and there on the way. */
#include "world/support/driver.h"

#include "support/few.h"
#include "support/generated.h"
#include "world/state.h"
#include "world/support/automata.h"

enum { MOST_STATES = 1000, MOST_LENGTH = 48, MOST_OPEN = 128, AGAIN = 1000 };

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static struct {
    struct rh_choice way[MOST_LENGTH];
    uint32_t length;
    struct rh_fingerprint fingerprint;
} states[MOST_STATES];
static uint32_t state_count;
static uint64_t drawn;

static void visit(struct rh_world *w, struct rh_choice *way, uint32_t length)
{
    uint32_t n;
    const struct rh_choice *list = rh_world_enabled(w, &n);
    struct rh_choice open[MOST_OPEN];
    if (state_count == MOST_STATES || length == MOST_LENGTH)
        return;
    memcpy(states[state_count].way, way, length * sizeof *way);
    states[state_count].length = length;
    states[state_count++].fingerprint = rh_world_fingerprint_wide(w);
    n = n < MOST_OPEN ? n : MOST_OPEN;
    memcpy(open, list, n * sizeof *open);
    uint64_t first = generated_random(&drawn);
    for (uint32_t i = 0; i < n; i++) {
        way[length] = open[(first + i) % n];
        rh_world_step(w, &way[length]);
        visit(w, way, length + 1);
        rh_world_undo(w);
    }
}

static struct rh_fingerprint reached_again(struct rh_world *w, uint32_t state)
{
    rh_world_reset(w);
    for (uint32_t i = 0; i < states[state].length; i++) {
        if (generated_random(&drawn) % 4 == 0)
            rh_world_fingerprint(w);
        assert_true(rh_world_step(w, &states[state].way[i]));
    }
    return rh_world_fingerprint_wide(w);
}

/* Returns how many states have another fingerprint when they are reached again. */
static uint32_t differences(uint64_t seed)
{
    struct rh_choice way[MOST_LENGTH];
    uint32_t meaning, wrong = 0;
    drawn = seed;
    automata_make(&automata, seed);
    struct rh_world *w = open_test("automata", &automata.semantics);
    do {
        meaning = rh_world_fingerprint_meaning(w);
        state_count = 0;
        rh_world_reset(w);
        visit(w, way, 0);
    } while (meaning != rh_world_fingerprint_meaning(w));
    for (uint32_t i = 0; i < AGAIN && state_count; i++) {
        uint32_t state = (uint32_t)(generated_random(&drawn) % state_count);
        struct rh_fingerprint f = reached_again(w, state);
        wrong += f.high != states[state].fingerprint.high || f.low != states[state].fingerprint.low;
    }
    rh_world_free(w);
    return wrong;
}

static void require_none(uint64_t seed)
{
    uint32_t wrong = differences(seed);
    if (wrong) {
        char text[512];
        automata_write(&automata, text, sizeof text);
        fail_msg("%s\n    %u of %u fingerprints depend on what was before the run", text, wrong, (uint32_t)AGAIN);
    }
}

/* REHEARSE_FIRST and REHEARSE_PROGRAMS: other seeds, and more of them. */
static void a_fingerprint_follows_from_the_choices_before_it(void **unused)
{
    (void)unused;
    uint64_t first = from_environment("REHEARSE_FIRST", 1);
    uint64_t last = first + from_environment("REHEARSE_PROGRAMS", MANY_OR_FEW(150, 25));
    for (uint64_t seed = first; seed < last; seed++)
        require_none(seed);
}

/* What library calls leave on a stack, where no fiber had blocked before: 430, 368.  Copies of messages, after the last
 * loss and the last duplicate: 395, 453. */
static void programs_whose_fingerprints_once_had_a_history(void **unused)
{
    (void)unused;
    static const uint64_t seeds[] = { 430, 368, 395, 453 };
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        require_none(seeds[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(programs_whose_fingerprints_once_had_a_history),
        WORLD_TEST(a_fingerprint_follows_from_the_choices_before_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

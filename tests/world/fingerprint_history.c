/* The fingerprint of a state is a function of the choices that lead to it, whatever the process has done before,
 * whenever it has asked for fingerprints, and wherever the system has put the program in memory, over programs that
 * forget (support/automata.h): every model, granularity, time and fault.  Workers that begin at different places, and
 * agents on other machines, rely on it: they count the same states only then.
 *
 * Some thousand states are reached by steps and undos, with a fingerprint of each of them.  Then some of them are
 * reached again from the beginning, in a random order, with fingerprints here and there on the way. */
#include "world/support/driver.h"

#include <unistd.h>

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

/* ---- processes --------------------------------------------------------------------------------------------------- */

RH_MESSAGE(news);
RH_PROCESS(reader_, int unused;);
RH_BODY(reader_)
{
    rh_receive(news);
    if (rh_choose(2))
        rh_receive(news);
}
RH_TEST(readers)
{
    for (int i = 0; i < 2; i++) {
        rh_ref r = rh_spawn(reader_);
        rh_send(r, news);
        rh_send(r, news);
    }
}

static void print_states(struct rh_world *w)
{
    struct rh_choice way[MOST_LENGTH];
    state_count = 0;
    rh_world_fingerprint(w);
    rh_world_reset(w);
    visit(w, way, 0);
    for (uint32_t i = 0; i < state_count; i++)
        printf("%016llx%016llx\n", (unsigned long long)states[i].fingerprint.high,
               (unsigned long long)states[i].fingerprint.low);
    rh_world_free(w);
}

enum { ALONE = 40 };

/* What a process prints that was started with this word. */
static void print_fingerprints(void)
{
    print_states(open_test("readers", NULL));
    for (uint64_t seed = 1; seed <= ALONE; seed++) {
        drawn = seed;
        automata_make(&automata, seed);
        print_states(open_test("automata", &automata.semantics));
    }
}

static char *printed_by_another(void)
{
    char path[512] = "", command[600], *text = calloc(1, 1 << 22);
    assert_true(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
    snprintf(command, sizeof command, "'%s' print", path);
    FILE *f = popen(command, "r");
    assert_true(f && text);
    size_t n = fread(text, 1, (1 << 22) - 1, f);
    assert_true(n > (size_t)ALONE * 33 && n < (1 << 22) - 1);
    assert_int_equal(pclose(f), 0);
    return text;
}

/* Each process has the program at another address, unless the system puts it at the same one always.  Frames have gaps,
 * in which fragments of addresses stay from calls before: states with such a gap differ all the same. */
static void processes_agree_on_fingerprints(void **unused)
{
    (void)unused;
    enum { LINE = 33 };
    char *one = printed_by_another(), *other = printed_by_another();
    size_t differ = 0, lines = 0;
    for (const char *a = one, *b = other; *a && *b; a += LINE, b += LINE, lines++)
        differ += memcmp(a, b, LINE) != 0;
    if (strlen(one) != strlen(other) || differ * 5 > lines)
        fail_msg("%zu of %zu states have another fingerprint in another process", differ, lines);
    free(one);
    free(other);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "print") == 0) {
        print_fingerprints();
        return 0;
    }
    const struct CMUnitTest tests[] = {
        WORLD_TEST(processes_agree_on_fingerprints),
        WORLD_TEST(programs_whose_fingerprints_once_had_a_history),
        WORLD_TEST(a_fingerprint_follows_from_the_choices_before_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* States with one fingerprint have one future, over programs that forget (support/automata.h): every model,
 * granularity, time and fault.  The future of a state is computed by brute force (support/futures.h). */
#include "world/support/driver.h"

#include "support/few.h"
#include "world/support/automata.h"

#define SEEN_OF(type) ((type)->size == sizeof(struct soul) ? offsetof(struct soul, kept) : (type)->size)
#include "world/support/futures.h"

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

struct sum {
    uint64_t programs, whole, meetings, wrong;
};

/* A program with too many states is made smaller, after its first states were compared. */
static void compare(struct sum *sum, uint64_t seed)
{
    bool fine = false;
    automata_make(&automata, seed);
    clash[0] = 0;
    do {
        fine = explore("automata", &automata.semantics);
        sum->meetings += met;
    } while (!fine && !clash[0] && automata_shrink(&automata));
    sum->programs++;
    sum->whole += fine;
    if (clash[0]) {
        char text[1024];
        automata_write(&automata, text, sizeof text);
        printf("%s\n    %s\n", text, clash); /* print_message cuts long lines */
        sum->wrong++;
    }
}

static void require_none_wrong(const struct sum *sum)
{
    print_message("%llu programs, %llu to their end, %llu meetings, %llu wrong\n", (unsigned long long)sum->programs,
                  (unsigned long long)sum->whole, (unsigned long long)sum->meetings, (unsigned long long)sum->wrong);
    assert_int_equal(sum->wrong, 0);
}

/* REHEARSE_FIRST and REHEARSE_PROGRAMS: other seeds, and more of them. */
static void equal_fingerprints_have_equal_futures_in_programs_that_forget(void **unused)
{
    (void)unused;
    struct sum sum = { 0 };
    uint64_t first = from_environment("REHEARSE_FIRST", 1);
    uint64_t last = first + from_environment("REHEARSE_PROGRAMS", MANY_OR_FEW(150, 25));
    for (uint64_t seed = first; seed < last; seed++)
        compare(&sum, seed);
    require_none_wrong(&sum);
    assert_true(sum.whole > sum.programs / 2 && sum.meetings > 20 * sum.programs);
}

/* Messages from outside, to whom; a set of a bag; who has looked at the life of the test; a reply that is too late and
 * not yet accepted; a message under way whose copy was taken; the rh_start of a life that crashed before; which of two
 * like dead letters a fault befell; where dead letters were sent. */
static void programs_that_were_once_wrong(void **unused)
{
    (void)unused;
    static const uint64_t seeds[] = { 164, 300, 1045, 4468, 4833, 4985, 5007, 5320, 60272, 70236 };
    struct sum sum = { 0 };
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        compare(&sum, seeds[i]);
    require_none_wrong(&sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(programs_that_were_once_wrong),
        WORLD_TEST(equal_fingerprints_have_equal_futures_in_programs_that_forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

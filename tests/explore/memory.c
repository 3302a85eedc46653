/* The exploring process does not grow with the number of runs. */
#include <fcntl.h>
#include <unistd.h>

#include "explore/support/runs.h"
#include "explore/support/senders.h"

#ifdef RH_TEST_FEW
enum { EARLY = 20000, LATE = 200000 };
#else
enum { EARLY = 100000, LATE = 2000000 };
#endif

static struct gauge_marks {
    long early_kb, late_kb;
} * marks;

static long resident_kb(void)
{
    char text[128];
    long pages = 0;
    int fd = open("/proc/self/statm", O_RDONLY);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (n > 0) {
        text[n] = 0;
        sscanf(text, "%*s %ld", &pages);
    }
    close(fd);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

struct gauge {
    struct rh_inner inner;
};
static void gauge_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct gauge *g = state;
    if (run->number == EARLY)
        marks->early_kb = resident_kb();
    if (run->number == LATE)
        marks->late_kb = resident_kb();
    rh_inner_end(&g->inner, w, run);
}
static const struct rh_explorer gauge = {
    .name = "gauge",
    .state_size = sizeof(struct gauge),
    .arguments = rh_only_arguments,
    .decorator = &rh_only_decorator,
    .open = rh_only_open,
    .end = gauge_end,
};
RH_EXPLORER(gauge)

static void check(const char *explorer, const char *senders)
{
    struct rh_param params[] = { { "n", senders } };
    marks = rh_shared_new(sizeof *marks);
    assert_non_null(marks);
    struct rh_world *w = world_of("senders", NULL, params, 1);
    struct rh_exploration *x = explored(w, explorer, 1, LATE);
    print_message("%s: %ld KB after %d runs, %ld KB after %d\n", explorer, marks->early_kb, (int)EARLY, marks->late_kb,
                  (int)LATE);
    assert_int_equal(x->results->count.runs, LATE);
    assert_in_range(marks->early_kb, 1, 1 << 30);
    assert_true(marks->late_kb - marks->early_kb < 1024); /* under memory pressure the system takes pages away */
    rh__exploration_free(x);
    rh_world_free(w);
    rh_shared_free(marks, sizeof *marks);
}

static void random_does_not_grow(void **unused)
{
    (void)unused;
    check("gauge:random", "4");
}

static void delayed_does_not_grow(void **unused)
{
    (void)unused;
    check("gauge:delayed:100", "4");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(random_does_not_grow),
        EXPLORE_TEST(delayed_does_not_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The exploring process does not grow with the number of runs. */
#include <fcntl.h>
#include <unistd.h>

#include "explore/senders.h"
#include "explore/support.h"

#ifdef __SANITIZE_ADDRESS__
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
static bool gauge_open(void *state, struct rh_exploration *x, const char *arg, char *error, size_t error_size)
{
    return rh_exploration_inner(x, arg, &((struct gauge *)state)->inner, error, error_size);
}
static uint32_t gauge_begin(void *state, struct rh_world *w)
{
    struct gauge *g = state;
    return g->inner.explorer->begin(g->inner.state, w);
}
static uint32_t gauge_choose(void *state, struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct gauge *g = state;
    return g->inner.explorer->choose(g->inner.state, w, open, count);
}
static void gauge_end(void *state, struct rh_world *w, const struct rh_run *run)
{
    struct gauge *g = state;
    if (run->number == EARLY)
        marks->early_kb = resident_kb();
    if (run->number == LATE)
        marks->late_kb = resident_kb();
    if (g->inner.explorer->end)
        g->inner.explorer->end(g->inner.state, w, run);
}
static const struct rh_explorer gauge = {
    .name = "gauge",
    .state_size = sizeof(struct gauge),
    .open = gauge_open,
    .begin = gauge_begin,
    .choose = gauge_choose,
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
    assert_int_equal(x->runs, LATE);
    assert_in_range(marks->early_kb, 1, 1 << 30);
    assert_in_range(labs(marks->late_kb - marks->early_kb), 0, 1023);
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

/* optimal makes one run for each behaviour: the behaviours of brute force, none twice, none missing, none impossible. */
#include "explore/oracle.h"

#ifdef __SANITIZE_ADDRESS__
enum { PROGRAMS = 200, LARGEST = 500 };
#else
enum { PROGRAMS = 3000, LARGEST = 6000 };
#endif

static uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

struct totals {
    uint32_t programs, too_large, different, per_model[4], per_feature[F_COUNT];
    uint64_t runs, behaviours, findings;
};

/* As large as can be compared. */
static void compare(struct features *p, struct difference *d, uint32_t largest)
{
    do
        differ(d, p, largest);
    while (d->too_large && features_shrink(p));
}

static void add_up(struct totals *t, const struct features *p, const struct difference *d)
{
    t->too_large += d->too_large;
    if (d->too_large)
        return;
    t->programs++;
    t->different += d->any;
    t->runs += d->all_runs;
    t->behaviours += d->behaviours;
    t->findings += d->findings;
    t->per_model[p->model]++;
    for (uint32_t f = 0; f < F_COUNT; f++)
        t->per_feature[f] += p->has >> f & 1;
}

static void every_behaviour_once(void **unused)
{
    (void)unused;
    struct totals t = { 0 };
    uint64_t first = number_from("REHEARSE_FIRST", 0), count = number_from("REHEARSE_PROGRAMS", PROGRAMS);
    uint64_t off = number_from("REHEARSE_WITHOUT", 0), most = number_from("REHEARSE_MOST", 3);
    uint32_t largest = (uint32_t)number_from("REHEARSE_LARGEST", LARGEST), fails = (uint32_t)number_from("REHEARSE_FAILS", 0);
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct features p;
        struct difference d;
        features_make(&p, seed);
        p.fails = fails;
        if (getenv("REHEARSE_NO_FAULTS"))
            p.losses = p.duplicates = p.crashes = p.restarts = p.kept = 0;
        if (p.has & off)
            continue;
        compare(&p, &d, largest);
        add_up(&t, &p, &d);
        if (d.any && t.different <= most) {
            fprintf(stderr, "program %llu:\n", (unsigned long long)seed);
            tell(&p, &d);
            minimise(&p, &d, largest);
            fprintf(stderr, " smaller:\n");
            tell(&p, &d);
            if (!getenv("REHEARSE_BRIEF"))
                tell_runs(&p, &d);
        }
    }
    print_message("%u programs (fifo %u, bag %u, causal %u, mailbox %u), %llu runs of dfs, %llu behaviours, %llu "
                  "findings; %u were too large, %u differ\n",
                  t.programs, t.per_model[0], t.per_model[1], t.per_model[2], t.per_model[3],
                  (unsigned long long)t.runs, (unsigned long long)t.behaviours, (unsigned long long)t.findings,
                  t.too_large, t.different);
    assert_int_equal(t.different, 0);
}

static int one_program(const char *text)
{
    struct features p;
    struct difference d;
    if (!features_read(&p, text)) {
        fprintf(stderr, "not a program: %s\n", text);
        return 2;
    }
    differ(&d, &p, 1 << 17);
    if (getenv("REHEARSE_MINIMISE") && d.any)
        minimise(&p, &d, 1 << 17);
    tell(&p, &d);
    tell_runs(&p, &d);
    return d.any;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(every_behaviour_once),
    };
    if (getenv("REHEARSE_PROGRAM"))
        return one_program(getenv("REHEARSE_PROGRAM"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* optimal beside its peers: how many runs it makes of programs that they explore, too, how many in a second, and how
 * well it estimates the number beforehand.  (The gain of several workers is in workers.c, Eta's tables are in eta.c.)
 *
 * Peers are not measured here: only Erlang is in Debian.  Their figures were measured once on a machine of this kind (2
 * cores, Debian 12, busy), in processor time, within about 50 %; their counts are exact:
 *
 *     Concuerror 0.21 [Concuerror 2013] [Abdulla 2017] on OTP 25, optimal reduction with receive patterns, its default
 *     Nidhugg, optimal, and GenMC: the same senders in C, with a mailbox behind a mutex or made of atomics
 *
 * Ours are processor time of the whole process, with the determinism check and the counting of distinct runs; the best
 * of several rounds.  Of the start, what a program of one run needs is subtracted, as the 1.5 to 2 seconds of
 * Concuerror's start are not in its figures; "with start" has the rate without that.
 *
 *     optimal [runs | speed | estimates]     all parts, or one
 *
 * GOALS: never more runs than Concuerror; at least 300 times its runs a second, 1,000 times for senders(8); 100 times
 * Nidhugg's and GenMC's. */
#include "examples.h"

/* ---- how many runs ----------------------------------------------------------------------------------------------- */

struct row {
    const char *name, *what;
    double peer;          /* Concuerror's runs; 0: it has no such program */
    double peer_found_in; /* 0 if there is nothing to find */
    const char *note;
};

#define STORE_TEST(f, b, c, r)                                                                                         \
    "store replies_are_not_mixed_up -p frontends=" #f " -p backends=" #b " -p clients=" #c " -p requests=" #r
#define STORE(f, b, c, r) "store(" #f "," #b "," #c "," #r ")", STORE_TEST(f, b, c, r)
#define SENDERS(test, n)  "senders " #test " -p senders=" #n
#define PHILOSOPHERS(n)   "philosophers -p n=" #n
#define WRITER(n)         "gatling -p bug=ga1 -p actions=" #n

static const struct row rows[] = {
    { "senders(3)", SENDERS(any_order, 3), 6, 0, "n!" },
    { "senders(4)", SENDERS(any_order, 4), 24, 0, "" },
    { "senders(5)", SENDERS(any_order, 5), 120, 0, "" },
    { "senders(6)", SENDERS(any_order, 6), 720, 0, "" },
    { "senders(7)", SENDERS(any_order, 7), 5040, 0, "" },
    { "senders(8)", SENDERS(any_order, 8), 40320, 0, "" },
    { "senders(3) by tag", SENDERS(by_tag, 3), 1, 0, "" },
    { "senders(5) by tag", SENDERS(by_tag, 5), 1, 0, "" },
    { "senders(7) by tag", SENDERS(by_tag, 7), 1, 0, "" },
    { "phils(2), naive", PHILOSOPHERS(2) " -p bug=deadlock", 3, 1, "2^n - 1" },
    { "phils(3), naive", PHILOSOPHERS(3) " -p bug=deadlock", 7, 1, "" },
    { "phils(4), naive", PHILOSOPHERS(4) " -p bug=deadlock", 15, 1, "" },
    { "phils(2), ordered", PHILOSOPHERS(2), 2, 0, "2^n - 2" },
    { "phils(3), ordered", PHILOSOPHERS(3), 6, 0, "" },
    { "phils(4), ordered", PHILOSOPHERS(4), 14, 0, "" },
    { STORE(1, 1, 3, 2), 90, 0, "(c r)! / (r!)^c" },
    { STORE(1, 1, 4, 2), 2520, 0, "" },
    { STORE(1, 1, 3, 3), 1680, 0, "" },
    { STORE(2, 2, 3, 3), 200, 0, "" },
    { STORE(2, 2, 4, 2), 244, 0, "" },
    { "writer(1)", WRITER(1) " --model fifo", 2, 2, "delivery takes time" },
    { "writer(2)", WRITER(2) " --model fifo", 12, 2, "" },
    { "writer(3)", WRITER(3) " --model fifo", 126, 2, "" },
    { "writer(4)", WRITER(4) " --model fifo", 2112, 2, "" },
    { "writer(1), instant", WRITER(1) " --model mailbox", 1, 0, "instant delivery hides the bug" },
    { "writer(2), instant", WRITER(2) " --model mailbox", 4, 0, "" },
    { "writer(3), instant", WRITER(3) " --model mailbox", 36, 0, "" },
    { "writer(4), instant", WRITER(4) " --model mailbox", 576, 0, "" },
    { "register race", "procreg a_child_gets_its_name -p bug=regrace", 2, 2, "" },
    { "register race, fixed", "procreg a_child_gets_its_name", 0, 0, "no figure of the peer" },
    { "registry: attach", "procreg a_name_has_one_owner -p bug=check_then_act", 0, 0,
      "another program than its registration server (2, 6, 6 runs)" },
    { "registry: start two", "procreg a_service_is_started_once", 0, 0, "likewise (12 runs)" },
};

static int count_runs(void)
{
    int wrong = 0;
    printf("%-22s %11s %9s %9s %14s\n", "runs", "Concuerror", "ours", "repeated", "found in run");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        struct figures f = example_test(r->what, "--explorer optimal --keep-going --max-seconds 60");
        char found[32] = "";
        if (f.found_in > 0 || r->peer_found_in > 0)
            snprintf(found, sizeof found, "%.0f (its: %.0f)", f.found_in, r->peer_found_in);
        if (!r->peer && f.found_in > 0)
            snprintf(found, sizeof found, "%.0f", f.found_in);
        printf("%-22s %11s %9s %9.0f %14s  %s\n", r->name, grouped(r->peer, 1), grouped(f.runs, f.all || f.failed > 0),
               f.runs - f.distinct, found, r->note);
        if (f.runs < 1 || (r->peer && f.runs > r->peer)) {
            printf("WRONG: more runs than the peer, or none\n");
            wrong = 1;
        }
    }
    return wrong;
}

/* ---- how many in a second ---------------------------------------------------------------------------------------- */

struct race {
    const char *name, *what, *peer;
    double low, high; /* runs a second of the peer */
    double goal;
};

static const struct race races[] = {
    { "senders(8)", SENDERS(any_order, 8), "Concuerror", 1450, 1450, 1000 },
    { "senders(8)", SENDERS(any_order, 8), "Nidhugg", 3100, 5100, 100 },
    { "senders(8)", SENDERS(any_order, 8), "GenMC", 1900, 2300, 100 },
    { STORE(1, 1, 4, 2), "Concuerror", 580, 770, 300 },
    { "senders(10)", SENDERS(any_order, 10), NULL, 0, 0, 0 },
    { STORE(1, 1, 5, 2), NULL, 0, 0, 0 },
    { "pingpong(10)", "pingpong -p n=10 --model fifo", NULL, 0, 0, 0 },
    { "barber(6)", "barber -p customers=6", NULL, 0, 0, 0 },
    { "scheduler: 3 jobs", "scheduler a_job_survives_its_machine -p jobs=3", NULL, 0, 0, 0 },
};

static struct figures best_run(const char *what)
{
    struct figures best = { 0 };
    double spent = 0;
    for (int i = 0; i < 15 && (i < 2 || spent < 2); i++) {
        struct figures f = example_test(what, "--explorer optimal --max-seconds 60");
        best = !i || f.cpu < best.cpu ? f : best;
        spent += f.cpu;
    }
    return best;
}

static void measure_speed(void)
{
    struct figures f = { 0 };
    double start = best_run(SENDERS(by_tag, 3)).cpu;
    printf("\n%-18s %10s %10s %10s %10s %9s   %-10s %13s %15s %7s\n", "one core", "runs", "runs/s", "with start",
           "steps/run", "us/run", "peer", "its runs/s", "ours to its", "goal");
    for (size_t i = 0; i < sizeof races / sizeof *races; i++) {
        const struct race *r = &races[i];
        char its[32] = "", times[48] = "", goal[16] = "";
        if (!i || strcmp(r->what, races[i - 1].what) != 0)
            f = best_run(r->what);
        double rate = f.cpu > start ? f.runs / (f.cpu - start) : 0;
        if (r->peer) {
            if (r->low < r->high) {
                snprintf(its, sizeof its, "%.0f to %.0f", r->low, r->high);
                snprintf(times, sizeof times, "%.0fx to %.0fx", rate / r->high, rate / r->low);
            } else {
                snprintf(its, sizeof its, "%.0f", r->low);
                snprintf(times, sizeof times, "%.0fx", rate / r->low);
            }
            snprintf(goal, sizeof goal, "%.0fx", r->goal);
        }
        printf("%-18s %10s %10s %10s %10.1f %9.2f   %-10s %13s %15s %7s\n", r->name, grouped(f.runs, f.all),
               grouped(rate, 1), grouped(f.cpu > 0 ? f.runs / f.cpu : 0, 1), f.runs > 0 ? f.steps / f.runs : 0,
               rate > 0 ? 1e6 / rate : 0, r->peer ? r->peer : "-", its, times, goal);
    }
    printf("start: %.1f ms of processor time, a program of one run\n", start * 1e3);
    printf("(steps of whole runs; what a run shares with the one before it is not made again)\n");
}

/* ---- how many there will be -------------------------------------------------------------------------------------- */

static const struct row spaces[] = {
    { STORE(1, 1, 4, 2), 0, 0, "" },
    { STORE(1, 1, 5, 2), 0, 0, "" },
    { STORE(2, 2, 4, 3), 0, 0, "" },
    { "phils(4)", PHILOSOPHERS(4), 0, 0, "" },
    { "phils(10)", PHILOSOPHERS(10), 0, 0, "" },
    { "barber(5)", "barber -p customers=5", 0, 0, "" },
    { "barber(6)", "barber -p customers=6", 0, 0, "" },
    { "pingpong(10), fifo", "pingpong -p n=10 --model fifo", 0, 0, "" },
    { "pingpong(10), mailbox", "pingpong -p n=10", 0, 0, "" },
    { "scheduler: once", "scheduler every_job_runs_once -p jobs=4", 0, 0, "" },
    { "scheduler: survives", "scheduler a_job_survives_its_machine -p jobs=3", 0, 0, "" },
    { "scheduler: cancelled", "scheduler a_cancelled_job_is_not_reported", 0, 0, "" },
    { "scheduler: late", "scheduler a_late_machine_does_no_harm", 0, 0, "" },
    { "store(1,1,3,2), crash", STORE_TEST(1, 1, 3, 2) " --crashes 1", 0, 0, "" },
    { "store(1,1,2,2), 2 lost", STORE_TEST(1, 1, 2, 2) " --losses 2", 0, 0, "" },
    { "senders(5), crash", SENDERS(any_order, 5) " --crashes 1", 0, 0, "" },
    { "barber(3), crash", "barber -p customers=3 --crashes 1", 0, 0, "" },
};

enum { ROUNDS = 10 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Ten estimates with ten seeds, and how many of their intervals hold the truth. */
static void print_samples(const struct row *r, double truth)
{
    double times[ROUNDS];
    int held = 0;
    for (int i = 0; i < ROUNDS; i++) {
        char how[64];
        snprintf(how, sizeof how, "--max-runs 2000 --max-seconds 5 --seed %d", i + 1);
        struct figures f = example_estimate(r->what, how);
        times[i] = f.estimate / truth;
        held += f.low <= truth && truth <= f.high;
    }
    qsort(times, ROUNDS, sizeof *times, ascending);
    printf(" %6.2f %6.2f %6.2f %8d |", times[0], (times[ROUNDS / 2 - 1] + times[ROUNDS / 2]) / 2, times[ROUNDS - 1],
           held);
}

static void measure_estimates(void)
{
    static const double parts[] = { 0.1, 0.5 };
    printf("\nHow many runs there will be, as a multiple of how many there are\n");
    printf("%-22s %9s | %-29s | %s\n", "", "", "2,000 samples, ten times", "optimal under way");
    printf("%-22s %9s | %6s %6s %6s %8s | %7s %7s %7s\n", "", "runs", "least", "median", "most", "95% held", "at 10%",
           "50%", "100%");
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        const struct row *r = &spaces[i];
        struct figures truth = example_test(r->what, "--explorer optimal --keep-going --max-seconds 60");
        if (truth.estimate != truth.runs || truth.runs < 1) { /* a test that fails has no verdict */
            printf("%-22s was not finished\n", r->name);
            continue;
        }
        printf("%-22s %9s |", r->name, grouped(truth.runs, 1));
        print_samples(r, truth.runs);
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
            char limit[64];
            double runs = (double)(long)(truth.runs * parts[k]);
            snprintf(limit, sizeof limit, "--explorer optimal --keep-going --max-runs %.0f", runs < 1 ? 1 : runs);
            printf(" %7.2f", example_test(r->what, limit).estimate / truth.runs);
        }
        printf(" %7.2f\n", truth.estimate / truth.runs);
    }
}

int main(int argc, char **argv)
{
    if (!examples_open())
        return 1;
    const char *part = argc > 1 ? argv[1] : "";
    int wrong = !*part || strcmp(part, "runs") == 0 ? count_runs() : 0;
    if (!*part || strcmp(part, "speed") == 0)
        measure_speed();
    if (!*part || strcmp(part, "estimates") == 0)
        measure_estimates();
    examples_close();
    return wrong;
}

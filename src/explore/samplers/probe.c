/* probe: how many sequences of choices there are, from random ones [Knuth 1975].
 *
 * A run takes a random open choice at each step.  The product of the numbers of open choices on its way is an estimate
 * without bias of the number of all sequences, which are the runs of dfs.  Products differ by many orders of magnitude,
 * and few large ones make up the mean: an estimate is mostly too low, and nothing in the products shows by how much.
 * So there is no upper bound.  There is a lower one: with a probability of 95 % the mean is less than 20 times the
 * number (Markov's inequality), whatever the tree. */
#include <math.h>

#include "base/random.h"
#include "explore/explorers.h"

struct probe {
    uint64_t random, runs;
    double ways; /* of the run under way */
    double sum;
};

static bool probe_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                       size_t error_size)
{
    (void)a, (void)error, (void)error_size;
    ((struct probe *)state)->random = rh__random_seed(rh_exploration_seed(x), 0x9e0be);
    return true;
}

static uint32_t probe_begin(void *state, const struct rh_world *w)
{
    (void)w;
    ((struct probe *)state)->ways = 1;
    return 1;
}

static uint32_t probe_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    (void)w, (void)open;
    struct probe *p = state;
    p->ways *= count;
    return rh__random_below(&p->random, count);
}

static void probe_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    (void)w, (void)run;
    struct probe *p = state;
    p->sum += p->ways;
    p->runs++;
}

static double probe_estimate(const void *state)
{
    const struct probe *p = state;
    return p->runs ? p->sum / (double)p->runs : 0;
}

void rh__probe_result(const void *state, uint64_t seen, struct rh__size *size)
{
    enum { CONFIDENCE = 20 }; /* one in so many bounds is wrong at most */
    const struct probe *p = state;
    double mean = probe_estimate(p), least = (double)seen;
    *size = (struct rh__size){ .samples = p->runs, .of_choices = true, .high = INFINITY };
    size->low = fmax(least, mean / CONFIDENCE);
    size->estimate = fmax(mean, least);
}

static const struct rh_explorer_report probe_report = { .estimate = probe_estimate };

const struct rh_explorer rh__explorer_probe = {
    .name = "probe",
    .summary = "random choices, to estimate how many sequences of choices there are",
    .state_size = sizeof(struct probe),
    .resets_only = true,
    .open = probe_open,
    .begin = probe_begin,
    .choose = probe_choose,
    .end = probe_end,
    .report = &probe_report,
};

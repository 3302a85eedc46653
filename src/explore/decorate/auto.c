/* auto: the explorer for a test of which nothing is known.
 *
 * One member makes every run, if there are few enough: optimal, or dpor or dfs where optimal does not apply.  The
 * others sample, each in its own way, because no sampler is the best one for every bug; plain random is one of them.
 *
 * Members take turns in slices, which are counted in steps and grow with the work done so far.  A member that goes on
 * within its slice keeps events of its last run, as it does alone.  The next slice goes to the member that is farthest
 * behind its share:
 *
 *   - every member has a floor;
 *   - a pool is divided among the samplers by what they have lately brought that is new (novelty.h);
 *   - the exhaustive member gets almost everything once its estimate says that the end is near, or within the limit of
 *     steps.
 *
 * If runs do not end (`grow`), samplers have limits of events that grow, and the exhaustive member cuts its runs early:
 * it makes every short run, and would make one long run after the other else.
 *
 * If actors write global variables, steps that a reduction takes for independent may not be; and a reduction whose runs
 * a limit has cut cannot say what it left out.  In both cases dfs replaces it. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "explore/decorate/novelty.h"
#include "explore/decorate/portfolio.h"
#include "explore/engine/engine.h"
#include "explore/explorers.h"
#include "explore/tree.h"
#include "world/live.h"

enum {
    FIRST_SLICE = 1000, /* steps */
    ONE_IN = 64,        /* a slice is at least this part of all work so far */
    SURE = 64,          /* an estimate counts after so many runs */
    LONG_RUNS = 8,      /* a sampler's slice has at least so many runs, however long they are */
    SHORT = 100,        /* events of the exhaustive member's runs, if runs do not end */
    LONG = 1000,        /* and --max-steps is longer than this */
};
static const double pool = 0.5, near_end = 16, forgets = 0.5;

/* The samplers, in the order of their first slices, and their floors: what finds most of the bugs of examples/ in least
 * time comes first and gets most (bench/results, auto).  Two of them go on from findings, if there are any and the user
 * wants more (--keep-going). */
static const struct {
    const char *name, *expression, *growing;
    double floor;
} samplers[] = { { "phases", "onward(whole(phases))", "grow(whole(phases))", 1.1 },
                 { "weighted", "whole(weighted)", "grow(whole(weighted))", 0.9 },
                 { "swarm", "onward(whole(swarm))", "grow(whole(swarm))", 0.5 },
                 { "pctcp", "whole(pctcp)", "grow(whole(pctcp))", 0.25 },
                 { "pos", "whole(pos)", "grow(whole(pos))", 0.2 },
                 { "random", "random", "grow(random)", 0.1 } };

struct share {
    char name[32];
    double floor;
    double recent; /* new features for each 1,000 steps, of late */
    uint64_t steps, runs;
    uint64_t slice_new; /* new features in this slice */
};

struct automatic {
    struct rh__portfolio members; /* first */
    struct rh_exploration *x;
    struct rh__novelty novelty;
    struct share share[RH_MOST_INNER];
    struct rh__tree tree[RH_MOST_INNER]; /* the members' expressions */
    uint32_t counters;                   /* of members' runs, also those of other workers */
    uint32_t exhaustive;                 /* number of the exhaustive member */
    uint32_t stand_in;                   /* number of the member that replaces it; RH_NONE: none */
    bool cuts;                           /* the exhaustive member cuts its runs */
    bool resting[RH_MOST_INNER];         /* a stand-in that is not needed, or the member that it has replaced */
    uint64_t steps;
    uint64_t slice, slice_runs; /* steps and runs left in this slice */
};

/* ---- members ----------------------------------------------------------------------------------------------------- */

static bool add_member(struct automatic *a, const char *name, const char *expression, double floor, char *error,
                       size_t error_size)
{
    uint32_t i = a->members.count;
    struct rh__tree *t = &a->tree[i];
    a->share[i] = (struct share){ .floor = floor };
    snprintf(a->share[i].name, sizeof a->share[i].name, "%s", name);
    if (!rh__tree_parse(t, expression, error, error_size) ||
        !rh__tree_open(a->x, t, 0, &a->members.member[i], error, error_size))
        return false;
    a->members.count++;
    return true;
}

static bool add_exhaustive(struct automatic *a, const char *explorer, char *error, size_t error_size)
{
    char expression[32];
    if (a->cuts)
        snprintf(expression, sizeof expression, "bound(%d, %s)", SHORT, explorer);
    else
        snprintf(expression, sizeof expression, "%s", explorer);
    return add_member(a, expression, expression, 0.4, error, error_size);
}

/* The explorer that makes every run with these semantics.  `shared`: it must be able to share its work. */
static const char *exhaustive_for(const struct rh_semantics *s, bool shared)
{
    char why[256];
    if (!rh__optimal_refuses(s, why, sizeof why))
        return "optimal";
    return shared || s->fail_allocation ? "dfs" : "dpor";
}

static bool auto_open(void *state, struct rh_exploration *x, const struct rh_arguments *args, char *error,
                      size_t error_size)
{
    struct automatic *a = state;
    bool shared = rh_arguments_has(args, "shared");
    const char *every = exhaustive_for(rh_world_semantics(x->world), shared);
    a->x = x;
    a->stand_in = RH_NONE;
    if (!rh__novelty_open(&a->novelty, x)) {
        snprintf(error, error_size, "no memory for explorer auto");
        return false;
    }
    bool grow = rh_arguments_has(args, "grow");
    a->cuts = grow && rh_exploration_max_steps(x) > LONG;
    if (!add_exhaustive(a, every, error, error_size))
        return false;
    for (size_t i = 0; i < sizeof samplers / sizeof *samplers; i++)
        if (!add_member(a, grow ? samplers[i].growing : samplers[i].name,
                        grow ? samplers[i].growing : samplers[i].expression, samplers[i].floor, error, error_size))
            return false;
    x->is_reduction = rh__tree_is_reduction(&a->tree[a->exhaustive]);
    if (x->is_reduction && !shared) {
        a->stand_in = a->members.count;
        a->resting[a->stand_in] = true;
        if (!add_exhaustive(a, "dfs", error, error_size))
            return false;
    }
    a->counters = rh__exploration_counters(x, a->members.count);
    return true;
}

/* A reduction is of no use for a program whose actors write global variables, and makes no promise if a limit of steps
 * has cut its runs.  Then the stand-in takes its place. */
static void replace_reduction(struct automatic *a, const struct rh_world *w)
{
    bool unsound = rh__world_hides_causes(w) && !a->x->trusts_globals;
    if (a->stand_in == RH_NONE || a->exhaustive == a->stand_in || !(unsound || a->members.done[a->exhaustive]))
        return;
    a->resting[a->exhaustive] = true;
    a->resting[a->stand_in] = false;
    a->exhaustive = a->stand_in;
    a->x->is_reduction = false;
}

static bool is_active(const struct automatic *a, uint32_t i)
{
    return !a->members.done[i] && !a->resting[i];
}

/* ---- shares ------------------------------------------------------------------------------------------------------ */

/* True if the exhaustive member seems to need less than the limit of steps leaves, or little more than was done
 * already. */
static bool end_is_near(const struct automatic *a)
{
    const struct share *s = &a->share[a->exhaustive];
    double runs = a->x->sampled.runs; /* if there was one before the search: it has seen all parts of the tree */
    if (runs <= 0 || a->exhaustive == a->stand_in)
        runs = rh_inner_estimate(&a->members.member[a->exhaustive]);
    if (s->runs < SURE || runs <= 0)
        return false;
    double left = (runs - (double)s->runs) * (double)s->steps / (double)s->runs;
    uint64_t limit = a->x->limits.max_all_steps;
    return left < 2 * (double)a->steps || (limit > a->steps && left < 0.8 * (double)(limit - a->steps));
}

static double weight_of(const struct automatic *a, uint32_t i, double all_recent)
{
    const struct share *s = &a->share[i];
    if (i == a->exhaustive)
        return end_is_near(a) ? near_end : s->floor;
    return s->floor + (all_recent > 0 ? pool * s->recent / all_recent : 0);
}

/* Gives the turn to the member that is farthest behind its share.  False if no member is left. */
static bool next_turn(struct automatic *a)
{
    struct rh__portfolio *p = &a->members;
    double all_recent = 0, least = 0;
    uint32_t best = RH_NONE;
    for (uint32_t i = 0; i < p->count; i++)
        all_recent += is_active(a, i) ? a->share[i].recent : 0;
    for (uint32_t i = 0; i < p->count; i++) {
        if (!is_active(a, i))
            continue;
        double behind = (double)a->share[i].steps / weight_of(a, i, all_recent);
        if (best == RH_NONE || behind < least) {
            best = i;
            least = behind;
        }
    }
    if (best == RH_NONE)
        return false;
    p->turn = best;
    a->slice = FIRST_SLICE + a->steps / ONE_IN;
    a->slice_runs = LONG_RUNS;
    a->share[best].slice_new = 0;
    return true;
}

/* What a member has brought counts by the work it took, and is forgotten by and by. */
static void end_slice(struct automatic *a)
{
    struct share *s = &a->share[a->members.turn];
    uint64_t steps = FIRST_SLICE + a->steps / ONE_IN;
    s->recent = forgets * s->recent + (1 - forgets) * 1000 * (double)s->slice_new / (double)steps;
    if (s->recent < 1e-6)
        s->recent = 0;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

static uint32_t auto_begin(void *state, const struct rh_world *w)
{
    struct automatic *a = state;
    struct rh__portfolio *p = &a->members;
    replace_reduction(a, w);
    bool goes_on = a->slice > 0 && is_active(a, p->turn);
    while (goes_on || next_turn(a)) {
        uint32_t keep = rh__portfolio_begin_member(p, w);
        if (keep)
            return goes_on ? keep : 1;
        if (rh__portfolio_is_settled(p))
            return 0;
        replace_reduction(a, w);
        goes_on = false;
    }
    return 0;
}

static void auto_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct automatic *a = state;
    struct share *s = &a->share[a->members.turn];
    uint64_t cost = run->events; /* also those that the run kept: limits count them, too */
    a->steps += cost;
    s->steps += cost;
    s->runs++;
    rh__exploration_count(a->x, a->counters, a->members.turn);
    s->slice_new += rh__novelty_add(&a->novelty, w);
    a->slice_runs -= a->slice_runs > 0;
    a->slice -= cost < a->slice ? cost : a->slice;
    if (!a->slice && a->slice_runs && a->members.turn != a->exhaustive)
        a->slice = 1;
    if (!a->slice)
        end_slice(a);
    rh_inner_end(&a->members.member[a->members.turn], w, run);
}

/* ---- reports ----------------------------------------------------------------------------------------------------- */

static enum rh_verdict auto_verdict(const void *state)
{
    const struct automatic *a = state;
    if (!a->members.done[a->exhaustive])
        return RH_VERDICT_SAMPLED;
    enum rh_verdict v = rh_inner_verdict(&a->members.member[a->exhaustive]);
    return a->cuts && v != RH_VERDICT_EXHAUSTIVE ? RH_VERDICT_SAMPLED : v; /* the bound is ours, not the user's */
}

static double auto_estimate(const void *state)
{
    const struct automatic *a = state;
    return rh_inner_estimate(&a->members.member[a->exhaustive]);
}

static void add_limits(const struct automatic *a, struct rh__text *t)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t i = 0; i < a->members.count; i++) {
        uint32_t limit = rh__grow_limit(&a->members.member[i]);
        least = limit && limit < least ? limit : least;
        most = limit > most ? limit : most;
    }
    rh__text_add(t, "\nruns that did not end were cut: by bound after %d events, by grow after %d at first", SHORT,
                 RH__GROW_FIRST);
    if (!a->novelty.runs)
        rh__text_add(t, ", and later in each worker"); /* which know how late */
    else
        rh__text_add(t, least == most ? ", %u now" : ", %u to %u now", least, most);
}

static void auto_notes(const void *state, char *buffer, size_t size)
{
    const struct automatic *a = state;
    struct rh__text t;
    uint64_t all = 0;
    rh__text_init(&t, buffer, size);
    for (uint32_t i = 0; i < a->members.count; i++)
        all += rh__exploration_count_of(a->x, a->counters, i);
    if (rh__exploration_count_of(a->x, a->counters, a->exhaustive) == all)
        return;
    for (uint32_t i = 0; i < a->members.count; i++) {
        uint64_t runs = rh__exploration_count_of(a->x, a->counters, i);
        if (runs)
            rh__text_add(&t, "%s%llu by %s", t.len ? ", " : "runs: ", (unsigned long long)runs, a->share[i].name);
    }
    if (a->cuts)
        add_limits(a, &t);
}

const struct rh__novelty *rh__auto_novelty(const struct rh_exploration *x)
{
    const struct automatic *a = x->explorer.explorer == &rh__explorer_auto ? x->explorer.state : NULL;
    return a && a->novelty.runs ? &a->novelty : NULL;
}

/* ---- sharing ----------------------------------------------------------------------------------------------------- */

static bool auto_unpack(void *state, const struct rh_world *w, const void *item, size_t size)
{
    struct automatic *a = state;
    bool good = rh__portfolio_unpack(state, w, item, size);
    a->slice = 0;
    return good;
}

static const struct rh_explorer_report auto_report = { .verdict = auto_verdict,
                                                       .estimate = auto_estimate,
                                                       .notes = auto_notes };
static const struct rh_explorer_share auto_shares = { .can = rh__portfolio_can_share,
                                                      .pack = rh__portfolio_pack,
                                                      .unpack = auto_unpack,
                                                      .claim = rh__portfolio_claim,
                                                      .share = rh__portfolio_share };
static const char *auto_name_of(const void *state, uint32_t inner)
{
    return ((const struct automatic *)state)->share[inner].name;
}
static const struct rh_explorer_decorator auto_decorator = { .inner = rh__portfolio_members, .name_of = auto_name_of };

static const struct rh_argument auto_arguments[] = {
    { .name = "shared", .kind = RH_ARGUMENT_FLAG, .help = "only members that share their work with other workers" },
    { .name = "grow", .kind = RH_ARGUMENT_FLAG, .help = "runs do not end: samplers have limits that grow" },
    { .name = NULL },
};

const struct rh_explorer rh__explorer_auto = {
    .name = "auto",
    .summary = "every run if there are few, else samplers by what they bring",
    .state_size = sizeof(struct automatic),
    .arguments = auto_arguments,
    .prefers_object = true,
    .is_reduction = true, /* unless dfs makes every run: auto_open says so */
    .needs_beginning = true,
    .open = auto_open,
    .begin = auto_begin,
    .end = auto_end,
    .report = &auto_report,
    .share = &auto_shares,
    .decorator = &auto_decorator,
};

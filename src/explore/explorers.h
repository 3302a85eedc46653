/* The explorers of the tool. */
#ifndef RH_EXPLORE_EXPLORERS_H
#define RH_EXPLORE_EXPLORERS_H

#include <rehearse/explorer.h>

/* Beside RH_NONE, RH_PRUNED and RH_ABANDON: ends the run here as a finding, because a monitor stays hot in a loop. */
#define RH_LASSO 0xfffffffcu
/* Drops the run as RH_ABANDON does, but its steps and a failing one that it lacks are a run of the program: what its
 * properties were counts. */
#define RH_ASIDE 0xfffffffbu

extern const struct rh_explorer rh__explorer_roundrobin, rh__explorer_random, rh__explorer_delayed, rh__explorer_dfs,
    rh__explorer_dpor, rh__explorer_optimal, rh__explorer_sample, rh__explorer_replay, rh__explorer_bound,
    rh__explorer_portfolio, rh__explorer_symmetry, rh__explorer_cover, rh__explorer_weighted, rh__explorer_swarm,
    rh__explorer_pos, rh__explorer_pct, rh__explorer_pctcp, rh__explorer_stateful, rh__explorer_delay,
    rh__explorer_phases, rh__explorer_grow, rh__explorer_preempt, rh__explorer_auto, rh__explorer_feedback,
    rh__explorer_urw, rh__explorer_probe, rh__explorer_surw, rh__explorer_onward, rh__explorer_scatter,
    rh__explorer_whole;
extern const struct rh_explorer rh__explorer_reach; /* only in programs that count their blocks */

/* Estimated number of distinct runs, from samples that saw `seen` of them. */
struct rh__size {
    uint64_t samples;           /* runs */
    bool exact;                 /* the samples were all runs */
    bool cut;                   /* runs were cut: there are at least `low`, and nothing is known above */
    bool of_choices;            /* the number of sequences of choices, which are the runs of dfs */
    double estimate, low, high; /* 95 % confidence interval, over many programs */
};
void rh__probe_result(const void *state, uint64_t seen, struct rh__size *size); /* at least `seen` */
void rh__sample_result(const void *state, uint64_t seen, struct rh__size *size);
/* Runs were cut.  What would have followed could have changed earlier choices, so the tree of `optimal` is a part of
 * what it would be: the estimate is the number of runs that `optimal` would make, not of those that there are. */
void rh__sample_was_cut(struct rh__size *size, uint64_t seen);

/* What the runs of auto have shown (decorate/novelty.h); NULL if another explorer or other processes made them. */
struct rh__novelty;
const struct rh__novelty *rh__auto_novelty(const struct rh_exploration *x);
/* True if `optimal` does not support these semantics with granularity object; `error` says why. */
bool rh__optimal_refuses(const struct rh_semantics *s, char *error, size_t error_size);

/* Result of a replay: the line that did not fit and the possible choices, or "" if all lines fitted. */
const char *rh__replay_divergence(const void *state);
/* True if the run has continued after the last line. */
bool rh__replay_went_on(const void *state);
/* The run was ended where only timers were left, as the last line of the schedule wants. */
bool rh__replay_rested(const void *state);

/* The first explorer in this tree of explorers that has needs_beginning; NULL: none. */
const struct rh_explorer *rh__inner_needs_beginning(const struct rh_inner *e);
/* True if every run of the explorer begins anew: it can go on from any run. */
bool rh__inner_only_resets(const struct rh_inner *e);

struct rh_world *rh__exploration_world(const struct rh_exploration *x);
/* The temperature that the test asks for, if the explorer looks for loops of states instead; else 0. */
uint32_t rh__exploration_unused_temperature(const struct rh_exploration *x);
/* The limit of events of grow(...) now; 0 for other explorers. */
enum { RH__GROW_FIRST = 100 };
uint32_t rh__grow_limit(const struct rh_inner *inner);
/* For filters: the largest number of choices enabled at once, and the flag that a filter sets when a bound hides
 * choices. */
size_t rh__exploration_most_choices(const struct rh_exploration *x);
bool *rh__exploration_bounded(struct rh_exploration *x);

/* For sets of visited states.  The number of events that the engine makes to reach the work of an item before the run
 * under way; 0: none. */
uint32_t rh__exploration_lead(const struct rh_exploration *x);
/* An explorer starts over from the beginning, and must not be told that it has visited a state before.  restarts says
 * how often that has happened. */
void rh__exploration_restart(struct rh_exploration *x);
uint32_t rh__exploration_restarts(const struct rh_exploration *x);

struct rh_visited;
/* No two processes use the set at the same time: operations cost less. */
void rh__visited_alone(struct rh_visited *v);
/* rh_visited_has or rh_visited_add will be called for this fingerprint soon. */
void rh__visited_prefetch(struct rh_visited *v, struct rh_fingerprint f);

/* In `open`: a temporary file without a name, in the folder of TMPDIR or in /var/tmp, for what does not fit into
 * memory.  All processes of the exploration have it, and it is closed at the end.  -1: there is none. */
int rh__exploration_file(struct rh_exploration *x);

/* In `open`, for searches in rounds: lets the workers of this exploration see memory.  Returns its number, by which the
 * same explorer in a worker finds it; NULL there: this exploration is no worker. */
uint32_t rh__exploration_publish(struct rh_exploration *x, void *memory);
void *rh__exploration_published(const struct rh_exploration *x, uint32_t number);

/* For bounds around explorers that compare states: in `hide` or `choose`, what the bound
 * knows about the run besides its state.
 * rh__exploration_state is the fingerprint of the state with this mark. */
void rh__exploration_mark(struct rh_exploration *x, uint64_t mark);
struct rh_fingerprint rh__exploration_state(const struct rh_exploration *x, const struct rh_world *w);
/* Steps are left out, because they lead to visited states: counts as a pruned run. */
void rh__exploration_leaves_out(struct rh_exploration *x);
/* True if the exploration has this explorer, by its state, and nothing around it: it sees all open choices. */
bool rh__exploration_is_only(const struct rh_exploration *x, const void *state);
/* True if each step has to be made, even if it is known where it leads: a bound marks states, or coverage is
 * measured. */
bool rh__exploration_needs_steps(const struct rh_exploration *x);

/* For lassos (engine/loop.h), in `choose`.  The loop begins in this state.  The loop ends in this state, and the
 * monitor (RH_NONE: any) was hot all the time: NULL, and the explorer returns RH_LASSO; or what is wrong with the
 * loop. */
void rh__exploration_loop_begins(struct rh_exploration *x, const struct rh_world *w);
const char *rh__exploration_loop_ends(struct rh_exploration *x, const struct rh_world *w, uint32_t monitor);

/* Counters of an explorer for its notes, which add up over workers.  In `open`: takes `count` of them and returns the
 * first; RH_NONE if there are not so many left, and then nothing is counted. */
uint32_t rh__exploration_counters(struct rh_exploration *x, uint32_t count);
void rh__exploration_count(struct rh_exploration *x, uint32_t counters, uint32_t which);
uint64_t rh__exploration_count_of(const struct rh_exploration *x, uint32_t counters, uint32_t which);

/* Number of events in the run. */
static inline uint32_t rh__depth(const struct rh_world *w)
{
    uint32_t n;
    rh_world_events(w, &n);
    return n;
}

#endif

/* The parts of the explorer `optimal`: optimal.c searches, optimal_steps.c chooses the steps of a run, sample.c
 * explores random parts of the same tree. */
/* Private to src/explore/optimal. */
#ifndef RH_EXPLORE_OPTIMAL_H
#define RH_EXPLORE_OPTIMAL_H

#include "explore/optimal/graph.h"

struct optimal {
    struct optimal_graph graph;
    bool whole; /* all of the tree is left, and no run was made */
    bool diverged, full;
    bool cut;    /* a run was cut: its missing events could have revisited earlier events */
    bool failed; /* the last run ended in a failing step */
    bool on_way; /* the graph is ready to continue: `begin` need not search for an option */
    uint64_t runs;
    double initial, given;   /* share of the tree at the start, and the share given away since */
    struct sampler *sampler; /* draws the options to explore; NULL: all are explored */
};

bool rh__optimal_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                      size_t error_size);
extern const struct rh_argument rh__optimal_arguments[];
uint32_t rh__optimal_begin(void *state, const struct rh_world *w);
uint32_t rh__optimal_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count);
void rh__optimal_end(void *state, const struct rh_world *w, const struct rh_run *run);

/* Continues the graph with the next option of a node.  Returns how many steps of the world's run remain valid. */
uint32_t rh__optimal_take_option(struct optimal *o, uint32_t stamp);
uint32_t rh__optimal_last_with_options(const struct optimal_graph *g);
/* Returns the index of the node's step among the enabled choices.  If the step is not enabled, returns RH_NONE and
 * marks the explorer as diverged. */
uint32_t rh__optimal_step_again(struct optimal *o, const struct rh_world *w, uint32_t stamp,
                                const struct rh_choice *open, uint32_t count);
/* Adds all sends of the steps made so far.  Returns false if a sampler does not continue with this graph. */
bool rh__optimal_add_sends(struct optimal *o, const struct rh_world *w);

#endif

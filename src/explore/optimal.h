/* The parts of the explorer `optimal`: optimal.c searches, optimal_steps.c makes the steps of a run, descents.c goes down the same
 * tree at random. */
#ifndef RH_EXPLORE_OPTIMAL_H
#define RH_EXPLORE_OPTIMAL_H

#include "explore/graph.h"

struct optimal {
    struct graph graph;
    bool started, confused, full;
    bool cut;      /* a run was: what would have come behind could change what came before */
    bool failed;   /* the last run ended in a step that fails */
    bool sampling; /* one random way down the tree for each run */
    bool on_way;   /* the graph is the next to go on with: begin need not look for one */
    uint64_t runs, samples;
    double initial, given; /* share of the tree that was to do, and that was given away since */
    uint64_t random;
    double weight; /* sampling: how many leaves this one stands for */
    double sum, squares;
};

bool rh__optimal_open(void *state, struct rh_exploration *x, const char *arg, char *error, size_t error_size);
uint32_t rh__optimal_begin(void *state, struct rh_world *w);
uint32_t rh__optimal_choose(void *state, struct rh_world *w, const struct rh_choice *open, uint32_t count);
void rh__optimal_end(void *state, struct rh_world *w, const struct rh_run *run);

/* The list goes on with the next option of a node; gives how many steps of the world's run remain. */
uint32_t rh__optimal_take_option(struct optimal *o, uint32_t stamp);
uint32_t rh__optimal_last_with_options(const struct graph *g);
/* Which of the open choices is this node's step; RH_NONE, and the explorer is confused, if it is not there. */
uint32_t rh__optimal_step_again(struct optimal *o, struct rh_world *w, uint32_t stamp, const struct rh_choice *open,
                                uint32_t count);
/* Adds all sends of steps that were made; false where a sampler has gone off to another graph. */
bool rh__optimal_add_sends(struct optimal *o, struct rh_world *w);

#endif

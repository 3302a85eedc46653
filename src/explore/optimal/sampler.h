/* Which children of the nodes of optimal's tree a sample explores (sampler.c); the explorer `sample` is in sample.c. */
/* Private to src/explore/optimal. */
#ifndef RH_EXPLORE_SAMPLER_H
#define RH_EXPLORE_SAMPLER_H

#include "explore/optimal/optimal.h"

/* A child of a node of the tree. */
struct sampler_child {
    uint64_t key;       /* children with equal keys are expected to have equally many leaves */
    double probability; /* with which it was taken */
    double leaves;      /* expected below it */
};

/* A node of the tree on the path to the current one. */
struct sampler_frame {
    uint32_t node;            /* in graph.nodes */
    double weight;            /* number of nodes that it stands for */
    struct sampler_child now; /* the child under way */
    double below;             /* estimated leaves below that child, so far */
    double sum;               /* estimated leaves below the children before it */
};

struct sampler_mean {
    uint64_t key; /* 0: free */
    double weight, leaves;
};

struct sampler {
    struct optimal search; /* the graph and the world; its choices ask this sampler */
    uint64_t random;

    struct sampler_frame *frames; /* the first one is the whole tree */
    uint32_t frame_count;
    struct sampler_child *children; /* by index in graph.options */
    struct sampler_mean *means;
    uint32_t mean_count;

    /* The tour under way. */
    double target;     /* a leaf shall stand for so many leaves */
    double aim;        /* number of leaves that the tour shall find */
    uint64_t found;    /* leaves of this tour */
    uint64_t patience; /* so many leaves are too many: the target rises */
    bool whole;        /* it has taken every child, with certainty */

    /* All tours. */
    uint32_t round, tours; /* number of finished rounds, and of finished tours in this round */
    uint64_t leaves;
    bool exact; /* the last tour took every child of every node: its estimate is the number */
    double exactly;
    uint64_t count;           /* of finished tours */
    double weights, weighted; /* sums over finished tours: aim, aim * estimate */
    double squares[3];        /* of aim^2 * estimate^0, 1, 2 */
};

bool rh__sampler_open(struct sampler *s, struct rh_exploration *x);
void rh__sampler_begin_tour(struct sampler *s);
void rh__sampler_end_tour(struct sampler *s);
/* Estimated leaves of the tour under way: what it has not explored yet is taken as expected. */
double rh__sampler_estimate_tour(const struct sampler *s);

/* A node is about to be added at `stamp`, or was added, with options.  Draws which to explore, and puts those first.
 * Returns how many; `*stays` says whether to continue with the node as it is, which only nodes other than events can.
 * If there is nothing to continue with, the path ends here. */
uint32_t rh__sampler_draw(struct sampler *s, enum optimal_node_kind kind, uint32_t stamp, uint32_t options,
                          uint32_t count, bool *stays);
/* The search goes on with the next option of a node, given by its index in graph.nodes. */
void rh__sampler_next_child(struct sampler *s, uint32_t node);
/* A run has ended. */
void rh__sampler_add_leaf(struct sampler *s, bool counts);

#endif

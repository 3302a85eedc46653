/* The state of the explorer dpor.
 *
 *     dpor.c    the explorer: the next choice, and what it finds at each step
 *     races.c   what a run asks for: the races between its events, and the choices that reverse them
 *     items.c   parts of the search as items of work
 *     images.c  what is left out because actors are alike
 *
 * What a run asks for is a function of the run alone: neither of earlier runs nor of what is selected already.  So the
 * explored tree is the least one that holds its first run, and with each run all that the run asks for.  It is the same
 * tree in whatever order, and by however many processes, its runs are made (items.c). */
/* Private to src/explore/dpor. */
#ifndef RH_EXPLORE_DPOR_H
#define RH_EXPLORE_DPOR_H

#include "explore/dpor/dependence.h"
#include "explore/dpor/images.h"
#include "explore/engine/tree_estimate.h"

/* Marks of a choice. */
enum {
    SELECTED = 1, /* explored by somebody: here or elsewhere, before or later */
    UNTRIED = 2,  /* ... here, and not begun */
    CLAIMED = 4,  /* ... by whoever is first to claim it; the claim was not written yet */
};

struct node {
    uint32_t first, count; /* of its choices in `choice` */
    uint32_t pick;
    uint16_t taken; /* of an item: a hash of the choice at `pick` */
};

enum { MOST_CHOICES = 1 << 24 };

struct dpor {
    struct rh__history history;
    struct node *node;               /* node[i] is before event i + 1 */
    struct rh__level *level, *space; /* estimates over the selected and over all choices */
    struct rh_choice *choice;
    unsigned char *marks; /* one for each choice */
    uint32_t top, floor;  /* nodes; a decorator takes the choices before the floor */
    uint32_t fresh;       /* the first event that was not studied */
    bool of_all;          /* estimate all sequences of choices, not only the selected ones */
    bool whole;           /* all of the tree is left, and no run was made */
    bool placed, cut;
    bool diverged; /* the program did not repeat what it did after the same choices */
    bool full;     /* out of memory */
    bool over;     /* a run was not examined to its end */
    struct rh_exploration *exploration;
    struct dpor_images images;

    /* See items.c. */
    uint32_t steps;  /* nodes that there is room for */
    uint32_t shared; /* nodes before this one are on the way of other processes, too */
    uint32_t claims; /* number of choices with CLAIMED */
    uint32_t bare;   /* the choices of nodes before this one are not known yet: they come from an item */
    bool moved;      /* the nodes come from an item, and no run has followed them yet */
    bool unlinked;   /* ... and no run was placed yet */
};

/* The index of a choice at the node; RH_NONE if it was not open. */
uint32_t rh__dpor_place_of(const struct dpor *d, uint32_t node, const struct rh_choice *c);
/* The choice is to be explored. */
void rh__dpor_mark(struct dpor *d, uint32_t node, uint32_t place);

enum how_it_ended { AT_REST, EARLY, CUT };
/* Selects what the run asks for. */
void rh__dpor_study(struct dpor *d, const struct rh__run *r, enum how_it_ended how);

/* A hash of the choice, the same in all processes. */
uint16_t rh__dpor_taken(const struct rh_choice *c);
extern const struct rh_explorer_share rh__dpor_share;

#endif

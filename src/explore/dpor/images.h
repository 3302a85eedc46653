/* symmetry(dpor): what is left out because actors are alike (explore/exchange.h has the classes).
 *
 * Exchanging two actors a and b of a class maps the k-th event of a to the k-th event of b, every other event to
 * itself, and each message accordingly.  Where that maps the events before a node to themselves, with all that orders
 * them, the runs behind a choice are the images of the runs behind the image of the choice.  So of such choices the
 * first one at the node is explored in place of all of them [Emerson, Jha and Peled 1997, for states].
 *
 * What a run asks for is a matter of the events before it, too (races.c), and the image of a run that is made asks for
 * something else.  Let a choice be left out between an event e and a later one, x, that races with it:
 *
 *     e is of no actor of the class     the images ask, before e, for the images of what the run asks for there.  Where
 *                                       one of them is not open, all choices are selected.
 *     e is of an actor of the class     the images ask for something before the image of e.  All choices are selected
 *                                       there.
 *
 * More than is necessary is always sound. */
/* Private to src/explore/dpor. */
#ifndef RH_EXPLORE_DPOR_IMAGES_H
#define RH_EXPLORE_DPOR_IMAGES_H

#include "explore/dpor/dependence.h"
#include "explore/exchange.h"

enum { MOST_PAIRS = 496 }; /* 32 actors that are alike; more are explored as without symmetry */

struct dpor_pair {
    uint32_t one, other;
    uint32_t apart; /* the first event of the run that tells them apart for good; RH_NONE: none does */
};

struct dpor_images {
    struct rh__exchange *rule; /* NULL: nothing is left out */
    bool found;                /* the pairs are known */
    uint32_t pairs;
    struct dpor_pair pair[MOST_PAIRS];
    unsigned char *class_of; /* by actor: from 1 to 64; 0: alike to no other */
    uint32_t *ordinal;       /* by event: number of earlier events of its actor */
    uint64_t *left_out;      /* by node: classes of which a choice is left out there */
    uint32_t *first;         /* by choice: the place of the choice at its node that is explored in its place */
    uint32_t unit;           /* what is studied: the later event of the race */
};

struct dpor;
/* After a run: what can be left out at its nodes from this one on. */
void rh__dpor_images_find(struct dpor *d, const struct rh__run *r, uint32_t node);
/* Selects the choice, and what the images of the run would ask for. */
void rh__dpor_images_want(struct dpor *d, const struct rh__run *r, uint32_t node, uint32_t place);

#endif

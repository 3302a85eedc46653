/* Cuts: how a partition divides the nodes of the network.  A cut is `what` of a choice of kind RH_CHOICE_PARTITION; 0
 * is no cut.  Bits 0 to 15 say of each node whether it is in the group that the shape, in bits 16 and 17, is about;
 * or there are three bits for each of the first five nodes, the number of its group.  Nodes that come later are with
 * the rest. */
#ifndef RH_WORLD_CUTS_H
#define RH_WORLD_CUTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum rh__cut_shape {
    RH__CUT_HALVES,  /* the group and the rest do not hear each other */
    RH__CUT_UNHEARD, /* the rest does not hear the group */
    RH__CUT_APART,   /* the nodes of the group do not hear each other; the rest hears all */
    RH__CUT_GROUPS,  /* nodes of different groups do not hear each other */
};

enum { RH__CUT_NODES = 16, RH__CUT_GROUPED = 5 };

static inline uint32_t rh__cut(enum rh__cut_shape shape, uint32_t nodes)
{
    return (uint32_t)shape << RH__CUT_NODES | nodes;
}

static inline enum rh__cut_shape rh__cut_shape(uint32_t cut)
{
    return (enum rh__cut_shape)(cut >> RH__CUT_NODES & 3);
}

/* The group of a node; 0 is the rest, which is also where no node is (RH_NONE). */
static inline uint32_t rh__cut_group(uint32_t cut, uint32_t node)
{
    if (rh__cut_shape(cut) == RH__CUT_GROUPS)
        return node < RH__CUT_GROUPED ? cut >> 3 * node & 7 : 0;
    return node < RH__CUT_NODES ? cut >> node & 1 : 0;
}

/* True if node `to` does not hear node `from`. */
static inline bool rh__cut_divides(uint32_t cut, uint32_t from, uint32_t to)
{
    uint32_t a = rh__cut_group(cut, from), b = rh__cut_group(cut, to);
    switch (rh__cut_shape(cut)) {
    case RH__CUT_UNHEARD:
        return a && !b;
    case RH__CUT_APART:
        return a && b && from != to;
    default:
        return a != b;
    }
}

/* Adds the cut as text, as in a schedule: "the network splits: a#1 b#1" (from the rest).  `nodes` is how many there
 * are, and `add` adds the name of one, with a space before it. */
void rh__cut_text(uint32_t cut, uint32_t nodes, void (*add)(void *arg, uint32_t node, struct rh__text *t), void *arg,
                  struct rh__text *t);

#endif

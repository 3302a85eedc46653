#include "world/cuts.h"

struct naming {
    uint32_t cut, nodes;
    void (*add)(void *arg, uint32_t node, struct rh__text *t);
    void *arg;
    struct rh__text *text;
};

/* Gives how many nodes the group has. */
static uint32_t add_group(const struct naming *n, uint32_t group)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->nodes; i++)
        if (rh__cut_group(n->cut, i) == group) {
            n->add(n->arg, i, n->text);
            count++;
        }
    return count;
}

/* The rest is not named: nodes that come later belong to it, and must not change the text. */
void rh__cut_text(uint32_t cut, uint32_t nodes, void (*add)(void *arg, uint32_t node, struct rh__text *t), void *arg,
                  struct rh__text *t)
{
    static const char *const ends[] = { [RH__CUT_HALVES] = "",
                                        [RH__CUT_UNHEARD] = " not heard by the rest",
                                        [RH__CUT_APART] = " not heard by each other" };
    struct naming n = { cut, nodes, add, arg, t };
    rh__text_add(t, "the network splits:");
    if (rh__cut_shape(cut) != RH__CUT_GROUPS) {
        add_group(&n, 1);
        rh__text_add(t, "%s", ends[rh__cut_shape(cut)]);
        return;
    }
    for (uint32_t group = 1; group < 8; group++)
        if (add_group(&n, group))
            rh__text_add(t, " |");
    rh__text_add(t, " the rest");
}

/* symmetry:EXPLORER: as EXPLORER wants, but of choices that differ only in which of several actors that are alike they
 * concern it sees one.
 *
 * Actors a and b are alike in a state s if exchanging them gives s again (world/alike.h).  Then a choice t that concerns b
 * and its image under the exchange lead to states that differ by the exchange alone, and so does all that follows: it is
 * enough to take one.  t is left out where a is older than b and t does not concern a; its image has the older one in
 * the younger one's place, so the oldest image is never left out.  (Ip and Dill, "Better verification through symmetry",
 * 1996, without their types that declare it: here the state is looked at.)
 *
 * That is sound for whoever takes all or any of the choices it is offered.  A reduction by order (dpor, optimal) goes by
 * which steps it has seen in other runs, and these would be left out here: it is refused.
 *
 * What the images have in common ends where the program asks for a name or a random number, or changes a global variable:
 * those are not exchanged with the actors.  When a run has done so, EXPLORER begins again from the start, a second one of
 * its kind, and sees all choices.  That is between runs: during one nothing changes, so that a run that is made again has
 * the same choices. */
#include <stdio.h>
#include <string.h>

#include "explore/engine.h"
#include "explore/explorers.h"
#include "world/alike.h"

struct symmetry {
    struct rh_inner inner[2]; /* that sees one of each; that sees all */
    uint32_t plain;           /* which of them explores */
    bool gave_up;             /* the second one has, or had, all there is to explore */
    bool left_out;            /* something was, */
    bool told;                /* and a run has told actors apart */
    bool looked;              /* at globals */
    unsigned char *in_globals;
    struct rh_choice *seen; /* by the inner one */
    uint32_t *index;        /* of each in what is open */
};

static const struct rh_inner *symmetry_inner(const void *state, uint32_t *count, uint32_t *now)
{
    const struct symmetry *s = state;
    *count = 2;
    *now = s->plain;
    return s->inner;
}

static bool symmetry_open(void *state, struct rh_exploration *x, const char *arg, char *error, size_t error_size)
{
    struct symmetry *s = state;
    struct rh_world *w = x->world;
    if (!*arg) {
        snprintf(error, error_size, "symmetry wants an explorer, as in symmetry:dfs");
        return false;
    }
    if (rh__explorer_reduces(arg)) {
        snprintf(error, error_size,
                 "symmetry:%s: leaving out orders and leaving out images of actors do not go together; "
                 "symmetry goes with dfs, random, delayed, and bound and portfolio of these",
                 arg);
        return false;
    }
    if (w->semantics.model == RH_CAUSAL || w->semantics.granularity == RH_GRAIN_SEND ||
        w->semantics.granularity == RH_GRAIN_OBJECT) {
        snprintf(error, error_size,
                 "symmetry:%s: under causal, and with granularity send or object, actors that have sent "
                 "anything are never alike",
                 arg);
        return false;
    }
    s->in_globals = rh_exploration_memory(x, w->semantics.max_actors);
    s->seen = rh_exploration_memory(x, w->choice_capacity * sizeof *s->seen);
    s->index = rh_exploration_memory(x, w->choice_capacity * sizeof *s->index);
    if (!s->in_globals || !s->seen || !s->index) {
        snprintf(error, error_size, "no memory for explorer symmetry");
        return false;
    }
    return rh_exploration_inner(x, arg, &s->inner[0], error, error_size) &&
           rh_exploration_inner(x, arg, &s->inner[1], error, error_size);
}

static const struct rh_inner *inner_of(const struct symmetry *s)
{
    return &s->inner[s->plain];
}

static bool told_apart(const struct rh_world *w)
{
    return w->told_apart || *w->globals_writer;
}

/* Between runs: if need be the second one takes over, whether a run is to follow or the work is given away. */
static bool begin_again(struct symmetry *s)
{
    if (s->plain || s->gave_up || !s->left_out || !s->told)
        return false;
    s->plain = s->gave_up = true;
    return true;
}

/* Which actors are alike is asked again where a run is made again: what handlers find on their stacks, and copy as padding, must
 * be the same then. */
static void clean_stacks(struct rh_world *w)
{
    enum { USUAL = 8192, MARGIN = 1024 };
    uint32_t depth = w->handler_depth ? w->handler_depth + MARGIN : USUAL;
    uint32_t all = w->semantics.max_stack_bytes;
    depth = depth < all ? depth : all;
    if (w->deepest < depth)
        w->deepest = depth;
}

static uint32_t symmetry_begin(void *state, struct rh_world *w)
{
    struct symmetry *s = state;
    w->watches_twins = true;
    clean_stacks(w);
    s->told |= told_apart(w);
    if (!s->plain && s->gave_up)
        return 0; /* work of before: it is part of all that there is */
    bool again = begin_again(s);
    uint32_t keep = rh_inner_begin(inner_of(s), w);
    return again && keep ? 1 : keep;
}

/* ---- which choices are images of others ------------------------------------------------------------------------------------ */

static bool is_about_message(const struct rh_choice *c)
{
    return c->kind == RH_CHOICE_DELIVER || c->kind == RH_CHOICE_LOSE || c->kind == RH_CHOICE_DUPLICATE;
}

static bool concerns(const struct rh_world *w, const struct rh_choice *c, uint32_t actor)
{
    const struct message *m = is_about_message(c) ? &w->messages[c->what] : NULL;
    return c->actor == actor || (m && (m->sender == actor || m->seen_as == actor));
}

static bool is_open(const struct rh_choice *open, uint32_t count, const struct rh_choice *c)
{
    for (uint32_t i = 0; i < count; i++)
        if (memcmp(&open[i], c, sizeof *c) == 0)
            return true;
    return false;
}

/* The choice with b's part played by a. */
static struct rh_choice image_of(const struct rh_world *w, const struct rh_choice *c, uint32_t a, uint32_t b)
{
    struct rh_choice image = *c;
    if (image.actor == b)
        image.actor = a;
    if (is_about_message(c))
        image.what = rh__message_exchanged(w, c->what, a, b);
    return image;
}

static bool has_image(const struct symmetry *s, struct rh_world *w, const struct rh_choice *open, uint32_t count,
                      const struct rh_choice *c, uint32_t b)
{
    if (!b || b == RH_NONE || s->in_globals[b])
        return false;
    for (uint32_t a = 1; a < b; a++)
        if (rh__maybe_alike(w, a, b) && !s->in_globals[a] && !concerns(w, c, a)) {
            struct rh_choice image = image_of(w, c, a, b);
            if (is_open(open, count, &image) && rh__alike(w, a, b))
                return true;
        }
    return false;
}

static bool is_image(const struct symmetry *s, struct rh_world *w, const struct rh_choice *open, uint32_t count,
                     const struct rh_choice *c)
{
    if (has_image(s, w, open, count, c, c->actor))
        return true;
    if (!is_about_message(c))
        return false;
    uint32_t sender = w->messages[c->what].sender;
    return sender != c->actor && has_image(s, w, open, count, c, sender);
}

static bool any_twins(const struct rh_world *w)
{
    for (uint32_t i = 1; i < w->actor_count; i++)
        if (w->actors[i].ordinal > 1 && w->actors[i].status != STATUS_OUTSIDE)
            return true;
    return false;
}

static uint32_t symmetry_choose(void *state, struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct symmetry *s = state;
    const struct rh_inner *inner = inner_of(s);
    if (s->plain || !any_twins(w))
        return rh_inner_choose(inner, w, open, count);
    if (!s->looked) { /* they do not change, or all begins again */
        rh__globals_know(w, s->in_globals);
        s->looked = true;
    }
    uint32_t seen = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!is_image(s, w, open, count, &open[i])) {
            s->seen[seen] = open[i];
            s->index[seen++] = i;
        }
    s->left_out |= seen < count;
    uint32_t pick = rh_inner_choose(inner, w, s->seen, seen);
    return pick < seen ? s->index[pick] : pick;
}

/* ---- the rest is the inner one's ------------------------------------------------------------------------------------------- */

static void symmetry_end(void *state, struct rh_world *w, const struct rh_run *run)
{
    struct symmetry *s = state;
    s->told |= told_apart(w);
    rh_inner_end(inner_of(s), w, run);
}

/* An item says whose it is.  Work in which nobody is told apart, and which is not done, stays good when a worker finds out
 * that somebody is: that one has all of it then. */
static size_t symmetry_pack(void *state, void *buffer, size_t room, bool half)
{
    struct symmetry *s = state;
    if (!rh_inner_can_share(inner_of(s)) || room < 1)
        return 0;
    begin_again(s);
    if (!s->plain && s->gave_up)
        return 0;
    size_t size = rh_inner_pack(inner_of(s), (unsigned char *)buffer + 1, room - 1, half);
    if (size)
        *(unsigned char *)buffer = (unsigned char)s->plain;
    return size ? size + 1 : 0;
}

static bool symmetry_unpack(void *state, struct rh_world *w, const void *item, size_t size)
{
    struct symmetry *s = state;
    const unsigned char *bytes = item;
    if (size < 1 || bytes[0] > 1)
        return false;
    s->plain = bytes[0];
    return rh_inner_unpack(inner_of(s), w, bytes + 1, size - 1);
}

const struct rh_explorer rh__explorer_symmetry = {
    .name = "symmetry",
    .summary = "symmetry:EXPLORER: as EXPLORER wants, up to exchange of actors that are alike",
    .folds = true,
    .state_size = sizeof(struct symmetry),
    .parts = rh_only_part,
    .inner = symmetry_inner,
    .open = symmetry_open,
    .begin = symmetry_begin,
    .choose = symmetry_choose,
    .end = symmetry_end,
    .pack = symmetry_pack,
    .unpack = symmetry_unpack,
};

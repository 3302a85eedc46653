/* symmetry:EXPLORER: runs EXPLORER, but shows it only one of several choices that differ only by an exchange of actors
 * that are alike.
 *
 * Actors a and b are alike in a state s if exchanging them gives s again (world/alike.h).  Then a choice t that
 * concerns b and the image of t under the exchange lead to states that differ only by the exchange.  The same holds for
 * all later states, so one of the two choices is enough.  The filter hides t if a is older than b, t does not concern
 * a, and the image is enabled.  The image has the older actor in the place of the younger one, so the oldest image is
 * never hidden.  This is symmetry reduction [Ip and Dill 1996] without declared symmetric types: the filter compares
 * states instead.
 *
 * The filter is sound for explorers that take all or any of the choices they see.  A partial-order reduction (dpor,
 * optimal) relies on steps that it has seen in other runs, and the filter could hide these steps.  So nothing is hidden
 * from `optimal` and `dpor`, which leave out runs themselves (exchange.h, dpor/images.h); symmetry refuses reductions
 * inside other explorers.
 *
 * The exchange does not apply to names that the program asks for, random numbers and global variables.  If a run uses a
 * name or a random number or changes a global variable, the symmetry is broken.  Then a second instance of EXPLORER
 * starts from the root and sees all choices.  The change happens only between runs, so that a repeated run has the same
 * choices. */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "explore/engine/engine.h"
#include "explore/exchange.h"
#include "explore/explorers.h"
#include "run/run.h"
#include "world/alike.h"
#include "world/delivery.h"
#include "world/live.h"

struct symmetry {
    struct rh_exploration *x;
    struct rh_world *world;   /* the world, not const: rh__world_watch_twins changes it */
    struct rh_inner inner[2]; /* [0] sees one of several alike choices; [1] sees all choices */
    uint32_t plain;           /* index of the current inner explorer */
    bool gave_up;             /* inner[1] has, or had, the whole tree to explore */
    bool left_out;            /* the filter has hidden a choice */
    bool told_apart;          /* a run has told alike actors apart */
    bool looked;              /* `in_globals` is filled in */
    unsigned char *in_globals;
    const struct rh_explorer *reduction; /* inner[0] is this one, `optimal` or `dpor`, and leaves out runs by this: */
    struct rh__exchange exchange;
};

static const struct rh_inner *symmetry_inner(const void *state, uint32_t *count, uint32_t *now)
{
    const struct symmetry *s = state;
    *count = 2;
    *now = s->plain;
    return s->inner;
}

static bool symmetry_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                          size_t error_size)
{
    struct symmetry *s = state;
    const struct rh_semantics *semantics = rh_world_semantics(x->world);
    s->x = x;
    s->world = x->world;
    s->reduction = rh__tree_symmetry_of(a->tree, a->node);
    if (s->reduction == &rh__explorer_optimal && rh__delivery(semantics->model)->by_receiver) {
        snprintf(error, error_size,
                 "symmetry: under mailbox, a run that optimal leaves out could be the only way to another one "
                 "(docs/limits.md); dpor has another rule");
        return false;
    }
    if (s->reduction == &rh__explorer_dpor && semantics->kills == RH_KILL_ANYWHERE) {
        snprintf(error, error_size,
                 "symmetry: which signals that end a process between two operations (kills) are alike is not "
                 "known: use dpor alone, or --kills at-waits");
        return false;
    }
    if (!s->reduction && (rh__delivery(semantics->model)->causal || semantics->granularity == RH_GRAIN_SEND ||
                          semantics->granularity == RH_GRAIN_OBJECT)) {
        snprintf(error, error_size,
                 "symmetry: under causal, and with granularity send or object, actors that have sent "
                 "anything are never alike");
        return false;
    }
    s->in_globals = rh_exploration_memory(x, semantics->max_actors);
    if (!s->in_globals) {
        snprintf(error, error_size, "no memory for explorer symmetry");
        return false;
    }
    if (!rh_exploration_inner(x, a, 0, &s->inner[0], error, error_size) ||
        !rh_exploration_inner(x, a, 0, &s->inner[1], error, error_size))
        return false;
    if (s->reduction &&
        (!rh__exchange_open(&s->exchange, x, semantics->max_actors) ||
         (s->reduction == &rh__explorer_dpor && !rh__dpor_exchanges(s->inner[0].state, &s->exchange)))) {
        snprintf(error, error_size, "no memory for explorer symmetry");
        return false;
    }
    if (s->reduction == &rh__explorer_optimal) {
        rh__optimal_exchanges(s->inner[0].state, &s->exchange);
        rh__world_refuse_sets(rh__exploration_world(x),
                              "explorer symmetry(optimal) does not explore rh_receive_set: use optimal", false);
    }
    return true;
}

static const struct rh_inner *inner_of(const struct symmetry *s)
{
    return &s->inner[s->plain];
}

/* Called between runs, and before work is packed.  Switches to inner[1], with all of its work, if the symmetry is
 * broken. */
static bool begin_again(struct symmetry *s)
{
    if (s->plain || s->gave_up || !(s->left_out || s->exchange.left_out) || !s->told_apart)
        return false;
    s->plain = s->gave_up = true;
    rh__exploration_restart(s->x);
    return rh_inner_unpack_root(&s->inner[1], s->world);
}

static uint32_t symmetry_begin(void *state, const struct rh_world *w)
{
    struct symmetry *s = state;
    rh__world_watch_twins(s->world);
    s->told_apart |= rh__world_told_apart(w);
    if (!s->plain && s->gave_up)
        return 0; /* work of inner[0] is part of the whole tree, which inner[1] explores */
    bool again = begin_again(s);
    uint32_t keep = rh_inner_begin(inner_of(s), w);
    return again && keep ? 1 : keep;
}

/* ---- hidden choices: images of others ---------------------------------------------------------------------------- */

static bool is_about_message(const struct rh_choice *c)
{
    return rh__is_about_message(c);
}

static bool concerns(const struct rh_world *w, const struct rh_choice *c, uint32_t actor)
{
    const struct rh__run_message *m = is_about_message(c) ? rh__run_message(rh__world_run(w), c->what) : NULL;
    return c->actor == actor || (m && (m->sender == actor || m->seen_as == actor));
}

static bool is_open(const struct rh_choice *open, uint32_t count, const struct rh_choice *c)
{
    for (uint32_t i = 0; i < count; i++)
        if (memcmp(&open[i], c, sizeof *c) == 0)
            return true;
    return false;
}

/* Returns the choice with a in the place of b. */
static struct rh_choice image_of(const struct rh_world *w, const struct rh_choice *c, uint32_t a, uint32_t b)
{
    struct rh_choice image = *c;
    if (image.actor == b)
        image.actor = a;
    if (is_about_message(c))
        image.what = rh__message_exchanged(w, c->what, a, b);
    return image;
}

static bool has_image(const struct symmetry *s, const struct rh_world *w, const struct rh_choice *open, uint32_t count,
                      const struct rh_choice *c, uint32_t b)
{
    if (!b || b == RH_NONE || s->in_globals[b])
        return false;
    for (uint32_t a = 1; a < b; a++)
        if (rh__maybe_alike(w, a, b) && !s->in_globals[a] && !concerns(w, c, a)) {
            struct rh_choice image = image_of(w, c, a, b);
            if (is_open(open, count, &image) && rh__alike(s->world, a, b))
                return true;
        }
    return false;
}

static bool is_image(const struct symmetry *s, const struct rh_world *w, const struct rh_choice *open, uint32_t count,
                     const struct rh_choice *c)
{
    if (has_image(s, w, open, count, c, c->actor))
        return true;
    if (!is_about_message(c))
        return false;
    uint32_t sender = rh__run_message(rh__world_run(w), c->what)->sender;
    return sender != c->actor && has_image(s, w, open, count, c, sender);
}

static bool any_twins(const struct rh_world *w)
{
    const struct rh__run *r = rh__world_run(w);
    for (uint32_t i = 1; i < r->actor_count; i++)
        if (rh__run_actor(r, i)->ordinal > 1 && !rh__run_is_outside(r, i))
            return true;
    return false;
}

static uint32_t symmetry_hide(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count,
                              bool *hidden)
{
    struct symmetry *s = state;
    uint32_t images = 0;
    if (s->reduction && !s->plain)
        rh__exchange_look(&s->exchange, s->world, count);
    if (s->reduction || s->plain || !any_twins(w))
        return 0;
    if (!s->looked) { /* globals do not change; if they do, inner[1] starts over */
        rh__globals_know(w, s->in_globals);
        s->looked = true;
    }
    for (uint32_t i = 0; i < count; i++)
        images += hidden[i] = is_image(s, w, open, count, &open[i]);
    s->left_out |= images > 0;
    return images;
}

/* ---- forwarding to the inner explorer ---------------------------------------------------------------------------- */

static void symmetry_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct symmetry *s = state;
    s->told_apart |= rh__world_told_apart(w);
    if (s->reduction == &rh__explorer_optimal && !s->plain && !rh_outcome_failed(run->outcome))
        rh__exchange_decide(&s->exchange, rh__world_run(w));
    rh_inner_end(inner_of(s), w, run);
}

/* An item names its inner explorer, whether choices were hidden before, and if `optimal` leaves out runs, how.  (A
 * choice that is hidden later has its image in the work of the one who hides it.)  Unfinished items of inner[0] stay
 * valid when a worker finds the symmetry broken: that worker then has the whole tree for inner[1]. */
static size_t put_head(const struct symmetry *s, unsigned char *at, size_t room)
{
    if (room < 1)
        return 0;
    at[0] = (unsigned char)(s->plain | (uint32_t)(s->left_out || s->exchange.left_out) << 1);
    if (!s->reduction || s->plain)
        return 1;
    size_t rule = rh__exchange_pack(&s->exchange, at + 1, room - 1);
    return rule ? 1 + rule : 0;
}

static size_t symmetry_pack(void *state, void *buffer, size_t room, bool half)
{
    struct symmetry *s = state;
    begin_again(s);
    if (!s->plain && s->gave_up)
        return 0;
    unsigned char *at = buffer;
    size_t head = put_head(s, at, room);
    size_t size = head ? rh_inner_pack(inner_of(s), at + head, room - head, half) : 0;
    if (!size)
        return 0;
    if (s->reduction && !s->plain && !rh_item_is_root(at + head, size))
        rh__exchange_settle(&s->exchange);
    return head + size;
}

/* Claims of the tree with all choices are others than those of the tree without alike ones. */
static size_t symmetry_claim(void *state, void *buffer, size_t room, uint64_t key[2])
{
    const struct symmetry *s = state;
    const struct rh_inner *inner = inner_of(s);
    if (s->reduction != &rh__explorer_dpor || (!s->plain && s->gave_up))
        return 0;
    size_t head = put_head(s, buffer, room);
    size_t size =
        head ? inner->explorer->share->claim(inner->state, (unsigned char *)buffer + head, room - head, key) : 0;
    for (uint32_t k = 0; k < 2; k++)
        key[k] = rh__mix(key[k], s->plain);
    return size ? head + size : 0;
}

static bool symmetry_unpack(void *state, const struct rh_world *w, const void *item, size_t size)
{
    struct symmetry *s = state;
    const unsigned char *bytes = item;
    if (rh_item_is_root(item, size)) {
        s->plain = s->gave_up = s->left_out = false;
        if (s->reduction)
            rh__exchange_reset(&s->exchange);
        return rh_inner_unpack(&s->inner[0], w, item, size);
    }
    if (size < 1 || bytes[0] > 3)
        return false;
    s->plain = bytes[0] & 1;
    s->left_out |= bytes[0] >> 1;
    size_t head = 1, rule = 0;
    if (s->reduction && !s->plain) {
        rule = rh__exchange_unpack(&s->exchange, bytes + 1, size - 1);
        if (!rule)
            return false;
    }
    head += rule;
    if (rule && rh_item_is_root(bytes + head, size - head))
        rh__exchange_reset(&s->exchange);
    return rh_inner_unpack(inner_of(s), w, bytes + head, size - head);
}

static enum rh_verdict symmetry_verdict(const void *state)
{
    return rh_inner_verdict(inner_of(state));
}

static const struct rh_explorer_report symmetry_report = { .verdict = symmetry_verdict };
static const struct rh_explorer_share symmetry_share = { .pack = symmetry_pack,
                                                         .unpack = symmetry_unpack,
                                                         .claim = symmetry_claim };
static const struct rh_explorer_decorator symmetry_decorator = { .inner = symmetry_inner,
                                                                 .hide = symmetry_hide,
                                                                 .hides_explored = true };

const struct rh_explorer rh__explorer_symmetry = {
    .name = "symmetry",
    .summary = "as EXPLORER wants, up to exchange of actors that are alike",
    .uses_symmetry = true,
    .state_size = sizeof(struct symmetry),
    .arguments = rh_only_arguments,
    .open = symmetry_open,
    .begin = symmetry_begin,
    .end = symmetry_end,
    .report = &symmetry_report,
    .share = &symmetry_share,
    .decorator = &symmetry_decorator,
};

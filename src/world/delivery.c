/* The table of delivery models, and the order of messages (delivery.h). */
#include "world/delivery.h"

#include <string.h>

#include "actor/set_items.h"
#include "world/network.h"
#include "world/objects.h"

/* ---- models ------------------------------------------------------------------------------------------------------ */

/* Every attribute of a model, in the order of struct rh__delivery: what a row leaves out does not compile. */
#define ROW(in_order_, by_receiver_, causal_, head_is_free_)                                                           \
    .in_order = in_order_, .by_receiver = by_receiver_, .causal = causal_, .head_is_free = head_is_free_
#define DELIVERY_FIFO    ROW(true, false, false, true)
#define DELIVERY_BAG     ROW(false, false, false, false)
#define DELIVERY_CAUSAL  ROW(true, false, true, false)
#define DELIVERY_MAILBOX ROW(true, true, false, true)

const struct rh__delivery *rh__delivery(enum rh_model model)
{
    static const struct rh__delivery rows[] = {
#define RH_X(NAME, name_, help_) [RH_##NAME] = { .name = name_, .help = help_, DELIVERY_##NAME },
        RH_MODELS(RH_X)
#undef RH_X
    };
    return &rows[model];
}

/* ---- does a receiver take a message? ----------------------------------------------------------------------------- */

struct rh__stance rh__stance_of(const struct rh_world *w, uint32_t actor)
{
    return rh__live_stance(&w->actors[actor]);
}

void rh__stance_read(const struct rh_world *w, uint32_t actor, struct rh__stance *s)
{
    *s = rh__live_stance(&w->actors[actor]);
}

void rh__stance_keep(struct rh__stance *s, const struct rh_message_type **types, uint32_t room)
{
    uint32_t n = 0;
    if (!s->types)
        return;
    while (n < room && s->types[n])
        n++;
    for (uint32_t i = 0; i <= n && n < room; i++)
        types[i] = s->types[i];
    s->tested |= n == room;
    s->types = n < room ? types : NULL;
}

struct rh__gathering rh__gathering_of(const struct rh_behaviour *behaviour, const void *state)
{
    const struct rh_entry *e = rh__set_entry(behaviour);
    int32_t n = (int32_t)rh__set_number(e, state);
    return n < 2 ? (struct rh__gathering){ NULL, 0 } : (struct rh__gathering){ e->type, (uint32_t)n };
}

struct rh__mail rh__mail_of(const struct rh_world *w, uint32_t message)
{
    return rh__live_mail(w, message);
}

/* ---- order of two messages --------------------------------------------------------------------------------------- */

static const struct world_exit_signal *signal_of(const struct rh_world *w, const struct world_message *m)
{
    return (const void *)rh__message_value(w, m);
}

static bool kills(const struct world_exit_signal *s)
{
    return !s->from_link && strcmp(s->exited.reason, "kill") == 0;
}

void rh__mail_of_signal(const struct rh_world *w, const struct world_message *m, struct rh__mail *mail)
{
    const struct world_exit_signal *s = signal_of(w, m);
    mail->kills = kills(s);
    mail->heard = rh__by_object(w) && !mail->kills;
    mail->quiet = s->from_link && strcmp(s->exited.reason, "normal") == 0;
    mail->life = s->for_life;
}

static bool is_signal(const struct rh_world *w, const struct world_message *m, bool hears)
{
    return m->type == &rh__exit_signal && !(hears && rh__by_object(w) && !kills(signal_of(w, m)));
}

bool rh__in_queue(const struct rh_world *w, uint32_t x, uint32_t m, bool hears)
{
    const struct world_message *a = &w->messages[x], *b = &w->messages[m];
    bool signal = is_signal(w, b, hears);
    return a->receiver == b->receiver && signal == is_signal(w, a, hears) &&
           rh__channel_key(w, a->sender, a->posted) == rh__channel_key(w, b->sender, b->posted) &&
           (w->delivery.in_order || signal || b->life);
}

bool rh__precedes_across(const struct rh_world *w, uint32_t x, uint32_t m, bool hears)
{
    const struct world_message *a = &w->messages[x], *b = &w->messages[m];
    if (is_signal(w, a, hears) || is_signal(w, b, hears))
        return false;
    if (w->delivery.causal && b->copy_of == RH_NONE && rh__message_in_vector(w, a, rh__message_clock(b)))
        return true;
    return b->behind && a->posted && a->sender == b->seen_as && a->receiver == b->receiver &&
           rh__message_original(w, x) < b->behind;
}

/* Compares originals first: a copy directly follows its original. */
static bool sent_before(const struct rh_world *w, uint32_t x, uint32_t m)
{
    uint32_t one = rh__message_original(w, x), other = rh__message_original(w, m);
    return one != other ? one < other : x < m;
}

bool rh__precedes(const struct rh_world *w, uint32_t x, uint32_t m, bool hears)
{
    return (rh__in_queue(w, x, m, hears) && sent_before(w, x, m)) || rh__precedes_across(w, x, m, hears);
}

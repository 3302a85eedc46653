/* See foretell.h.
 *
 * The key of an effect is a hash of 128 bits.  A step with announcements has two: the first says only that there are
 * announcements, and the second, which the states of the monitors are part of, has the effect. */
#include "world/foretell.h"

#include <string.h>

#include "world/effects.h"
#include "world/faults.h"
#include "world/fingerprint.h"
#include "world/network.h"
#include "world/objects.h"

/* ---- keys -------------------------------------------------------------------------------------------------------- */

/* Whether steps can be foretold in the present state at all. */
bool rh__can_foretell(const struct rh_world *w)
{
    return w->semantics.granularity == RH_GRAIN_HANDLER && w->hashing && !w->over && !w->clock_used && !w->sets_used &&
           w->chooser == RH_NONE && !w->gathered && !w->halted && !w->parts.others &&
           !(w->semantics.quiet_after | w->semantics.temperature | w->semantics.fail_allocation) && !rh__holds_any(w) &&
           w->actor_count <= RH__MOST_PARTS && w->channel_count <= RH__MOST_PARTS;
}

bool rh__is_between_handlers(const struct world_actor *a)
{
    return a->status == STATUS_IDLE && a->stack == RH_NONE && a->type->kind == RH_KIND_ACTOR && a->opened == RH_NONE &&
           !(a->flags & (FLAG_GATHERS | FLAG_STOPPING));
}

bool rh__takes_what_comes(const struct world_actor *a)
{
    return rh__is_between_handlers(a) && !(a->flags & FLAG_DEFERS) && a->start == RH_NONE && a->outbox == RH_NONE &&
           a->timers == RH_NONE;
}

/* The message that is taken leaves the others of its channel as they were: it is the first one, or passing over others
 * has no meaning there (hash_of_place in fingerprint.c). */
static bool leaves_the_others(const struct rh_world *w, const struct world_channel *c, uint32_t message)
{
    return c->first == message || !w->delivery.in_order || c->sender == RH_NONE;
}

bool rh__is_plain_mail(const struct world_message *m)
{
    return m->type != &rh__exit_signal && !rh__message_is_down(m) && !m->wake && !m->behind && !m->life &&
           m->request == RH_NONE && m->answers == RH_NONE;
}

/* With the time that is left where it is a part of the fingerprint: to cancel a timer changes that. */
static struct rh__wide own_timers(struct rh_world *w, const struct world_actor *a)
{
    struct rh__wide h = { 0, 0 };
    for (uint32_t i = a->timers; i != RH_NONE; i = w->timers[i].next) {
        struct world_timer *t = &w->timers[i];
        uint64_t left = w->semantics.time == RH_TIME_ORDERED ? (uint64_t)(t->deadline_ns - w->now_ns) : 0;
        h = rh__wide_sum(h, rh__wide_with(rh__timer_hash(w, t), left));
    }
    return h;
}

static uint32_t channel_from_to(const struct rh_world *w, uint32_t from, uint32_t to)
{
    uint32_t c = w->channel_cache[rh__channel_slot(from, to)];
    if (c < w->channel_count && w->channels[c].sender == from && w->channels[c].receiver == to)
        return c;
    c = w->actors[to].channels;
    while (c != RH_NONE && w->channels[c].sender != from)
        c = w->channels[c].next;
    return c;
}

/* What a step sees besides its actor and the message. */
struct rh__wide rh__effect_surroundings(const struct rh_world *w)
{
    return rh__wide_mix(rh__wide_mix(w->tables_hash, w->globals_hash), w->parts.scalars);
}

/* Zero: the step is not foretold. */
static struct rh__wide key_of(struct rh_world *w, const struct rh_choice *c, struct rh__wide around)
{
    const struct world_actor *a = &w->actors[c->actor];
    struct rh__wide what, zero = { 0, 0 };
    if (c->kind == RH_CHOICE_DELIVER) {
        const struct world_message *m = &w->messages[c->what];
        if (!rh__is_between_handlers(a) || !rh__is_plain_mail(m) ||
            !leaves_the_others(w, &w->channels[m->channel], c->what))
            return zero;
        what = rh__message_hash(w, c->what);
    } else if (c->kind == RH_CHOICE_TIMER && w->semantics.time != RH_TIME_ORDERED) {
        uint32_t self = channel_from_to(w, rh__channel_key(w, c->actor, true), c->actor);
        bool passes = self != RH_NONE && w->channels[self].first != RH_NONE && w->delivery.in_order &&
                      w->channels[self].sender != RH_NONE; /* over messages that the actor has sent to itself */
        if (!rh__is_between_handlers(a) || !w->timers[c->what].type || passes)
            return zero;
        what = rh__wide_with(rh__timer_hash(w, &w->timers[c->what]), 29);
    } else {
        return zero;
    }
    struct rh__wide key = rh__wide_mix(rh__wide_mix(a->hash, what), around);
    return a->timers == RH_NONE ? key : rh__wide_mix(key, own_timers(w, a));
}

struct rh__wide rh__monitors_hash(const struct rh_world *w)
{
    struct rh__wide h = { 0, 0 };
    for (uint32_t i = 0; i < w->monitor_count; i++)
        h = rh__wide_xor(h, w->actors[w->monitors[i]].hash);
    return h;
}

struct rh__wide rh__effect_key_announcing(struct rh__wide key, struct rh__wide monitors)
{
    return rh__wide_mix(rh__wide_with(key, 27), monitors);
}

/* ---- foretelling ------------------------------------------------------------------------------------------------- */

/* A send finds its receiver alive. */
bool rh__takes_mail(const struct rh_world *w, uint32_t actor)
{
    return w->actors[actor].status < STATUS_ENDED && !(actor == 0 && rh__test_is_over(w));
}

static bool applies(const struct rh_world *w, const struct rh__effect *e)
{
    bool good = e->kind == RH__EFFECT_KNOWN && !(e->recalls && w->footprint.timer_mail) &&
                w->under_way + e->count < w->semantics.max_messages;
    for (uint32_t i = 0; i < e->count && good; i++)
        good = rh__takes_mail(w, e->sent[i].to);
    return good;
}

/* How the hash of a channel changes: without `taken`, and with what is sent to it from `first` on. */
static struct rh__wide channel_change(struct rh_world *w, const struct rh__effect *e, uint32_t channel, uint32_t from,
                                      uint32_t to, uint32_t taken, uint32_t first)
{
    struct rh__queue_hash q = { .any = false };
    struct rh__wide old = { 0, 0 };
    if (channel != RH_NONE) {
        q = rh__queue_begin(w, &w->channels[channel]);
        old = w->channels[channel].hash;
        for (uint32_t i = w->channels[channel].first; i != RH_NONE; i = w->messages[i].next)
            if (i != taken)
                rh__queue_add_message(w, &q, i);
    }
    for (uint32_t i = first; i < e->count; i++)
        if (e->sent[i].to == to && e->sent[i].from == from)
            rh__queue_add(&q, e->sent[i].hash, w->delivery.in_order);
    return rh__wide_xor(old, rh__queue_end(&q, from, to));
}

static bool was_before(const struct rh__effect *e, uint32_t at)
{
    uint32_t i = 0;
    while (e->sent[i].from != e->sent[at].from || e->sent[i].to != e->sent[at].to)
        i++;
    return i < at;
}

static struct rh_fingerprint state_behind(struct rh_world *w, const struct rh_choice *c, const struct rh__effect *e)
{
    const struct world_parts *now = &w->parts;
    struct rh__wide h = rh__wide_xor(now->components, rh__wide_xor(w->actors[c->actor].hash, e->after));
    uint32_t taken = RH_NONE;
    if (c->kind == RH_CHOICE_DELIVER) {
        taken = w->messages[c->what].channel;
        h = rh__wide_xor(h, channel_change(w, e, taken, w->channels[taken].sender, c->actor, c->what, 0));
    }
    for (uint32_t i = 0; i < e->count; i++) {
        const struct rh__sent *s = &e->sent[i];
        uint32_t channel = channel_from_to(w, s->from, s->to);
        if ((channel == RH_NONE || channel != taken) && !was_before(e, i))
            h = rh__wide_xor(h, channel_change(w, e, channel, s->from, s->to, RH_NONE, i));
    }
    if (!e->more)
        return rh__fingerprint_of(h, now->apart);
    struct world_parts p = *now;
    p.timers = rh__wide_sum(p.timers, e->timers);
    return rh__fingerprint_of(rh__wide_xor(h, e->monitors), rh__parts_apart(&p));
}

void rh__foretell(struct rh__foretelling *f, const struct rh_world *world, const struct rh_choice *open, uint32_t count,
                  struct rh_fingerprint *told)
{
    struct rh_world *w = (struct rh_world *)world; /* hashes of parts are kept until these change */
    rh__fingerprint_parts(w);
    memset(told, 0, count * sizeof *told);
    f->events = 0;
    if (!rh__can_foretell(w))
        return;
    f->events = w->event_count;
    static const struct rh__effect unknown;
    struct rh__wide around = rh__effect_surroundings(w);
    for (uint32_t from = 0; from < count; from += RH__MOST_FORETOLD) {
        uint32_t n = count - from < RH__MOST_FORETOLD ? count - from : RH__MOST_FORETOLD;
        struct rh__wide keys[RH__MOST_FORETOLD];
        for (uint32_t i = 0; i < n; i++) {
            keys[i] = key_of(w, &open[from + i], around);
            rh__effect_prefetch(f, keys[i]);
        }
        for (uint32_t i = 0; i < n; i++) {
            const struct rh__effect *e = rh__wide_is_zero(keys[i]) ? &unknown : rh__effect_find(f, keys[i]);
            if (e->kind == RH__EFFECT_ANNOUNCES)
                e = rh__effect_find(f, rh__effect_key_announcing(keys[i], rh__monitors_hash(w)));
            bool good = applies(w, e);
            if (good)
                told[from + i] = state_behind(w, &open[from + i], e);
            if (!from)
                f->silent[i] = good && e->silent && open[i].kind == RH_CHOICE_DELIVER;
        }
    }
}

bool rh__is_enough_spoilt(const struct rh_world *w)
{
    return w->footprint.signals || w->looked_around || *w->globals_writer;
}

uint32_t rh__foretold_enough(const struct rh__foretelling *f, const struct rh_world *w, const struct rh_choice *open,
                             uint32_t count)
{
    if (f->events != w->event_count || !w->delivery.by_receiver || w->any_faults || count > RH__MOST_FORETOLD ||
        count != w->choice_count /* some are hidden */ || rh__is_enough_spoilt(w))
        return RH_NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t own = 0;
        if (!f->silent[i] || w->actors[open[i].actor].timers != RH_NONE)
            continue;
        for (uint32_t k = 0; k < count; k++)
            own += open[k].actor == open[i].actor;
        if (own == 1)
            return i;
    }
    return RH_NONE;
}

/* ---- learning ---------------------------------------------------------------------------------------------------- */

void rh__foretell_nothing(struct rh__foretelling *f)
{
    f->before.pending = false;
}

void rh__foretell_before(struct rh__foretelling *f, const struct rh_world *world, const struct rh_choice *c)
{
    struct rh_world *w = (struct rh_world *)world; /* as above */
    struct rh__effect_before *b = &f->before;
    b->pending = false;
    rh__fingerprint_parts(w);
    if (!rh__can_foretell(w))
        return;
    b->key = key_of(w, c, rh__effect_surroundings(w));
    if (rh__wide_is_zero(b->key))
        return;
    const struct rh__effect *e = rh__effect_find(f, b->key);
    b->monitors = rh__monitors_hash(w);
    if (e->kind == RH__EFFECT_ANNOUNCES)
        e = rh__effect_find(f, rh__effect_key_announcing(b->key, b->monitors));
    if (e->kind != RH__EFFECT_NOT_KNOWN)
        return;
    b->pending = true;
    b->events = w->event_count;
    b->actor = c->actor;
    b->timer = c->kind == RH_CHOICE_TIMER;
    b->taken_channel = b->timer ? RH_NONE : w->messages[c->what].channel;
    b->actor_count = w->actor_count;
    b->channel_count = w->channel_count;
    b->under_way = w->under_way;
    b->tables = w->tables_hash;
    b->globals = w->globals_hash;
    b->footprint = w->footprint;
    b->parts = w->parts;
    for (uint32_t i = 0; i < w->actor_count; i++)
        b->actors[i] = w->actors[i].hash;
    for (uint32_t i = 0; i < w->channel_count; i++)
        b->channels[i] = w->channels[i].hash;
}

static bool is_monitor(const struct rh_world *w, uint32_t actor)
{
    uint32_t i = 0;
    while (i < w->monitor_count && w->monitors[i] != actor)
        i++;
    return i < w->monitor_count;
}

/* Whether nothing has changed but what an effect describes. */
static bool is_described(const struct rh_world *w, const struct rh__effect_before *b, const struct rh__effect *e,
                         bool announced)
{
    bool good = rh__wide_is_same(b->tables, w->tables_hash) && rh__wide_is_same(b->globals, w->globals_hash) &&
                rh__wide_is_same(b->parts.scalars, w->parts.scalars) &&
                rh__wide_is_same(b->parts.owed, w->parts.owed) && w->under_way == b->under_way - !b->timer + e->count;
    for (uint32_t i = 0; i < w->actor_count && good; i++)
        good = i == b->actor || rh__wide_is_same(b->actors[i], w->actors[i].hash) || (announced && is_monitor(w, i));
    for (uint32_t i = 0; i < w->channel_count && good; i++) {
        const struct world_channel *c = &w->channels[i];
        good =
            i == b->taken_channel || rh__wide_is_same(i < b->channel_count ? b->channels[i] : rh__wide_of(0), c->hash);
        for (uint32_t k = 0; k < e->count && !good; k++)
            good = e->sent[k].from == c->sender && e->sent[k].to == c->receiver;
    }
    return good;
}

/* What the step has sent; false if one of the messages is not plain, or was not under way. */
static bool read_sends(struct rh_world *w, const struct rh__effect_before *b, struct rh__effect *e)
{
    uint32_t i = w->events[w->event_count - 1].first_message + b->timer; /* the first one is the timer's */
    for (; i < w->message_count; i++) {
        const struct world_message *m = &w->messages[i];
        if (e->count == RH__EFFECT_SENDS || m->taken_by != RH_NONE || !rh__is_plain_mail(m) || m->timer ||
            m->copy_of != RH_NONE || rh__message_is_start(m) || !rh__takes_mail(w, m->receiver))
            return false;
        e->simple &= m->type->unhandled != RH_UNHANDLED_DEFER;
        e->sent[e->count++] = (struct rh__sent){ .hash = rh__message_hash(w, i),
                                                 .from = w->channels[m->channel].sender,
                                                 .to = m->receiver };
    }
    return true;
}

static struct rh__wide difference(struct rh__wide a, struct rh__wide b)
{
    return (struct rh__wide){ a.high - b.high, a.low - b.low };
}

void rh__foretell_after(struct rh__foretelling *f, const struct rh_world *world)
{
    struct rh_world *w = (struct rh_world *)world; /* as above */
    struct rh__effect_before *b = &f->before;
    if (!b->pending || w->event_count != b->events + 1)
        return;
    b->pending = false;
    rh__fingerprint_parts(w);
    if (!w->hashing)
        return;
    bool announced = w->footprint.announced != b->footprint.announced;
    struct rh__effect e = { .key = b->key, .kind = RH__EFFECT_ANNOUNCES };
    if (announced) {
        rh__effect_keep(f, &e);
        e.key = rh__effect_key_announcing(b->key, b->monitors);
    }
    const struct world_actor *a = &w->actors[b->actor];
    e.after = a->hash;
    e.timers = difference(w->parts.timers, b->parts.timers);
    e.monitors = rh__wide_xor(rh__monitors_hash(w), b->monitors);
    e.simple = rh__takes_what_comes(a) && rh__wide_is_zero(e.timers);
    e.recalls = w->footprint.recalled != b->footprint.recalled;
    bool good = rh__can_foretell(w) && w->footprint.beyond == b->footprint.beyond && w->actor_count == b->actor_count &&
                rh__is_between_handlers(a) && !(e.recalls && w->footprint.timer_mail) && read_sends(w, b, &e) &&
                is_described(w, b, &e, announced);
    e.silent = !announced && !e.count && rh__wide_is_zero(e.timers) && !b->timer;
    e.more = !rh__wide_is_zero(e.timers) || !rh__wide_is_zero(e.monitors);
    e.kind = good ? RH__EFFECT_KNOWN : RH__EFFECT_NOT_FORETOLD;
    e.count = good ? e.count : 0;
    rh__effect_keep(f, &e);
}

/* Encoding of a run (encode.h).  decode.c reads the parts in the same order. */
#include "run/encode.h"

#include "run/encoding.h"

/* A list of distinct addresses, in the order of their first use. */
struct list {
    const void **at;
    uint32_t count, room;
    bool failed; /* memory is short */
};

static uint32_t place_in(struct list *l, const void *what)
{
    for (uint32_t i = l->count; i--;) /* backwards: the latest entries are the most likely */
        if (l->at[i] == what)
            return i;
    if (l->count == l->room) {
        const void **more = rh__realloc(l->at, (l->room * 2 + 16) * sizeof *more);
        if (!more) {
            l->failed = true;
            return 0;
        }
        l->at = more;
        l->room = l->room * 2 + 16;
    }
    l->at[l->count] = what;
    return l->count++;
}

struct encoder {
    const struct rh__run *r;
    struct rh__writer *to;
    uint32_t most_value;
    struct list actor_types, behaviours, message_types;
};

/* Encodes RH_NONE, which is common, as 0, which is short. */
static void put_index(struct rh__writer *to, uint32_t index)
{
    rh__put_small(to, (uint32_t)(index + 1));
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static void find_listed(struct encoder *e, const struct rh_actor_type *const *list)
{
    for (; list && *list; list++)
        place_in(&e->actor_types, *list);
}

static bool find_types(struct encoder *e)
{
    const struct rh__run *r = e->r;
    for (uint32_t i = 0; i < r->actor_count; i++) {
        place_in(&e->actor_types, rh__run_actor(r, i)->type);
        if (rh__run_actor(r, i)->behaviour)
            place_in(&e->behaviours, rh__run_actor(r, i)->behaviour);
    }
    for (uint32_t i = 0; i < r->message_count; i++)
        place_in(&e->message_types, rh__run_message(r, i)->type);
    find_listed(e, r->semantics->may_crash);
    find_listed(e, r->semantics->may_lose);
    find_listed(e, r->semantics->may_split);
    find_listed(e, r->own->may_crash);
    find_listed(e, r->own->may_lose);
    find_listed(e, r->own->may_split);
    return !e->actor_types.failed && !e->behaviours.failed && !e->message_types.failed;
}

static void put_types(struct encoder *e)
{
    rh__put_small(e->to, e->actor_types.count);
    for (uint32_t i = 0; i < e->actor_types.count; i++) {
        const struct rh_actor_type *t = e->actor_types.at[i];
        rh__put_text(e->to, t->name);
        rh__put_small(e->to, t->size);
        rh__put_small(e->to, t->kind);
    }
    rh__put_small(e->to, e->behaviours.count);
    for (uint32_t i = 0; i < e->behaviours.count; i++) {
        const struct rh_behaviour *b = e->behaviours.at[i];
        rh__put_text(e->to, b->name);
        rh__put_small(e->to, b->hot);
    }
    rh__put_small(e->to, e->message_types.count);
    for (uint32_t i = 0; i < e->message_types.count; i++) {
        const struct rh_message_type *t = e->message_types.at[i];
        uint32_t own = RH__WORLD_TYPES;
        while (own && rh__world_types[own - 1] != t)
            own--;
        rh__put_small(e->to, own); /* 0: a type of the program */
        if (own)
            continue;
        rh__put_text(e->to, t->name);
        rh__put_small(e->to, t->size);
        rh__put_small(e->to, t->unhandled);
    }
}

/* ---- head -------------------------------------------------------------------------------------------------------- */

static void put_list(struct encoder *e, const struct rh_actor_type *const *list)
{
    uint32_t n = 0;
    while (list && list[n])
        n++;
    rh__put_small(e->to, list ? n + 1 : 0);
    for (uint32_t i = 0; i < n; i++)
        rh__put_small(e->to, place_in(&e->actor_types, list[i]));
}

static void put_semantics(struct encoder *e, const struct rh_semantics *s)
{
    struct rh_semantics plain = *s;
    plain.may_crash = plain.may_lose = plain.may_split = NULL; /* addresses; the contents of the lists follow */
    plain.may_remain = NULL;                                   /* only the world reads these */
    plain.may_remain_from = NULL;
    rh__put_block(e->to, &plain, sizeof plain);
    put_list(e, s->may_crash);
    put_list(e, s->may_lose);
    put_list(e, s->may_split);
}

static void put_head(struct encoder *e)
{
    const struct rh__run *r = e->r;
    rh__put_text(e->to, r->test);
    put_semantics(e, r->semantics);
    put_semantics(e, r->own);
    rh__put_small(e->to, r->param_count);
    for (size_t i = 0; i < r->param_count; i++) {
        rh__put_text(e->to, r->params[i].name);
        rh__put_text(e->to, r->params[i].value);
    }
    rh__put_small(e->to, e->most_value < r->most_value ? e->most_value : r->most_value);
    rh__put_small(e->to, r->first_actors);
    rh__put_small(e->to, r->channel_count);
    put_index(e->to, r->clock);
    rh__put_small(e->to, (r->clock_used ? RH__RUN_CLOCK_USED : 0) | (r->own_clocks ? RH__RUN_OWN_CLOCKS : 0) |
                             (r->over ? RH__RUN_OVER : 0));
    rh__put_small(e->to, r->loop);
    rh__put_small(e->to, r->loop_monitor);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void put_actor(struct encoder *e, uint32_t actor)
{
    const struct rh__run_actor *a = rh__run_actor(e->r, actor);
    char waits[RH__RUN_WAIT_BYTES];
    rh__put_small(e->to, place_in(&e->actor_types, a->type));
    rh__put_small(e->to, a->behaviour ? place_in(&e->behaviours, a->behaviour) + 1 : 0);
    rh__put64(e->to, a->identity);
    rh__put64(e->to, a->object);
    rh__put_small(e->to, a->status);
    rh__put_small(e->to, a->flags);
    put_index(e->to, a->born);
    rh__put_small(e->to, a->born_behind);
    put_index(e->to, a->parent);
    rh__put_small(e->to, a->ordinal);
    put_index(e->to, a->node);
    put_index(e->to, a->asking);
    rh__put_small(e->to, a->restarts);
    if (a->status == STATUS_OUTSIDE)
        rh__put_text(e->to, e->r->payload + a->initial);
    rh__put_text(e->to, a->status == STATUS_ENDED || a->status == STATUS_CRASHED ? rh__run_text(e->r, a->reason) : "");
    rh__put_text(e->to, rh__run_waits(e->r, actor, waits, sizeof waits) ? waits : "");
}

static void put_event(struct encoder *e, uint32_t event)
{
    const struct rh_event *v = rh__run_event(e->r, event);
    uint32_t before = event ? v[-1].first_message : 0, accesses = event ? v[-1].first_access : 0;
    rh__put_small(e->to, v->choice.kind);
    put_index(e->to, v->choice.actor);
    put_index(e->to, v->choice.what);
    bool text = rh__has_text(v->choice.kind);
    rh__put_small(e->to, text ? v->choice.arg != 0 : v->choice.arg);
    if (text && v->choice.arg)
        rh__put_text(e->to, rh__run_text(e->r, v->choice.arg));
    rh__put_small(e->to, v->number);
    rh__put_small(e->to, v->first_message - before);
    rh__put_small(e->to, v->first_access - accesses);
    rh__put_small(e->to, v->flags);
    put_index(e->to, v->set_by);
    rh__put32(e->to, v->site);
}

static void put_message(struct encoder *e, uint32_t message)
{
    const struct rh__run_message *m = rh__run_message(e->r, message);
    uint32_t value, tail;
    const char *bytes = rh__run_value(e->r, message, &value), *more = rh__run_tail(e->r, message, &tail);
    rh__put_small(e->to, place_in(&e->message_types, m->type));
    rh__put_small(e->to, m->size);
    rh__put_small(e->to, m->tail_size);
    rh__put_small(e->to, m->sender);
    rh__put_small(e->to, m->receiver);
    rh__put_small(e->to, m->seen_as);
    rh__put_small(e->to, m->ordinal);
    put_index(e->to, m->answers);
    put_index(e->to, m->taken_by);
    put_index(e->to, m->copy_of);
    put_index(e->to, m->channel);
    rh__put_small(e->to, (m->posted ? 1u : 0) | (m->timer ? 2u : 0));
    if (m->timer)
        rh__put_text(e->to, rh__run_text(e->r, m->timer));
    rh__put_small(e->to, m->wake);
    rh__put_small(e->to, m->life);
    rh__put_small(e->to, m->behind);
    rh__put(e->to, bytes, value < e->most_value ? value : e->most_value);
    rh__put(e->to, more, tail < e->most_value ? tail : e->most_value);
}

static void put_rows(struct encoder *e)
{
    const struct rh__run *r = e->r;
    rh__put_small(e->to, r->event_count);
    rh__put_small(e->to, r->message_count);
    rh__put_small(e->to, r->actor_count);
    rh__put_small(e->to, r->access_count);
    rh__put_small(e->to, r->line_count);
    rh__put_small(e->to, r->monitor_count);
    for (uint32_t i = 0; i < r->actor_count; i++)
        put_actor(e, i);
    for (uint32_t i = 0; i < r->event_count; i++)
        put_event(e, i);
    for (uint32_t i = 0; i < r->message_count; i++)
        put_message(e, i);
    for (uint32_t i = 0; i < r->access_count; i++) {
        rh__put64(e->to, r->accesses[i].object);
        rh__put_small(e->to, r->accesses[i].event);
        rh__put_small(e->to, (uint64_t)r->accesses[i].ordinal * 2 + !!r->accesses[i].wrote);
    }
    for (uint32_t i = 0; i < r->line_count; i++) {
        rh__put_small(e->to, r->lines[i].event);
        rh__put_small(e->to, r->lines[i].actor);
        rh__put_text(e->to, r->payload + r->lines[i].text);
    }
    for (uint32_t i = 0; i < r->monitor_count; i++)
        rh__put_small(e->to, r->monitors[i]);
}

void rh__run_encode(const struct rh__run *r, uint32_t most_value, struct rh__writer *to)
{
    struct encoder e = { .r = r, .to = to, .most_value = most_value };
    if (find_types(&e)) {
        rh__put_small(to, RH__RUN_VERSION);
        put_types(&e);
        put_head(&e);
        put_rows(&e);
    } else {
        to->full = true;
    }
    rh__free(e.actor_types.at);
    rh__free(e.behaviours.at);
    rh__free(e.message_types.at);
}

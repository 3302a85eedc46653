/* See changes.h. */
#include "findings/changes.h"

#include <inttypes.h>
#include <rehearse/sandbox.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/capture.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/visible.h"
#include "explore/engine/engine.h"
#include "findings/event_text.h"
#include "world/live.h"
#include "world/values.h"

enum { MOST_TOLD = 256 }; /* of one row */

static struct rh__changes *new_changes(uint32_t most, uint32_t bytes, bool scenes)
{
    struct rh__changes *c = rh_shared_new(sizeof *c);
    if (c) {
        c->most = most;
        c->bytes = bytes;
        c->scenes = scenes;
    }
    return c;
}

struct rh__changes *rh__changes_new(void)
{
    return new_changes(4096, 128 << 10, false);
}

struct rh__changes *rh__scenes_new(void)
{
    return new_changes(RH__MOST_CHANGES, RH__CHANGES_BYTES, true);
}

void rh__changes_free(struct rh__changes *c)
{
    if (c)
        rh_shared_free(c, sizeof *c);
}

/* ---- in the child process ---------------------------------------------------------------------------------------- */

/* The actors as they were before the event. */
struct before {
    struct image {
        void *state;
        void *before_row; /* the state before the first event of the row */
        uint32_t parts;   /* so many events of the row have changed it */
        const struct rh_behaviour *behaviour;
        char doing[128]; /* of scenes */
    } * actors;
    uint32_t count, room;
    int64_t now;
};

struct rh__watch {
    struct rh__changes *to;
    const struct rh__run *r; /* the run of the finding */
    uint32_t events;         /* so many of it */
    struct before before;
    int capture;
    uint64_t printed; /* bytes before the event */
};

/* Only the first bytes are kept. */
static void note_print(struct rh__changes *c, uint32_t event, uint64_t from, uint64_t to)
{
    if (to > RH__PRINTED_BYTES)
        to = RH__PRINTED_BYTES;
    if (from >= to || event < c->first || c->print_count == RH__MOST_PRINTS)
        return;
    c->prints[c->print_count] = (struct rh__print){ event, (uint32_t)from, (uint32_t)to };
    c->print_count++; /* last: the child may die at any time */
}

static void note_printed(struct rh__watch *x, uint32_t event)
{
    uint64_t size = rh__capture_size(x->capture);
    note_print(x->to, event, x->printed, size);
    x->printed = size;
}

static void note(struct rh__changes *c, enum rh__change_kind kind, uint32_t event, uint32_t actor, const char *text)
{
    size_t size = strlen(text) + 1;
    if ((size == 1 && kind != RH__CHANGE_ROW) || event < c->first || c->full)
        return;
    if (c->count == c->most || c->used + size > c->bytes) {
        c->full = true;
        return;
    }
    memcpy(c->texts + c->used, text, size);
    c->at[c->count] = (struct rh__change){ .event = event, .actor = actor, .kind = kind, .text = c->used };
    c->used += (uint32_t)size;
    c->count++; /* last: the child may die at any time */
}

static bool has_state(const struct rh_world *w, uint32_t actor)
{
    const struct rh_actor_type *type = rh_world_actor_type(w, actor);
    return type && type->size && rh_world_actor_state(w, actor) && !rh_world_actor_ended(w, actor);
}

/* Notes what an actor has, and what it is doing if that is new. */
static void note_scene(struct rh__watch *x, const struct rh_world *w, uint32_t actor, uint32_t event, bool state)
{
    static char text[4096];
    struct image *i = &x->before.actors[actor];
    struct rh__text t;
    char doing[sizeof i->doing];
    if (!x->to->scenes)
        return;
    if (state && has_state(w, actor)) {
        const struct rh_actor_type *type = rh_world_actor_type(w, actor);
        rh__text_init(&t, text, sizeof text);
        const void *bytes = rh_world_actor_state(w, actor);
        if (!rh__value_write(rh__world_run(w), type->name, type->size, bytes, type->size, &t))
            rh__value_write_bytes(type->size, bytes, type->size, &t);
        note(x->to, RH__CHANGE_STATE, event, actor, text);
    }
    rh_world_actor_text(w, actor, doing, sizeof doing);
    if (strcmp(doing, i->doing) != 0) {
        note(x->to, RH__CHANGE_DOING, event, actor, doing);
        memcpy(i->doing, doing, sizeof doing);
    }
}

/* Remembers the actors that are new. */
static bool meet_actors(struct rh__watch *x, const struct rh_world *w, uint32_t event)
{
    struct before *b = &x->before;
    uint32_t count = rh_world_actor_count(w);
    if (count > b->room) {
        struct image *more = rh__realloc(b->actors, count * 2 * sizeof *more);
        if (!more)
            return false;
        b->actors = more;
        b->room = count * 2;
    }
    for (; b->count < count; b->count++) {
        struct image *i = &b->actors[b->count];
        *i = (struct image){ .behaviour = rh_world_actor_behaviour(w, b->count) };
        note_scene(x, w, b->count, event, true);
        if (!has_state(w, b->count))
            continue;
        uint32_t size = rh_world_actor_type(w, b->count)->size;
        i->state = rh__alloc(size);
        if (i->state)
            memcpy(i->state, rh_world_actor_state(w, b->count), size);
    }
    return true;
}

static void compare_actor(struct rh__watch *x, struct rh_world *w, uint32_t actor, uint32_t event)
{
    struct image *i = &x->before.actors[actor];
    const struct rh_behaviour *behaviour = rh_world_actor_behaviour(w, actor);
    char text[1024];
    struct rh__text t;
    bool changed = false;
    if (i->state && has_state(w, actor)) {
        const struct rh_actor_type *type = rh_world_actor_type(w, actor);
        const void *now = rh_world_actor_state(w, actor);
        if (memcmp(i->state, now, type->size) != 0) {
            rh__text_init(&t, text, sizeof text);
            if (event >= x->to->first &&
                !rh__value_write_changes(rh__world_run(w), type->name, type->size, i->state, now, &t))
                rh__value_write_byte_changes(type->size, i->state, now, &t);
            note(x->to, RH__CHANGE_PART, event, actor, text);
            memcpy(i->state, now, type->size);
            i->parts++;
            changed = true;
        }
    }
    if (behaviour && i->behaviour && behaviour != i->behaviour) {
        rh__text_init(&t, text, sizeof text);
        rh__text_add(&t, "becomes %s", behaviour->name);
        note(x->to, RH__CHANGE_BEHAVIOUR, event, actor, text);
    }
    i->behaviour = behaviour;
    note_scene(x, w, actor, event, changed);
}

static void compare(struct rh__watch *x, struct rh_world *w, uint32_t event)
{
    char text[64];
    struct rh__text t;
    int64_t now = rh_world_now_ns(w);
    if (now != x->before.now && rh_world_semantics(w)->time != RH_TIME_FREE) {
        rh__text_init(&t, text, sizeof text);
        rh__text_add(&t, "at %.6g ms", (double)now / 1e6);
        note(x->to, RH__CHANGE_TIME, event, RH_NONE, text);
    }
    x->before.now = now;
    uint32_t own = rh__run_choice(rh__world_run(w), event)->actor; /* the first, since it is not named */
    if (own < x->before.count)
        compare_actor(x, w, own, event);
    for (uint32_t a = 0; a < x->before.count; a++)
        if (a != own)
            compare_actor(x, w, a, event);
    meet_actors(x, w, event);
}

const struct rh_choice *rh__same_choice(struct rh_world *w, const struct rh_choice *open, uint32_t count,
                                        const struct rh__run *r, uint32_t event)
{
    const struct rh_choice *c = rh__run_choice(r, event);
    const struct rh__run *now = rh__world_run(w);
    for (uint32_t i = 0; i < count; i++) {
        if (open[i].kind != c->kind || open[i].actor != c->actor || open[i].what != c->what)
            continue;
        bool text = c->kind == RH_CHOICE_TIMER || c->kind == RH_CHOICE_OUTSIDE;
        if (text ? strcmp(rh__run_text(now, open[i].arg), rh__run_text(r, c->arg)) == 0
                 : c->kind == RH_CHOICE_RESUME || open[i].arg == c->arg)
            return &open[i];
    }
    return NULL;
}

static void add_timer(struct rh_world *w, const struct rh_choice *c, struct rh__text *t)
{
    const struct rh__run *r = rh__world_run(w);
    char name[128];
    rh__run_actor_name(r, c->actor, name, sizeof name);
    if (c->arg)
        rh__text_add(t, "timer %s of %s", rh__run_text(r, c->arg), name);
    else
        rh__text_add(t, "the wait of %s", name);
}

/* Ordered time would fire the one that is due first. */
static void note_overtaking(struct rh__watch *x, struct rh_world *w, const struct rh_choice *open, uint32_t count,
                            const struct rh_choice *next)
{
    const struct rh_choice *first = next;
    struct rh__text t;
    if (next->kind != RH_CHOICE_TIMER || rh_world_semantics(w)->time != RH_TIME_FREE || *x->to->overtakes)
        return;
    for (uint32_t i = 0; i < count; i++)
        if (open[i].kind == RH_CHOICE_TIMER &&
            rh__timer_origin(w, open[i].what).due_ns < rh__timer_origin(w, first->what).due_ns)
            first = &open[i];
    if (first == next)
        return;
    rh__text_init(&t, x->to->overtakes, sizeof x->to->overtakes);
    add_timer(w, next, &t);
    rh__text_add(&t, " came before ");
    add_timer(w, first, &t);
    rh__text_add(&t, ", which was due earlier");
}

/* A row of several events begins, and is over. */
static void begin_row(struct rh__watch *x, const struct rh_world *w)
{
    for (uint32_t a = 0; a < x->before.count; a++) {
        struct image *i = &x->before.actors[a];
        uint32_t size = i->state ? rh_world_actor_type(w, a)->size : 0;
        i->parts = 0;
        if (size && !i->before_row)
            i->before_row = rh__alloc(size);
        if (size && i->before_row)
            memcpy(i->before_row, i->state, size);
    }
}

static void end_row(struct rh__watch *x, struct rh_world *w, uint32_t event)
{
    char text[1024];
    struct rh__text t;
    for (uint32_t a = 0; a < x->before.count; a++) {
        struct image *i = &x->before.actors[a];
        bool several = i->parts > 1 && i->before_row;
        i->parts = 0;
        if (!several)
            continue;
        const struct rh_actor_type *type = rh_world_actor_type(w, a);
        rh__text_init(&t, text, sizeof text);
        if (!rh__value_write_changes(rh__world_run(w), type->name, type->size, i->before_row, i->state, &t))
            rh__value_write_byte_changes(type->size, i->before_row, i->state, &t);
        note(x->to, RH__CHANGE_ROW, event, a, text);
    }
}

static void watch(struct rh_world *w, void *arg)
{
    struct rh__watch *x = arg;
    rh__capture_begin(x->capture);
    note_printed(x, 0); /* nothing, unless the body of the test printed before its first step */
    x->before.now = rh_world_now_ns(w);
    x->to->watched = 1;
    if (!meet_actors(x, w, 0))
        return;
    for (uint32_t event = 1; event < x->events; event++) {
        uint32_t count;
        const struct rh_choice *open = rh_world_enabled(w, &count);
        const struct rh_choice *next = rh__same_choice(w, open, count, x->r, event);
        if (!next)
            return end_row(x, w, event - 1);
        if (rh__event_has_row(x->r, event))
            begin_row(x, w);
        note_overtaking(x, w, open, count, next);
        bool good = rh_world_step(w, next);
        note_printed(x, event);
        if (!good)
            return end_row(x, w, event - 1);
        compare(x, w, event);
        if (rh__event_last_of_row(x->r, event) == event)
            end_row(x, w, event);
        x->to->watched = event + 1;
    }
}

struct rh__watch *rh__watch_new(struct rh__changes *to)
{
    struct rh__watch *x = rh__alloc(sizeof *x);
    if (x)
        *x = (struct rh__watch){ .to = to, .capture = -1 };
    return x;
}

void rh__watch_free(struct rh__watch *x)
{
    for (uint32_t i = 0; x && i < x->before.count; i++)
        rh__free(x->before.actors[i].before_row), rh__free(x->before.actors[i].state);
    if (x)
        rh__free(x->before.actors);
    rh__free(x);
}

bool rh__watch_begin(struct rh__watch *x, struct rh_world *w)
{
    x->to->count = x->to->used = x->to->full = x->to->print_count = x->to->first = 0;
    x->before.now = rh_world_now_ns(w);
    x->to->watched = 1;
    return meet_actors(x, w, 0);
}

void rh__watch_event(struct rh__watch *x, struct rh_world *w)
{
    uint32_t count;
    rh_world_events(w, &count);
    compare(x, w, count - 1);
    x->to->watched = count;
}

/* ---- in this process --------------------------------------------------------------------------------------------- */

bool rh__changes_note(struct rh__changes *c, struct rh_world *w, const struct rh__run *r, uint32_t first,
                      uint32_t events)
{
    struct rh__watch x = { .to = c, .r = r, .events = events, .capture = rh__capture_open() };
    c->count = c->used = c->watched = c->full = c->print_count = 0;
    c->overtakes[0] = 0;
    c->first = first;
    bool good = rh_sandbox_run(w, watch, &x) != RH_SANDBOX_FAILED;
    const struct rh__print *last = c->print_count ? &c->prints[c->print_count - 1] : NULL;
    rh__capture_read(x.capture, c->printed, sizeof c->printed);
    if (good) /* of an event that ended the child */
        note_print(c, events - 1, last ? last->to : 0, rh__capture_size(x.capture));
    if (x.capture >= 0)
        close(x.capture);
    return good;
}

void rh__changes_printed(const struct rh__changes *c, uint32_t first, uint32_t last, const char *lead,
                         struct rh__text *to)
{
    char line[512];
    for (uint32_t i = 0; c && i < c->print_count && c->prints[i].event <= last; i++) {
        const struct rh__print *p = &c->prints[i];
        if (p->event < first)
            continue;
        for (uint32_t at = p->from; at < p->to;) {
            const char *end = memchr(c->printed + at, '\n', p->to - at);
            uint32_t length = end ? (uint32_t)(end - (c->printed + at)) : p->to - at;
            snprintf(line, sizeof line, "%.*s", (int)length, c->printed + at);
            rh__text_add(to, "%s", lead);
            rh__text_add_visible(to, line);
            rh__text_add(to, "\n");
            at += length + 1;
        }
    }
}

uint32_t rh__changes_from(const struct rh__changes *c, uint32_t event)
{
    uint32_t from = 0, to = c->count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (c->at[middle].event < event)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Whether what all events of a row changed stands for what this one of them did. */
static bool is_in_row(const struct rh__changes *c, const struct rh__change *part, uint32_t last)
{
    for (const struct rh__change *x = part; part->kind == RH__CHANGE_PART && x < c->at + c->count && x->event <= last;
         x++)
        if (x->kind == RH__CHANGE_ROW && x->actor == part->actor)
            return true;
    return false;
}

/* The actor of the row comes first, then the others; of each the time, the fields, the behaviour. */
static uint64_t rank_of(const struct rh__change *x, uint32_t own)
{
    static const uint8_t of_kind[] = { [RH__CHANGE_PART] = 1,  [RH__CHANGE_BEHAVIOUR] = 2, [RH__CHANGE_TIME] = 0,
                                       [RH__CHANGE_STATE] = 3, [RH__CHANGE_DOING] = 4,     [RH__CHANGE_ROW] = 1 };
    uint64_t actor = x->actor == own || x->actor == RH_NONE ? 0 : (uint64_t)x->actor + 1;
    return actor << 8 | of_kind[x->kind];
}

/* The changes to tell, in order; returns how many. */
static uint32_t choose_changes(const struct rh__changes *c, uint32_t kinds, uint32_t own, uint32_t first, uint32_t last,
                               const struct rh__change **chosen)
{
    uint32_t n = 0;
    for (uint32_t i = c ? rh__changes_from(c, first) : 0; c && i < c->count && c->at[i].event <= last; i++) {
        const struct rh__change *x = &c->at[i];
        bool of_row = x->kind == RH__CHANGE_ROW;
        if (!(kinds >> (of_row ? RH__CHANGE_PART : x->kind) & 1) || is_in_row(c, x, last) ||
            (of_row && (first == last || !c->texts[x->text])) || n == MOST_TOLD)
            continue;
        uint32_t at = n++;
        for (; at && rank_of(chosen[at - 1], own) > rank_of(x, own); at--)
            chosen[at] = chosen[at - 1];
        chosen[at] = x;
    }
    return n;
}

const char *rh__changes_text_of(const struct rh__changes *c, const struct rh__run *r, uint32_t kinds, uint32_t first,
                                uint32_t last, char *text, size_t size)
{
    const struct rh__change *chosen[MOST_TOLD];
    uint32_t own = rh__run_choice(r, first)->actor, said = own;
    uint32_t count = choose_changes(c, kinds, own, first, last, chosen);
    char name[128];
    struct rh__text t;
    rh__text_init(&t, text, size);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t about = chosen[i]->actor == RH_NONE ? said : chosen[i]->actor;
        rh__text_add(&t, "%s", !t.len ? "" : about == said ? ", " : "; ");
        if (about != said && about < r->actor_count) {
            rh__run_actor_name(r, about, name, sizeof name);
            rh__text_add_visible(&t, name);
            rh__text_add(&t, ": ");
        }
        said = about;
        rh__text_add_visible(&t, c->texts + chosen[i]->text);
    }
    return text;
}

const char *rh__changes_text(const struct rh__changes *c, const struct rh__run *r, uint32_t first, uint32_t last,
                             char *text, size_t size)
{
    uint32_t kinds = 1u << RH__CHANGE_PART | 1u << RH__CHANGE_BEHAVIOUR | 1u << RH__CHANGE_TIME;
    return rh__changes_text_of(c, r, kinds, first, last, text, size);
}

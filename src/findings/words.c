/* See words.h.  Each event has its operations, as the program called them.  What happens to an actor without a call of
 * its own has a sentence of its own: it starts, a handler takes a message, a timer fires, it crashes, it ends. */
#include "findings/words.h"

#include <rehearse/sandbox.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/visible.h"
#include "findings/changes.h"
#include "findings/event_text.h"
#include "findings/story.h"
#include "trace/schedule.h"
#include "world/deeds.h"

enum { NAME = 96, PLACE = 128, MESSAGE = 256, MOST_NAMED = 40, WIDTH = 100, MOST_ACTORS_WATCHED = 4096 };

static const char *name_in(const struct rh__run *r, uint32_t actor, char name[NAME])
{
    struct rh__text t;
    rh__text_init(&t, name, NAME);
    rh__run_logical_name(r, actor, &t);
    return name;
}

/* ---- in the child process ---------------------------------------------------------------------------------------- */

struct telling {
    struct rh__deeds *deeds;
    const struct rh__run *r;
    uint32_t events;
    bool over[MOST_ACTORS_WATCHED];
};

static void note_ends(struct telling *x, const struct rh_world *w, uint32_t event)
{
    uint32_t count = rh_world_actor_count(w);
    for (uint32_t a = 1; a < count && a < MOST_ACTORS_WATCHED; a++) {
        char text[96];
        bool over = rh_world_actor_ended(w, a);
        bool begun = over && !x->over[a];
        x->over[a] = over;
        if (!begun)
            continue;
        const struct rh__run *now = rh__world_run(w);
        snprintf(text, sizeof text, "ends (%s)", rh__run_text(now, rh__run_actor(now, a)->reason));
        rh__deed_add(x->deeds, event, a, NULL, text);
    }
}

/* "deposit(amount=50)". */
static const char *message_in(const struct rh__run *r, uint32_t message, char text[static MESSAGE])
{
    const char *name = rh__run_message(r, message)->type->name;
    char values[100];
    bool any = *rh__message_values(r, message, values, sizeof values);
    snprintf(text, MESSAGE, "%.120s%s%s%s", name, any ? "(" : "", values, any ? ")" : "");
    return text;
}

/* An idle actor takes a message: the place is that of its handler. */
static void note_handler(struct telling *x, const struct rh_world *w, const struct rh_choice *c, uint32_t event)
{
    const struct rh__run *now = rh__world_run(w);
    bool takes = c->kind == RH_CHOICE_DELIVER, fires = c->kind == RH_CHOICE_TIMER && c->actor != now->clock;
    char text[512], from[NAME], place[PLACE], message[MESSAGE];
    if ((!takes && !fires) || rh__run_actor(now, c->actor)->status != STATUS_IDLE)
        return;
    const struct rh_message_type *type = takes ? rh_world_message(w, c->what).type : rh_world_timer(w, c->what).type;
    if (!type || !rh__handler_place(rh_world_actor_behaviour(w, c->actor), type, place, sizeof place))
        return;
    if (takes && rh__is_start(rh__run_message(now, c->what)))
        snprintf(text, sizeof text, "starts");
    else if (takes)
        snprintf(text, sizeof text, "takes %s from %s", message_in(now, c->what, message),
                 name_in(now, rh__run_message(now, c->what)->seen_as, from));
    else
        snprintf(text, sizeof text, "takes %s from its timer", type->name);
    rh__deed_add(x->deeds, event, c->actor, place, text);
}

static void tell(struct rh_world *w, void *arg)
{
    struct telling *x = arg;
    rh__mute();
    note_ends(x, w, 0);
    for (uint32_t event = 1; event < x->events; event++) {
        uint32_t count;
        const struct rh_choice *open = rh_world_enabled(w, &count);
        const struct rh_choice *next = rh__same_choice(w, open, count, x->r, event);
        if (!next)
            return;
        note_handler(x, w, next, event);
        if (!rh_world_step(w, next))
            return;
        note_ends(x, w, event);
    }
}

/* ---- in this process --------------------------------------------------------------------------------------------- */

/* A call that sends and waits was noted before it sent: it belongs to the event of the message. */
static void settle_events(const struct rh__run *r, struct rh__deeds *d)
{
    for (uint32_t i = 0; i < d->count; i++) {
        struct rh__deed *x = &d->at[i];
        for (uint32_t m = 0; x->sends && m < r->message_count; m++) {
            const struct rh__run_message *sent = rh__run_message(r, m);
            if (sent->event < x->event || sent->sender != x->actor || sent->type != x->sends)
                continue;
            x->event = sent->event;
            x->sends = NULL;
        }
    }
}

static void add_place(const char *place, struct rh__text *t)
{
    const char *file = strrchr(place, '/');
    if (!*place)
        return;
    rh__text_add(t, "  (");
    rh__text_add_visible(t, file ? file + 1 : place);
    rh__text_add(t, ")");
}

static void add_line(const struct rh__run *r, uint32_t event, uint32_t actor, const char *deed, const char *place,
                     uint32_t *shown, struct rh__text *t)
{
    char name[NAME];
    if (*shown == event)
        rh__text_add(t, "      ");
    else
        rh__text_add(t, "%4u  ", event);
    *shown = event;
    if (actor != RH_NONE) {
        rh__text_add_visible(t, name_in(r, actor, name));
        rh__text_add(t, " ");
    }
    rh__text_add_visible(t, deed);
    add_place(place, t);
    rh__text_add(t, "\n");
}

static bool acts_in(const struct rh__deeds *d, uint32_t event, uint32_t actor)
{
    for (uint32_t i = 0; i < d->count; i++)
        if (d->at[i].event == event && d->at[i].actor == actor && d->texts[d->at[i].place])
            return true;
    return false;
}

/* An actor whose handler takes rh_start. */
static bool starts_in(const struct rh__deeds *d, uint32_t event)
{
    for (uint32_t i = 0; i < d->count; i++)
        if (d->at[i].event == event && strcmp(d->texts + d->at[i].text, "starts") == 0)
            return true;
    return false;
}

static void add_delivery(const struct rh__run *r, const struct rh__deeds *d, uint32_t event, uint32_t *shown,
                         struct rh__text *t)
{
    const struct rh_choice *c = rh__run_choice(r, event);
    const struct rh__run_message *m = rh__run_message(r, c->what);
    char from[NAME], text[512], message[MESSAGE];
    name_in(r, m->seen_as, from);
    if (rh__is_start(m) && !starts_in(d, event))
        add_line(r, event, c->actor, "starts", "", shown, t);
    else if (rh__is_exit_signal(m)) {
        snprintf(text, sizeof text, "gets an exit signal from %s", from);
        add_line(r, event, c->actor, text, "", shown, t);
    } else if (!m->wake && !acts_in(d, event, c->actor)) {
        snprintf(text, sizeof text, "takes %s from %s", message_in(r, c->what, message), from);
        add_line(r, event, c->actor, text, "", shown, t);
    }
}

/* What the event is, if no operation says so. */
static void add_event(const struct rh__run *r, const struct rh__deeds *d, uint32_t event, uint32_t *shown,
                      struct rh__text *t)
{
    const struct rh_choice *c = rh__run_choice(r, event);
    const char *people = rh__choice_texts(c->kind)->people;
    char text[256], from[NAME];
    struct rh__text line;
    switch (c->kind) {
    case RH_CHOICE_BEGIN:
    case RH_CHOICE_RESUME:
    case RH_CHOICE_VALUE:
        return;
    case RH_CHOICE_DELIVER:
        add_delivery(r, d, event, shown, t);
        return;
    case RH_CHOICE_TIMER:
        if (!c->arg)
            return;
        snprintf(text, sizeof text, "%s \"%.100s\"",
                 c->actor == r->clock ? "reaches" : "has its timer fire:", rh__run_text(r, c->arg));
        break;
    case RH_CHOICE_CRASH:
        snprintf(text, sizeof text, "CRASHES");
        break;
    case RH_CHOICE_RESTART:
        snprintf(text, sizeof text, "STARTS AGAIN%s", c->what ? " with its state" : "");
        break;
    case RH_CHOICE_OUTSIDE:
        snprintf(text, sizeof text, "gets %.200s from outside", rh__run_text(r, c->arg));
        break;
    case RH_CHOICE_PARTITION:
        rh__text_init(&line, text, sizeof text);
        rh__choice_line(r, c, &line);
        break;
    case RH_CHOICE_OPEN:
        if (!c->what)
            return;
        snprintf(text, sizeof text, "%s", c->what == 1 ? "CANNOT OPEN its store" : "finds its store DAMAGED");
        break;
    default:
        snprintf(text, sizeof text, "%s", people ? people + (*people == ' ') : rh_choice_name(c->kind));
        if (rh__is_about_message(c)) {
            size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s from %s", rh__run_message(r, c->what)->type->name,
                     name_in(r, rh__run_message(r, c->what)->seen_as, from));
        }
    }
    add_line(r, event, c->actor, text, "", shown, t);
}

static void add_names(const struct rh__run *r, struct rh__text *t)
{
    char logical[NAME], name[NAME];
    size_t line = t->len;
    rh__text_add(t, "      ");
    for (uint32_t a = 0, n = 0; a < r->actor_count; a++) {
        if (a == r->clock || rh__run_is_outside(r, a))
            continue;
        if (n++ == MOST_NAMED) {
            rh__text_add(t, ", ...");
            break;
        }
        rh__run_actor_name(r, a, name, sizeof name);
        if (n > 1)
            rh__text_add(t, t->len - line > WIDTH ? ",\n      " : ", ");
        if (t->len - line > WIDTH)
            line = t->len;
        rh__text_add(t, "%s is ", name_in(r, a, logical));
        rh__text_add_visible(t, name);
    }
    rh__text_add(t, "\n");
}

bool rh__words_write(const struct rh__run *r, struct rh_world *w, uint32_t events, struct rh__text *t)
{
    struct telling *x = rh__alloc(sizeof *x);
    struct rh__deeds *d = rh__deeds_new();
    uint32_t shown = RH_NONE;
    bool good = x && d;
    if (good) {
        *x = (struct telling){ .deeds = d, .r = r, .events = events };
        rh__world_note_deeds(w, d);
        good = rh_sandbox_run(w, tell, x) != RH_SANDBOX_FAILED;
        rh__world_note_deeds(w, NULL);
        settle_events(r, d);
        add_names(r, t);
    }
    for (uint32_t e = 0; d && e < r->event_count; e++) {
        add_event(r, d, e, &shown, t);
        for (uint32_t i = 0; i < d->count; i++)
            if (d->at[i].event == e)
                add_line(r, e, d->at[i].actor, d->texts + d->at[i].text, d->texts + d->at[i].place, &shown, t);
    }
    if (d && d->full)
        rh__text_add(t, "      (later operations are not told)\n");
    rh__story_write_rest(r, t);
    rh__deeds_free(d);
    rh__free(x);
    return good;
}

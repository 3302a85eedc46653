/* What is known of the reasons of a failure, in sentences (why.h). */
#include <stdio.h>
#include <string.h>

#include "base/visible.h"
#include "findings/event_text.h"
#include "findings/why.h"
#include "trace/schedule.h"

enum { NAME = 128, VALUES = 80 };

/* The two messages have the same type and sender: their values tell them apart. */
static bool look_alike(const struct rh__run *r, const struct rh_choice *a, const struct rh_choice *b)
{
    if (a->kind != RH_CHOICE_DELIVER || b->kind != RH_CHOICE_DELIVER)
        return false;
    const struct rh__run_message *x = rh__run_message(r, a->what), *y = rh__run_message(r, b->what);
    return strcmp(x->type->name, y->type->name) == 0 && x->seen_as == y->seen_as;
}

/* "done from worker#2". */
static void add_message(const struct rh__run *r, uint32_t message, bool with_values, struct rh__text *t)
{
    const struct rh__run_message *m = rh__run_message(r, message);
    char from[NAME], values[VALUES];
    rh__event_actor(r, m->seen_as, from, sizeof from);
    rh__text_add(t, "%s", rh__is_start(m) ? "its start" : m->type->name);
    if (with_values && *rh__message_values(r, message, values, sizeof values))
        rh__text_add(t, "(%s)", values);
    if (!rh__is_start(m))
        rh__text_add(t, " from %s", from);
}

/* "took done from worker#2". */
static void add_deed(const struct rh__run *r, const struct rh_choice *c, bool with_values, struct rh__text *t)
{
    if (c->kind == RH_CHOICE_DELIVER && !rh__run_message(r, c->what)->wake) {
        rh__text_add(t, "took ");
        add_message(r, c->what, with_values, t);
    } else if (c->kind == RH_CHOICE_TIMER && c->arg) {
        rh__text_add(t, "had timer ");
        rh__text_add_visible(t, rh__run_text(r, c->arg));
    } else if (c->kind == RH_CHOICE_TIMER || c->kind == RH_CHOICE_DELIVER) {
        rh__text_add(t, "stopped waiting");
    } else {
        rh__text_add(t, "went on");
    }
}

/* "server#1 took withdraw from client#1 before deposit from client#1, which was under way". */
static void add_waiting(const struct rh__why *y, const struct rh__run *r, struct rh__text *t)
{
    const struct rh_choice *a = rh__run_choice(r, y->first);
    struct rh_choice b = { .kind = RH_CHOICE_DELIVER, .actor = a->actor, .what = y->message };
    bool alike = look_alike(r, a, &b);
    char name[NAME];
    rh__event_actor(r, a->actor, name, sizeof name);
    rh__text_add(t, "%s ", name);
    add_deed(r, a, alike, t);
    rh__text_add(t, " (event %u) before ", rh__event_row_of(r, y->first));
    add_message(r, y->message, alike, t);
    rh__text_add(t, ", which was under way; a run in the other order passes");
}

/* "teller#1 puts "x" in table t (t.c:31) before teller#2 reads "x" in table t (t.c:28)". */
static bool add_uses(const struct rh__why *y, struct rh__text *t)
{
    if (!*y->uses[0] || !*y->uses[1])
        return false;
    rh__text_add_visible(t, y->uses[0]);
    rh__text_add(t, " before ");
    rh__text_add_visible(t, y->uses[1]);
    return true;
}

/* "sink#1 took done from worker#2 before done from worker#1". */
static void add_deeds(const struct rh_choice *a, const struct rh_choice *b, const struct rh__run *r, struct rh__text *t)
{
    bool alike = look_alike(r, a, b), both = a->kind == RH_CHOICE_DELIVER && b->kind == RH_CHOICE_DELIVER;
    char first[NAME], second[NAME];
    rh__event_actor(r, a->actor, first, sizeof first);
    rh__event_actor(r, b->actor, second, sizeof second);
    rh__text_add(t, "%s ", first);
    add_deed(r, a, alike, t);
    rh__text_add(t, " before ");
    if (a->actor == b->actor && both && !rh__run_message(r, b->what)->wake) {
        add_message(r, b->what, alike, t);
    } else {
        rh__text_add(t, "%s ", a->actor == b->actor ? "it" : second);
        add_deed(r, b, alike, t);
    }
}

static void add_order(const struct rh__why *y, const struct rh__run *r, struct rh__text *t)
{
    const struct rh_choice *a = rh__run_choice(r, y->first), *b = rh__run_choice(r, y->second);
    if (a->actor == b->actor || !add_uses(y, t))
        add_deeds(a, b, r, t);
    rh__text_add(t, " (events %u, %u); a run in the other order passes", rh__event_row_of(r, y->first),
                 rh__event_row_of(r, y->second));
}

/* As a line of a schedule, but for a crash: "server#1 crashes", "server#1 crashes, 1 of 2 writes kept". */
static void add_choice(const struct rh__run *r, const struct rh_choice *c, struct rh__text *t)
{
    char name[NAME];
    if (c->kind != RH_CHOICE_CRASH) {
        rh__choice_line(r, c, t);
        return;
    }
    rh__run_actor_name(r, c->actor, name, sizeof name);
    rh__text_add(t, "%s crashes", name);
    if (c->arg)
        rh__text_add(t, ", %u of %u writes kept", c->what, c->arg);
}

void rh__why_order_text(const struct rh__finding *f, const struct rh__run *r, struct rh__text *t)
{
    const struct rh__why *y = &f->why;
    char line[512];
    struct rh__text text;
    if (y->differs == RH__WHY_UNKNOWN || y->first >= r->event_count || y->second >= r->event_count)
        return;
    if (y->differs == RH__WHY_ORDER) {
        add_order(y, r, t);
        return;
    }
    if (y->differs == RH__WHY_WAITING) {
        if (y->message < r->message_count)
            add_waiting(y, r, t);
        return;
    }
    if (y->differs == RH__WHY_USE && add_uses(y, t)) {
        rh__text_add(t, " (event %u); a run in the other order passes", rh__event_row_of(r, y->first));
        return;
    }
    rh__text_init(&text, line, sizeof line);
    add_choice(r, rh__run_choice(r, y->first), &text);
    rh__text_add(t, "%s",
                 y->differs == RH__WHY_FAULT ? "without event "
                 : y->differs == RH__WHY_USE ? "with event "
                                             : "with another choice instead of event ");
    rh__text_add(t, "%u (", y->first);
    rh__text_add_visible(t, line);
    rh__text_add(t, y->differs == RH__WHY_USE ? ") later it passes" : ") it passes");
}

/* "10 (in row 9)" if the event has no row of its own.  What holds after event 10 need not hold after event 9, where
 * `step` and `replay --step` stop: so the event is named, and the row that the reader sees. */
static void event_and_row(const struct rh__run *r, uint32_t event, char *text, size_t size)
{
    uint32_t row = r ? rh__event_row_of(r, event) : event;
    struct rh__text t;
    rh__text_init(&t, text, size);
    rh__text_add(&t, row == event ? "%u" : "%u (in row %u)", event, row);
}

void rh__why_decisive_text(const struct rh__finding *f, const struct rh__run *r, struct rh__text *t)
{
    const struct rh__why *y = &f->why;
    char event[48];
    bool lasso = r && r->loop;
    if (y->leaves_loop)
        rh__text_add(t, "no event decides it: other continuations avoid it at each one, also in the loop");
    if (!y->known)
        return;
    if (y->decisive == f->pick_count && !lasso) {
        rh__text_add(t, "it could be avoided until event %u, the last", y->decisive);
        return;
    }
    event_and_row(r, y->decisive, event, sizeof event);
    if (!y->exhaustive && y->decisive)
        rh__text_add(t, "after event %s ", event);
    else if (y->decisive)
        rh__text_add(t, "after event %s it cannot be avoided", event);
    else if (y->exhaustive)
        rh__text_add(t, "it cannot be avoided");
    if (y->exhaustive && lasso && r->loop_monitor == RH__NO_MONITOR)
        rh__text_add(t, ": no continuation ends (%llu states can follow)", (unsigned long long)y->continuations);
    else if (y->exhaustive && lasso)
        rh__text_add(t, ": every fair continuation stays hot in the end (%llu states can follow)",
                     (unsigned long long)y->continuations);
    else if (y->exhaustive && y->continuations == 1)
        rh__text_add(t, ": there is one continuation");
    else if (y->exhaustive)
        rh__text_add(t, ": all %llu continuations fail", (unsigned long long)y->continuations);
    else
        rh__text_add(t, "all of %llu random %s fail (95 %% confidence: at most %.1f %% do not)",
                     (unsigned long long)y->continuations, y->decisive ? "continuations" : "runs",
                     300.0 / (double)y->continuations);
}

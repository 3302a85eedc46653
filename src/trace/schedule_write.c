/* See schedule.h: runs and choices as lines of a schedule. */
#include "trace/schedule.h"

#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "world/cuts.h"

/* Writes the full name, however long: no two actors have the same name.  Types are identifiers; an external sender's
 * name may be anything. */
static void add_actor(const struct rh__run *r, uint32_t actor, struct rh__text *t)
{
    if (actor && actor < r->actor_count && rh__run_is_outside(r, actor))
        rh__text_escape(t, r->payload + rh__run_actor(r, actor)->initial);
    else
        rh__run_actor_path(r, actor, t);
}

/* Compares types by name, because a type of another file may have the same name. */
static bool same_kind(const struct rh__run_message *a, const struct rh__run_message *b)
{
    return a->receiver == b->receiver && a->seen_as == b->seen_as &&
           (a->type == b->type || strcmp(a->type->name, b->type->name) == 0);
}

/* The index, from 1, among the messages with the same type, sender and receiver.  Only earlier messages count, so that
 * a message has the same name when it is offered and when the run is over. */
static uint32_t rank(const struct rh__run *r, uint32_t message)
{
    const struct rh__run_message *m = rh__run_message(r, message);
    uint32_t n = 1;
    for (uint32_t i = 0; i < message; i++) {
        const struct rh__run_message *x = rh__run_message(r, i);
        n += x->copy_of == RH_NONE && same_kind(x, m);
    }
    return n;
}

/* The index, from 1, among the duplicates of one message. */
static uint32_t copy_rank(const struct rh__run *r, uint32_t message)
{
    uint32_t n = 1;
    for (uint32_t i = rh__run_message(r, message)->copy_of; i < message; i++)
        n += rh__run_message(r, i)->copy_of == rh__run_message(r, message)->copy_of;
    return n;
}

/* The ranks of all messages at once, for long runs: each is found from the previous message of its kind, which a table
 * remembers.  Returns NULL if there is not enough memory; then they are counted one by one. */
static uint32_t *all_ranks(const struct rh__run *r)
{
    uint32_t size = 64;
    while (size < 2 * r->message_count)
        size *= 2;
    uint32_t *ranks = rh__alloc_array((size_t)r->message_count + 1, sizeof *ranks);
    uint32_t *table = rh__alloc_array(size, sizeof *table); /* message + 1 */
    for (uint32_t i = 0; ranks && table && i < r->message_count; i++) {
        const struct rh__run_message *m = rh__run_message(r, i);
        if (m->copy_of != RH_NONE)
            continue;
        uint32_t at =
            (uint32_t)rh__mix(rh__mix(rh__hash(m->type->name, strlen(m->type->name), 0), m->seen_as), m->receiver) &
            (size - 1);
        while (table[at] && !same_kind(rh__run_message(r, table[at] - 1), m))
            at = (at + 1) & (size - 1);
        ranks[i] = table[at] ? ranks[table[at] - 1] + 1 : 1;
        table[at] = i + 1;
    }
    if (!table) {
        rh__free(ranks);
        ranks = NULL;
    }
    rh__free(table);
    return ranks;
}

static void add_rank(const struct rh__run *r, uint32_t message, const uint32_t *ranks, struct rh__text *t)
{
    uint32_t of = rh__run_message(r, message)->copy_of;
    uint32_t original = of == RH_NONE ? message : of;
    uint32_t n = ranks ? ranks[original] : rank(r, original);
    uint32_t copy = of == RH_NONE ? 0 : copy_rank(r, message);
    if (n > 1)
        rh__text_add(t, copy ? " (%u, copy" : " (%u", n);
    else if (copy)
        rh__text_add(t, " (copy");
    if (copy > 1)
        rh__text_add(t, " %u", copy);
    if (n > 1 || copy)
        rh__text_add(t, ")");
}

static void add_message_to(const struct rh__run *r, uint32_t message, const uint32_t *ranks, struct rh__text *t)
{
    const struct rh__run_message *m = rh__run_message(r, message);
    rh__text_add(t, "%s from ", m->type->name);
    add_actor(r, m->seen_as, t);
    rh__text_add(t, " to ");
    add_actor(r, m->receiver, t);
    add_rank(r, message, ranks, t);
}

static void add_timer(const struct rh__run *r, uint32_t name, struct rh__text *t)
{
    rh__text_add(t, "'s timer \"");
    rh__text_escape(t, rh__run_text(r, name));
    rh__text_add(t, "\" fires");
}

static void add_subject(const struct rh__run *r, const struct rh_choice *c, const uint32_t *ranks, struct rh__text *t)
{
    if (rh__is_about_message(c))
        add_message_to(r, c->what, ranks, t);
    else if (c->actor != RH_NONE)
        add_actor(r, c->actor, t);
}

static void add_node(void *arg, uint32_t node, struct rh__text *t)
{
    const struct rh__run *r = arg;
    for (uint32_t i = 0; i < r->actor_count; i++)
        if (rh__run_is_node(r, i) && rh__run_actor(r, i)->node == node) {
            rh__text_add(t, " ");
            add_actor(r, i, t);
        }
}

static void add_delivery(const struct rh__run *r, const struct rh_choice *c, const uint32_t *ranks, struct rh__text *t)
{
    add_actor(r, c->actor, t);
    if (rh__run_message(r, c->what)->wake) {
        rh__text_add(t, " stops waiting");
        return;
    }
    rh__text_add(t, " takes %s from ", rh__run_message(r, c->what)->type->name);
    add_actor(r, rh__run_message(r, c->what)->seen_as, t);
    add_rank(r, c->what, ranks, t);
}

/* The kinds of choice whose row has no line (RH_CHOICES): those that add_long_line has a case for. */
enum {
    LONG_LINES = 1u << RH_CHOICE_OUTSIDE | 1u << RH_CHOICE_BEGIN | 1u << RH_CHOICE_DELIVER | 1u << RH_CHOICE_TIMER |
                 1u << RH_CHOICE_VALUE | 1u << RH_CHOICE_OPEN | 1u << RH_CHOICE_CRASH | 1u << RH_CHOICE_RESTART |
                 1u << RH_CHOICE_PARTITION
};
#define RH_X(name, text, attributes, line, people, word)                                                               \
    _Static_assert(RH__HAS_TEXT(line) || LONG_LINES >> RH_CHOICE_##name & 1, "a choice without a line: " #name);
RH_CHOICES(RH_X)
#undef RH_X

static void add_long_line(const struct rh__run *r, const struct rh_choice *c, const uint32_t *ranks, struct rh__text *t)
{
    static const char *const openings[] = { " opens its store", " cannot open its store", " finds its store damaged" };
    bool by_clock = c->kind == RH_CHOICE_TIMER && c->actor == r->clock;
    if (c->kind != RH_CHOICE_BEGIN && c->kind != RH_CHOICE_DELIVER && c->kind != RH_CHOICE_OUTSIDE &&
        c->actor != RH_NONE && !by_clock)
        add_actor(r, c->actor, t);
    switch (c->kind) {
    case RH_CHOICE_BEGIN:
        rh__text_add(t, "# the test begins");
        break;
    case RH_CHOICE_DELIVER:
        add_delivery(r, c, ranks, t);
        break;
    case RH_CHOICE_TIMER:
        if (by_clock) {
            rh__text_add(t, "the clock reaches ");
            rh__text_escape(t, rh__run_text(r, c->arg));
        } else if (c->arg) {
            add_timer(r, c->arg, t);
        } else {
            rh__text_add(t, " stops waiting");
        }
        break;
    case RH_CHOICE_VALUE:
        rh__text_add(t, " chooses %u of %u", c->what, c->arg);
        break;
    case RH_CHOICE_OPEN:
        rh__text_add(t, "%s", openings[c->what]);
        break;
    case RH_CHOICE_CRASH:
        rh__text_add(t, " crashes keeping %u", c->what);
        break;
    case RH_CHOICE_OUTSIDE:
        rh__text_add(t, "outside %u sends %s to ", rh__outside_number(c) + 1, rh__run_text(r, c->arg));
        add_actor(r, c->actor, t);
        break;
    case RH_CHOICE_RESTART:
        rh__text_add(t, " restarts%s", c->what ? " with its state" : "");
        break;
    case RH_CHOICE_PARTITION:
        rh__cut_text(c->what, RH__CUT_NODES, add_node, (void *)r, t);
        break;
    default:
        RH__ASSERT(false, "choice %u has no line", c->kind);
    }
}

static void choice_line(const struct rh__run *r, const struct rh_choice *c, const uint32_t *ranks, struct rh__text *t)
{
    const char *line = rh__choice_texts(c->kind)->line;
    if (line) {
        add_subject(r, c, ranks, t);
        rh__text_add(t, "%s", line);
    } else {
        add_long_line(r, c, ranks, t);
    }
}

void rh__choice_line(const struct rh__run *r, const struct rh_choice *c, struct rh__text *t)
{
    choice_line(r, c, NULL, t);
}

/* Cheap, and mostly enough: the line of a message names its type, but for the end of a wait. */
static bool may_fit(const struct rh__run *r, const struct rh_choice *c, const char *line)
{
    if (!rh__is_about_message(c) || c->kind == RH_CHOICE_ACCEPT)
        return true;
    const struct rh__run_message *m = rh__run_message(r, c->what);
    return m->wake || strstr(line, m->type->name);
}

bool rh__schedule_fits(const struct rh__run *r, const struct rh_choice *c, const char *line, char *buffer, size_t size)
{
    if (!may_fit(r, c, line))
        return false;
    struct rh__text t;
    rh__text_init(&t, buffer, size);
    choice_line(r, c, NULL, &t);
    return !t.cut && strcmp(buffer, line) == 0;
}

/* What does not fit is left out by whole lines: half a line would mean something else. */
static void end_with_a_line(struct rh__text *t)
{
    static const char note[] = "# the rest did not fit\n";
    if (!t->cut || t->cap <= sizeof note)
        return;
    if (t->len > t->cap - sizeof note)
        t->len = t->cap - sizeof note;
    while (t->len && t->at[t->len - 1] != '\n')
        t->len--;
    memcpy(t->at + t->len, note, sizeof note);
    t->len += sizeof note - 1;
}

static void add_loop(const struct rh__run *r, struct rh__text *t)
{
    if (r->loop_monitor == RH__NO_MONITOR) {
        rh__text_add(t, RH__SCHEDULE_CIRCLE "\n");
        return;
    }
    rh__text_add(t, RH__SCHEDULE_LOOP ": ");
    add_actor(r, r->loop_monitor, t);
    rh__text_add(t, " stays hot\n");
}

void rh__schedule_write(const struct rh__run *r, struct rh__text *t)
{
    uint32_t *ranks = all_ranks(r);
    rh__text_add(t, "rehearse schedule %d\ntest %s\n", RH__SCHEDULE_VERSION, r->test);
    rh__semantics_write(r->semantics, r->own, t);
    for (size_t i = 0; i < r->param_count; i++) {
        rh__text_add(t, "set param.");
        rh__text_escape(t, r->params[i].name);
        rh__text_add(t, "=");
        rh__text_escape(t, r->params[i].value);
        rh__text_add(t, "\n");
    }
    rh__text_add(t, "# %u event%s\n", r->event_count - 1, r->event_count == 2 ? "" : "s");
    for (uint32_t i = 1; i < r->event_count; i++) {
        if (r->loop == i)
            add_loop(r, t);
        choice_line(r, &rh__run_event(r, i)->choice, ranks, t);
        rh__text_add(t, "\n");
    }
    rh__free(ranks);
    end_with_a_line(t);
}

/* See schedule.h: writing and reading schedules. */
#include "trace/schedule.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "world/actors.h"
#include "world/state.h"

/* ---- writing --------------------------------------------------------------------------------------------------------- */

/* Names and values are the program's: what would end a line, begin a comment or be trimmed away is written otherwise. */
static void add_escaped(struct rh__text *t, const char *text)
{
    for (const char *c = text; *c; c++) {
        bool at_edge = c == text || !c[1];
        if (*c == '\n')
            rh__text_add(t, "\\n");
        else if (*c == '\\')
            rh__text_add(t, "\\\\");
        else if (*c == '#' && (c == text || isspace((unsigned char)c[-1])))
            rh__text_add(t, "\\#");
        else if ((unsigned char)*c < ' ' || (*c == ' ' && at_edge) ||
                 (*c == '(' && c > text && c[-1] == ' ')) /* what stands there is a number */
            rh__text_add(t, "\\x%02x", (unsigned char)*c);
        else
            rh__text_put(t, c, 1);
    }
}

/* In full, however long: no two actors are called the same.  Types are identifiers; what outsiders are called is anything. */
static void add_actor(const struct rh_world *w, uint32_t actor, struct rh__text *t)
{
    if (actor && actor < w->actor_count && w->actors[actor].status == STATUS_OUTSIDE)
        add_escaped(t, w->payload + w->actors[actor].initial);
    else
        rh__actor_path_write(w, actor, t);
}

/* By name: the type of another file may be called the same. */
static bool same_kind(const struct message *a, const struct message *b)
{
    return (a->type == b->type || strcmp(a->type->name, b->type->name) == 0) && a->seen_as == b->seen_as &&
           a->receiver == b->receiver;
}

/* Of the messages of this type, sender and receiver the how-many-th sent, from 1.  Only earlier ones count, so that a
 * message is called the same when it is offered and when the run is over. */
static uint32_t rank(const struct rh_world *w, uint32_t message)
{
    const struct message *m = &w->messages[message];
    uint32_t n = 1;
    for (uint32_t i = 0; i < message; i++) {
        const struct message *x = &w->messages[i];
        n += x->copy_of == RH_NONE && same_kind(x, m);
    }
    return n;
}

/* Of the duplicates of one message the how-many-th, from 1. */
static uint32_t copy_rank(const struct rh_world *w, uint32_t message)
{
    uint32_t n = 1;
    for (uint32_t i = w->messages[message].copy_of; i < message; i++)
        n += w->messages[i].copy_of == w->messages[message].copy_of;
    return n;
}

/* The ranks of all messages at once, for long runs: each is found through the last one before it of its kind, which a
 * table keeps.  NULL where there is no memory: then they are counted one by one. */
static uint32_t *all_ranks(const struct rh_world *w)
{
    uint32_t size = 64;
    while (size < 2 * w->message_count)
        size *= 2;
    uint32_t *ranks = rh__alloc_array((size_t)w->message_count + 1, sizeof *ranks);
    uint32_t *table = rh__alloc_array(size, sizeof *table); /* message + 1 */
    for (uint32_t i = 0; ranks && table && i < w->message_count; i++) {
        const struct message *m = &w->messages[i];
        if (m->copy_of != RH_NONE)
            continue;
        uint32_t at =
            (uint32_t)rh__mix(rh__mix(rh__hash(m->type->name, strlen(m->type->name), 0), m->seen_as), m->receiver) &
            (size - 1);
        while (table[at] && !same_kind(&w->messages[table[at] - 1], m))
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

static void add_rank(const struct rh_world *w, uint32_t message, const uint32_t *ranks, struct rh__text *t)
{
    uint32_t of = w->messages[message].copy_of;
    uint32_t original = of == RH_NONE ? message : of;
    uint32_t n = ranks ? ranks[original] : rank(w, original);
    uint32_t copy = of == RH_NONE ? 0 : copy_rank(w, message);
    if (n > 1)
        rh__text_add(t, copy ? " (%u, copy" : " (%u", n);
    else if (copy)
        rh__text_add(t, " (copy");
    if (copy > 1)
        rh__text_add(t, " %u", copy);
    if (n > 1 || copy)
        rh__text_add(t, ")");
}

static void add_message_to(const struct rh_world *w, uint32_t message, const uint32_t *ranks, struct rh__text *t)
{
    const struct message *m = &w->messages[message];
    rh__text_add(t, "%s from ", m->type->name);
    add_actor(w, m->seen_as, t);
    rh__text_add(t, " to ");
    add_actor(w, m->receiver, t);
    add_rank(w, message, ranks, t);
}

static void add_timer(const struct rh_world *w, uint32_t name, struct rh__text *t)
{
    rh__text_add(t, "'s timer \"");
    add_escaped(t, w->payload + (uint64_t)name * 16);
    rh__text_add(t, "\" fires");
}

static void choice_line(const struct rh_world *w, const struct rh_choice *c, const uint32_t *ranks, struct rh__text *t)
{
    switch ((enum rh_choice_kind)c->kind) {
    case RH_CHOICE_BEGIN:
        rh__text_add(t, "# the test begins");
        break;
    case RH_CHOICE_DELIVER:
        add_actor(w, c->actor, t);
        if (w->messages[c->what].wake) {
            rh__text_add(t, " stops waiting");
            break;
        }
        rh__text_add(t, " takes %s from ", w->messages[c->what].type->name);
        add_actor(w, w->messages[c->what].seen_as, t);
        add_rank(w, c->what, ranks, t);
        break;
    case RH_CHOICE_TIMER:
        if (c->actor == w->clock) {
            rh__text_add(t, "the clock reaches ");
            add_escaped(t, w->payload + (uint64_t)c->arg * 16);
            break;
        }
        add_actor(w, c->actor, t);
        if (c->arg)
            add_timer(w, c->arg, t);
        else
            rh__text_add(t, " stops waiting");
        break;
    case RH_CHOICE_VALUE:
        add_actor(w, c->actor, t);
        rh__text_add(t, " chooses %u of %u", c->what, c->arg);
        break;
    case RH_CHOICE_RESUME:
        add_actor(w, c->actor, t);
        rh__text_add(t, " goes on");
        break;
    case RH_CHOICE_ACCEPT:
        add_message_to(w, c->what, ranks, t);
        rh__text_add(t, " is accepted");
        break;
    case RH_CHOICE_STORED:
        add_actor(w, c->actor, t);
        rh__text_add(t, "'s write is durable");
        break;
    case RH_CHOICE_UNSTORED:
        add_actor(w, c->actor, t);
        rh__text_add(t, "'s write fails");
        break;
    case RH_CHOICE_OPEN:
        add_actor(w, c->actor, t);
        rh__text_add(t, "%s",
                     c->what == 0   ? " opens its store"
                     : c->what == 1 ? " cannot open its store"
                                    : " finds its store damaged");
        break;
    case RH_CHOICE_LOSE:
        add_message_to(w, c->what, ranks, t);
        rh__text_add(t, " is lost");
        break;
    case RH_CHOICE_DUPLICATE:
        add_message_to(w, c->what, ranks, t);
        rh__text_add(t, " is doubled");
        break;
    case RH_CHOICE_CRASH:
        add_actor(w, c->actor, t);
        rh__text_add(t, " crashes keeping %u", c->what);
        break;
    case RH_CHOICE_RESTART:
        add_actor(w, c->actor, t);
        rh__text_add(t, " restarts%s", c->what ? " with its state" : "");
        break;
    case RH_CHOICE_PARTITION:
        rh__text_add(t, "the network splits:");
        for (uint32_t i = 0; i < w->actor_count; i++)
            if (w->actors[i].parent == 0 && w->actors[i].node != RH_NONE && c->what >> w->actors[i].node & 1) {
                rh__text_add(t, " ");
                add_actor(w, i, t);
            }
        break;
    case RH_CHOICE_HEAL:
        rh__text_add(t, "the network heals");
        break;
    case RH_CHOICE_END:
        rh__text_add(t, "the run ends");
        break;
    }
}

void rh__choice_line(const struct rh_world *w, const struct rh_choice *c, struct rh__text *t)
{
    choice_line(w, c, NULL, t);
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

void rh__schedule_write(const struct rh_world *w, struct rh__text *t)
{
    uint32_t *ranks = all_ranks(w);
    rh__text_add(t, "rehearse schedule %d\ntest %s\n", RH__SCHEDULE_VERSION, w->test->name);
    rh__semantics_write(&w->semantics, &w->test->semantics, t);
    for (size_t i = 0; i < w->param_count; i++) {
        rh__text_add(t, "set param.");
        add_escaped(t, w->params[i].name);
        rh__text_add(t, "=");
        add_escaped(t, w->params[i].value);
        rh__text_add(t, "\n");
    }
    rh__text_add(t, "# %u event%s\n", w->event_count - 1, w->event_count == 2 ? "" : "s");
    for (uint32_t i = 1; i < w->event_count; i++) {
        choice_line(w, &w->events[i].choice, ranks, t);
        rh__text_add(t, "\n");
    }
    rh__free(ranks);
    end_with_a_line(t);
}

/* ---- reading --------------------------------------------------------------------------------------------------------- */

static char *trim(char *text)
{
    char *comment = text;
    /* A comment begins at the start of the line or behind white space: actors are named writer#1. */
    while ((comment = strchr(comment, '#')) && comment != text && !isspace((unsigned char)comment[-1]))
        comment++;
    if (comment)
        *comment = 0;
    while (isspace((unsigned char)*text))
        text++;
    char *end = text + strlen(text);
    while (end > text && isspace((unsigned char)end[-1]))
        *--end = 0;
    return text;
}

/* What add_escaped did, taken back in place; anything else behind a backslash stays as it is. */
static char *unescape(char *text)
{
    char *to = text;
    for (const char *c = text; *c; c++) {
        unsigned byte;
        if (*c != '\\')
            *to++ = *c;
        else if (c[1] == 'n' || c[1] == '\\' || c[1] == '#')
            *to++ = *++c == 'n' ? '\n' : *c;
        else if (c[1] == 'x' && isxdigit((unsigned char)c[2]) && isxdigit((unsigned char)c[3]) &&
                 sscanf(c + 2, "%2x", &byte) == 1 && byte) {
            *to++ = (char)byte;
            c += 3;
        } else
            *to++ = *c;
    }
    *to = 0;
    return text;
}

static bool starts(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool take_setting(struct rh__schedule *s, char *text, uint32_t number, char *error, size_t error_size)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text) {
        snprintf(error, error_size, "line %u: `set` wants name=value", number);
        return false;
    }
    *equals = 0;
    s->settings[s->setting_count++] = (struct rh__schedule_setting){ unescape(text), unescape(equals + 1) };
    return true;
}

static bool take_line(struct rh__schedule *s, char *text, uint32_t number, char *error, size_t error_size)
{
    if (starts(text, "set "))
        return take_setting(s, text + 4, number, error, error_size);
    if (starts(text, "test ") && !s->line_count && !strchr(text + 5, ' ')) {
        s->test = text + 5;
        return true;
    }
    s->lines[s->line_count++] = (struct rh__schedule_line){ text, number };
    return true;
}

bool rh__schedule_parse(struct rh__schedule *s, const char *bytes, size_t size, char *error, size_t error_size)
{
    uint32_t count = 1, number = 0;
    *s = (struct rh__schedule){ 0 };
    for (size_t i = 0; i < size; i++) {
        count += bytes[i] == '\n';
        if (!bytes[i]) {
            snprintf(error, error_size, "line %u: a zero byte: this is no schedule", count);
            return false;
        }
    }
    s->bytes = rh__alloc(size + 1);
    s->settings = rh__alloc_array(count, sizeof *s->settings);
    s->lines = rh__alloc_array(count, sizeof *s->lines);
    if (!s->bytes || !s->settings || !s->lines) {
        snprintf(error, error_size, "no memory for a schedule of %zu bytes", size);
        rh__schedule_release(s);
        return false;
    }
    memcpy(s->bytes, bytes, size);
    s->bytes[size] = 0;
    bool head = false;
    for (char *line = s->bytes, *next; line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        number++;
        char *text = trim(line);
        if (!*text)
            continue;
        if (!head) {
            unsigned version;
            char end;
            if (sscanf(text, "rehearse schedule %u%c", &version, &end) != 1) {
                snprintf(error, error_size, "line %u: a schedule begins with `rehearse schedule %d`", number,
                         RH__SCHEDULE_VERSION);
                rh__schedule_release(s);
                return false;
            }
            if (version != RH__SCHEDULE_VERSION) {
                snprintf(error, error_size, "line %u: version %u of schedules is not known, only %d", number, version,
                         RH__SCHEDULE_VERSION);
                rh__schedule_release(s);
                return false;
            }
            head = true;
        } else if (!take_line(s, text, number, error, error_size)) {
            rh__schedule_release(s);
            return false;
        }
    }
    if (!head) {
        snprintf(error, error_size, "it is empty");
        rh__schedule_release(s);
    }
    return head;
}

bool rh__schedule_read(struct rh__schedule *s, const char *path, char *error, size_t error_size)
{
    enum { LARGEST = 64 << 20 };
    FILE *f = fopen(path, "rb");
    char why[256];
    if (!f) {
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
        return false;
    }
    size_t size = 0, room = 0;
    char *bytes = NULL;
    for (size_t got = 1; got && size < LARGEST; size += got) {
        if (size == room) {
            char *more = rh__realloc(bytes, room = room ? room * 2 : 4096);
            if (!more)
                break;
            bytes = more;
        }
        got = fread(bytes + size, 1, room - size, f);
    }
    bool complete = feof(f) && !ferror(f);
    fclose(f);
    bool good = complete && rh__schedule_parse(s, bytes, size, why, sizeof why);
    if (!good)
        snprintf(error, error_size, "%s: %s", path, complete ? why : "it cannot be read whole");
    rh__free(bytes);
    return good;
}

void rh__schedule_release(struct rh__schedule *s)
{
    rh__free(s->bytes);
    rh__free(s->settings);
    rh__free(s->lines);
    *s = (struct rh__schedule){ 0 };
}

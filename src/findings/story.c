/* See story.h.  Rows are events; a cell says what its actor took and from whom, and the last column what the message
 * carried and what it changed: "amount=50 => balance=150".  An event that only goes on with what
 * its actor did in the event before has no row: nobody else has moved in between.  If there are more actors than fit on
 * a line, the run is a list instead, with the sends of each event after an arrow.  Below a row stands what the program
 * logged (>) and printed (|) there. */
#include "findings/story.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/visible.h"
#include "findings/event_text.h"
#include "findings/ranges.h"
#include "findings/story_rest.h"
#include "findings/story_rows.h"
#include "findings/why.h"
#include "findings/words.h"
#include "run/encode.h"
#include "trace/schedule.h"

enum { MOST_COLUMNS = 12, NAME = 128, CELL = 512, LONGEST = 400 };
enum { VALUE = 1024, NARROWEST_VALUE = 24, MOST_VALUE = 256 };

/* In a long run the end matters most: there is no room for the changes of so many events at its beginning. */
static uint32_t omitted(const struct rh__run *r)
{
    return r->event_count > LONGEST ? r->event_count - LONGEST : 0;
}

static void back_to_the_loop(const struct rh__run *r, struct rh__text *t)
{
    if (r->loop)
        rh__text_add(t, "      -- back to event %u, in the same state, for ever --\n", r->loop);
}

struct story {
    const struct rh__run *r;
    const struct rh__changes *changes; /* NULL: not known */
    struct rh__story_marks marks;
    struct rh__story_rows rows;
    bool whole;
};

/* Behind the number of the event: ! where the run fails, * where that was decided. */
static char mark_of(const struct story *s, uint32_t first)
{
    uint32_t last = rh__event_last_of_row(s->r, first);
    uint32_t failing = s->marks.failing, decisive = s->marks.decisive;
    return failing >= first && failing <= last ? '!' : decisive >= first && decisive <= last ? '*' : ' ';
}

/* What the events of a row changed. */
static const char *changes_of(const struct story *s, uint32_t event, char *text, size_t size)
{
    return rh__changes_text(s->changes, s->r, event, rh__event_last_of_row(s->r, event), text, size);
}

/* What the program logged and printed in the events of a row, below the row. */
static void add_said(const struct story *s, uint32_t event, struct rh__text *t)
{
    uint32_t last = rh__event_last_of_row(s->r, event), own = rh__run_choice(s->r, event)->actor;
    for (uint32_t i = 0; i < s->r->line_count; i++) {
        const struct rh__run_line *line = &s->r->lines[i];
        char name[NAME];
        if (line->event < event || line->event > last || rh__line_tells_of_crash(s->r, line))
            continue;
        rh__text_add(t, "      > ");
        if (line->actor != own) {
            rh__event_actor(s->r, line->actor, name, sizeof name);
            rh__text_add(t, "%s: ", name);
        }
        rh__text_add_visible(t, s->r->payload + line->text);
        rh__text_add(t, "\n");
    }
    rh__changes_printed(s->changes, event, last, "      | ", t);
}

/* What stands before a row: where a loop begins, and how many rows were left out. */
static void add_before(const struct story *s, uint32_t row, uint32_t *left_out, struct rh__text *t)
{
    const struct rh__run *r = s->r;
    if (*left_out)
        rh__text_add(t, "      ... %u row%s left out (up to event %u); --whole-story shows all\n", *left_out,
                     *left_out == 1 ? "" : "s", s->rows.at[row].event - 1);
    *left_out = 0;
    if (r->loop && s->rows.at[row].event == r->loop)
        rh__text_add(t, "      -- the loop begins --\n");
}

/* What stands behind a row: the quiet phase is no event. */
static void add_behind(const struct story *s, uint32_t row, struct rh__text *t)
{
    uint32_t quiet = s->r->semantics ? s->r->semantics->quiet_after : 0;
    uint32_t next = row + 1 < s->rows.count ? s->rows.at[row + 1].event : s->r->event_count;
    add_said(s, s->rows.at[row].last, t);
    if (quiet && quiet >= s->rows.at[row].event && quiet < next)
        rh__text_add(t, "      -- the quiet phase begins: no more faults, and the network is whole --\n");
}

/* "4x append < leader#1". */
static void row_text(const struct story *s, const struct rh__story_row *row, unsigned parts, char *text, size_t size)
{
    size_t count = row->count > 1 ? (size_t)snprintf(text, size, "%ux ", row->count) : 0;
    size_t room = size - count < CELL ? size - count : CELL;
    rh__event_text(s->r, row->last, parts, text + count, room);
}

/* What the messages of a row carried: "number=3..5" if it stands for several. */
static const char *values_of(const struct story *s, const struct rh__story_row *row, char *text, size_t size)
{
    struct rh__ranges x;
    const struct rh_choice *first = rh__run_choice(s->r, row->event);
    rh__event_values(s->r, row->event, text, size < sizeof x.text ? size : sizeof x.text);
    if (row->count == 1)
        return text;
    rh__ranges_begin(&x, text);
    for (uint32_t e = row->event + 1; e <= row->last; e++) {
        const struct rh_choice *c = rh__run_choice(s->r, e);
        if (c->kind == first->kind && c->actor == first->actor)
            rh__ranges_add(&x, rh__event_values(s->r, e, text, size < sizeof x.text ? size : sizeof x.text));
    }
    return rh__ranges_text(&x, text, size);
}

/* A column for each actor, and the last one for values. */
struct columns {
    uint32_t actor[MOST_COLUMNS], width[MOST_COLUMNS], count;
    uint32_t values_at, values_room; /* where the last column begins, and its width; 0: it is empty */
};

/* Whether the last column is so narrow that rows would take many lines: a list needs fewer. */
static bool is_narrow(const struct story *s, uint32_t room)
{
    char values[VALUE], changes[VALUE];
    size_t rows = 0, lines = 0;
    for (uint32_t i = 0; i < s->rows.count; i++) {
        const struct rh__story_row *row = &s->rows.at[i];
        if (row->left_out)
            continue;
        size_t value = strlen(values_of(s, row, values, sizeof values));
        size_t change = strlen(changes_of(s, row->last, changes, sizeof changes));
        size_t both = value + (change ? change + strlen(" => ") : 0);
        rows++;
        lines += both > room ? (both + room / 4) / room + 1 : 1; /* lines are seldom full */
    }
    return lines * 2 > rows * 3;
}

/* Returns false if there are too many actors, or lines would be too wide. */
static bool measure_columns(const struct story *s, struct columns *x)
{
    const struct rh__run *r = s->r;
    char text[CELL], values[VALUE], changes[VALUE];
    uint32_t total = 5, widest = 0;
    *x = (struct columns){ 0 };
    for (uint32_t i = 0; i < s->rows.count; i++) {
        const struct rh__story_row *row = &s->rows.at[i];
        uint32_t e = row->last, actor = rh__run_event(r, e)->choice.actor, c = 0;
        if (actor == RH_NONE || row->left_out)
            continue;
        while (c < x->count && x->actor[c] != actor)
            c++;
        if (c == x->count) {
            if (x->count == MOST_COLUMNS)
                return false;
            for (; c && x->actor[c - 1] > actor; c--) { /* in the order of their spawns */
                x->actor[c] = x->actor[c - 1];
                x->width[c] = x->width[c - 1];
            }
            x->count++;
            x->actor[c] = actor;
            rh__event_actor(r, actor, text, sizeof text);
            x->width[c] = (uint32_t)strlen(text);
        }
        row_text(s, row, RH__EVENT_SENDER, text, sizeof text);
        if (strlen(text) > x->width[c])
            x->width[c] = (uint32_t)strlen(text);
        size_t wide =
            strlen(values_of(s, row, values, sizeof values)) + strlen(changes_of(s, e, changes, sizeof changes));
        widest = wide > widest ? (uint32_t)wide : widest;
    }
    for (uint32_t c = 0; c < x->count; c++)
        total += x->width[c] + 2;
    uint32_t narrowest = widest < NARROWEST_VALUE ? widest : NARROWEST_VALUE;
    if (total + narrowest + !!widest > rh__story_width())
        return false;
    x->values_at = widest ? total + 1 : 0;
    x->values_room = rh__story_width() - total;
    return !widest || !is_narrow(s, x->values_room);
}

/* What the message carried and what that changed, broken between words. */
static void as_last_column(const struct story *s, const struct columns *x, const struct rh__story_row *row,
                           size_t begin, struct rh__text *t)
{
    char values[VALUE], changes[VALUE];
    uint32_t at = x->values_at;
    values_of(s, row, values, sizeof values);
    changes_of(s, row->last, changes, sizeof changes);
    size_t wide = strlen(values), more = *changes ? strlen("=> ") + strlen(changes) : 0;
    if (!wide && !more)
        return;
    rh__text_add(t, "%*s", (int)(at - (t->len - begin)), "");
    rh__story_add_broken(t, values, at, at);
    if (wide && more && wide + 1 + more > x->values_room) {
        rh__text_add(t, "\n%*s", (int)at, "");
        wide = 0;
    }
    if (more) {
        rh__text_add(t, "%s=> ", wide ? " " : "");
        rh__story_add_broken(t, changes, at + (uint32_t)wide + !!wide + 3, at + 3);
    }
}

static void as_row(const struct story *s, const struct columns *x, const struct rh__story_row *row, struct rh__text *t)
{
    char text[CELL];
    uint32_t e = row->last, actor = rh__run_event(s->r, e)->choice.actor;
    size_t begin = t->len;
    rh__text_add(t, "%4u%c", row->event, mark_of(s, row->event));
    row_text(s, row, RH__EVENT_SENDER, text, sizeof text);
    if (actor == RH_NONE) {
        rh__text_add(t, " -- %s --", text);
    } else {
        uint32_t c = 0;
        for (; x->actor[c] != actor; c++)
            rh__text_add(t, " %-*s ", (int)x->width[c], "");
        rh__text_add(t, " %s", text);
    }
    if (x->values_at && t->len - begin < x->values_at)
        as_last_column(s, x, row, begin, t);
    rh__text_add(t, "\n");
}

static bool as_columns(const struct story *s, struct rh__text *t)
{
    const struct rh__run *r = s->r;
    struct columns x;
    char text[CELL];
    if (!measure_columns(s, &x))
        return false;
    uint32_t left_out = 0;
    rh__text_add(t, "    ");
    for (uint32_t c = 0; c < x.count; c++) {
        rh__event_actor(r, x.actor[c], text, sizeof text);
        rh__text_add(t, "  %-*s", c + 1 < x.count || x.values_at ? (int)x.width[c] : 0, text);
    }
    rh__text_add(t, x.values_at ? "  values\n" : "\n");
    for (uint32_t i = 0; i < s->rows.count; i++) {
        if (s->rows.at[i].left_out) {
            left_out++;
            continue;
        }
        add_before(s, i, &left_out, t);
        as_row(s, &x, &s->rows.at[i], t);
        add_behind(s, i, t);
    }
    back_to_the_loop(r, t);
    return true;
}

/* The widest name of an actor that has a row, within reason. */
static uint32_t widest_name(const struct story *s)
{
    uint32_t widest = 4, most = rh__story_width() / 4;
    char name[NAME];
    for (uint32_t i = 0; i < s->rows.count; i++) {
        uint32_t actor = rh__run_choice(s->r, s->rows.at[i].event)->actor;
        if (actor == RH_NONE || s->rows.at[i].left_out)
            continue;
        rh__event_actor(s->r, actor, name, sizeof name);
        widest = strlen(name) > widest ? (uint32_t)strlen(name) : widest;
    }
    return widest < most ? widest : most;
}

static void listed_text(const struct story *s, const struct rh__story_row *row, char *text, size_t size)
{
    char values[VALUE];
    if (!s->whole && row->count == 1) {
        row_text(s, row, RH__EVENT_SENDER | RH__EVENT_VALUES | RH__EVENT_SENDS, text, size);
        return;
    }
    row_text(s, row, RH__EVENT_SENDER | RH__EVENT_SENDS, text, size);
    if (*values_of(s, row, values, sizeof values))
        snprintf(text + strlen(text), size - strlen(text), "  (%s)", values);
}

static void as_list(const struct story *s, struct rh__text *t)
{
    const struct rh__run *r = s->r;
    char name[NAME], text[CELL + 2 * VALUE], changes[VALUE];
    uint32_t wide = widest_name(s), at = 6 + wide + 1, left_out = 0;
    for (uint32_t i = 0; i < s->rows.count; i++) {
        const struct rh__story_row *row = &s->rows.at[i];
        uint32_t e = row->last, actor = rh__run_event(r, e)->choice.actor;
        if (row->left_out) {
            left_out++;
            continue;
        }
        add_before(s, i, &left_out, t);
        name[0] = 0;
        if (actor != RH_NONE)
            rh__event_actor(r, actor, name, sizeof name);
        listed_text(s, row, text, sizeof text);
        rh__text_add(t, "%4u%c %-*s ", row->event, mark_of(s, row->event), (int)wide, name);
        uint32_t from = strlen(name) > wide ? at + (uint32_t)(strlen(name) - wide) : at;
        rh__story_add_broken(t, text, from, at + 2);
        size_t used = from + strlen(text);
        if (*changes_of(s, e, changes, sizeof changes)) {
            bool beside = used + strlen("  => ") + strlen(changes) <= rh__story_width();
            if (beside) {
                rh__text_add(t, "  => %s", changes);
            } else {
                rh__text_add(t, "\n%*s=> ", (int)at, "");
                rh__story_add_broken(t, changes, at + 3, at + 5);
            }
        }
        rh__text_add(t, "\n");
        add_behind(s, i, t);
    }
    back_to_the_loop(r, t);
}

void rh__story_write(const struct rh__run *r, const struct rh__changes *changes, const struct rh__story_marks *marks,
                     unsigned how, struct rh__text *t)
{
    static const struct rh__story_marks none = { RH_NONE, RH_NONE, RH_NONE, RH_NONE, false };
    struct story s = { .r = r, .changes = changes, .marks = marks ? *marks : none, .whole = how & RH__TELL_WHOLE };
    bool left_out = false;
    if (!rh__story_rows_make(&s.rows, r, changes, &s.marks, s.whole)) {
        rh__text_add(t, "  (no memory for the story)\n");
        return;
    }
    if (!as_columns(&s, t))
        as_list(&s, t);
    for (uint32_t i = 0; i < s.rows.count; i++)
        left_out |= s.rows.at[i].left_out;
    rh__story_rows_release(&s.rows);
    if (left_out)
        rh__story_write_last_logs(r, t);
    rh__story_write_rest(r, t);
    if (changes && *changes->overtakes) {
        rh__text_add(t, "  time is free: ");
        rh__text_add_visible(t, changes->overtakes);
        rh__text_add(t, ";\n    if the program relies on its delays, use --time ordered (.time = RH_TIME_ORDERED)\n");
    }
}

void rh__story_write_world(struct rh_world *w, unsigned how, struct rh__text *t)
{
    unsigned char *bytes = rh__alloc(RH__RUN_BYTES);
    struct rh__changes *changes = rh__changes_new();
    struct rh__run *r = NULL;
    char error[128];
    if (bytes) {
        struct rh__writer to = rh__writer_of(bytes, RH__RUN_BYTES);
        rh__run_encode(rh__world_run(w), MOST_VALUE, &to);
        r = to.full ? NULL : rh__run_decode(bytes, to.len, error, sizeof error);
    }
    uint32_t events = r ? rh__events_to_watch(r, rh_world_outcome(w)->kind) : 0;
    if (r && how & RH__TELL_IN_WORDS) {
        rh__words_write(r, w, events, t);
    } else {
        if (r && changes)
            rh__changes_note(changes, w, r, omitted(r), events);
        const struct rh__run *shown = r ? r : rh__world_run(w);
        bool failed = rh_outcome_failed(rh_world_outcome(w)->kind);
        struct rh__story_marks marks = { RH_NONE, failed ? shown->event_count - 1 : RH_NONE, RH_NONE, RH_NONE,
                                         rh_world_outcome(w)->kind == RH_OUTCOME_ENDLESS_RUN };
        rh__story_write(shown, r ? changes : NULL, &marks, how, t);
    }
    rh__run_free(r);
    rh__changes_free(changes);
    rh__free(bytes);
}

static struct rh__story_marks marks_of(const struct rh__finding *f, const struct rh__run *r)
{
    const struct rh__why *y = &f->why;
    bool why = y->differs != RH__WHY_UNKNOWN;
    return (struct rh__story_marks){ y->known && y->decisive ? y->decisive : RH_NONE, r->event_count - 1,
                                     why ? y->first : RH_NONE, why && y->differs == RH__WHY_ORDER ? y->second : RH_NONE,
                                     f->outcome.kind == RH_OUTCOME_ENDLESS_RUN };
}

static bool describe(struct rh__finding *f, struct rh_world *w, unsigned how, struct rh__changes *changes)
{
    bool in_words = how & RH__TELL_IN_WORDS;
    char error[128];
    struct rh__text t;
    struct rh__run *r = f->encoded_size ? rh__run_decode(f->encoded, f->encoded_size, error, sizeof error) : NULL;
    RH__ASSERT(r || !f->encoded_size, "a finding keeps what is %s", error);
    bool good = !r || !w || !changes || in_words ||
                rh__changes_note(changes, w, r, omitted(r), rh__events_to_watch(r, f->outcome.kind));
    rh__text_init(&t, f->schedule, RH__SCHEDULE_BYTES);
    if (r)
        rh__schedule_write(r, &t);
    rh__text_init(&t, f->reason, sizeof f->reason);
    if (r)
        rh__why_order_text(f, r, &t);
    rh__text_init(&t, f->decided, sizeof f->decided);
    rh__why_decisive_text(f, r, &t);
    rh__text_init(&t, f->story, RH__STORY_BYTES);
    if (r && w && in_words)
        good = rh__words_write(r, w, rh__events_to_watch(r, f->outcome.kind), &t);
    else if (r) {
        struct rh__story_marks marks = marks_of(f, r);
        rh__story_write(r, w ? changes : NULL, &marks, how, &t);
    }
    rh__run_free(r);
    return good;
}

bool rh__findings_describe(struct rh__results *results, struct rh_world *w, unsigned how)
{
    struct rh__changes *changes = w && results->finding_count ? rh__changes_new() : NULL;
    bool good = true;
    for (uint32_t i = 0; i < results->finding_count; i++)
        good &= describe(&results->findings[i], good ? w : NULL, how, changes);
    rh__changes_free(changes);
    return good;
}

/* See history.h: a core as text.
 *
 *     client#1  write 1: written  |==|
 *     client#2  write 2: written        |==|
 *     client#3  read: value 1                 |==|
 *
 * Calls between which no operation of the core returned are in one column, and so are returns between which none was
 * called: so the picture depends only on which operations precede which. */
#include <string.h>

#include "history/history.h"

enum { MOST_LINES = 12, LONGEST_NAME = 18, LEAST_BARS = 14, MOST_STEP = 4, OPEN = 0xffffffffu };

struct line {
    char name[64], text[160];
    size_t call;       /* length of the text of the call, before ": " and the result; 0: it is one text */
    uint32_t from, to; /* columns; OPEN: it has not returned */
};

/* ---- columns ----------------------------------------------------------------------------------------------------- */

/* The next moment after `after` at which an operation was called or returned; 0 for none. */
static uint32_t next_moment(const struct rh__history_op *ops, uint32_t count, uint32_t after, bool *is_call)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++)
        for (int call = 0; call < 2; call++) {
            uint32_t moment = call ? ops[i].called : ops[i].returned;
            if (moment > after && moment != RH__NOT_RETURNED && (!next || moment < next)) {
                next = moment;
                *is_call = call;
            }
        }
    return next;
}

/* Returns the number of columns. */
static uint32_t set_columns(const struct rh__history_op *ops, uint32_t count, struct line *lines)
{
    bool before = true, is_call = true;
    uint32_t column = 0;
    for (uint32_t at = 0; (at = next_moment(ops, count, at, &is_call));) {
        column += is_call != before;
        before = is_call;
        for (uint32_t i = 0; i < count; i++) {
            if (ops[i].called == at)
                lines[i].from = column;
            if (ops[i].returned == at)
                lines[i].to = column;
        }
    }
    return column + 1;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* Control characters of a program's own text would break the picture. */
static void make_plain(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 32 || *c == 127)
            *c = '?';
}

/* Cuts a text to so many columns. */
static void fit(char *text, size_t columns)
{
    if (strlen(text) > columns)
        memcpy(text + columns - 2, "..", 3);
}

/* The result is what contradicts: a call gives way to it, down to half of the columns. */
static void fit_both(struct line *line, size_t columns)
{
    size_t length = strlen(line->text), result = length - line->call;
    if (length <= columns)
        return;
    if (!line->call || columns < 12) {
        fit(line->text, columns);
        return;
    }
    size_t call = columns > result && columns - result > columns / 2 ? columns - result : columns / 2;
    if (line->call > call) {
        memcpy(line->text + call - 2, "..", 2);
        memmove(line->text + call, line->text + line->call, result + 1);
        line->call = call;
    }
    fit(line->text, columns);
}

static void set_texts(const struct rh_history *h, const struct rh__history_op *o, const struct rh__history_words *words,
                      struct line *line)
{
    struct rh__text t;
    rh__text_init(&t, line->name, sizeof line->name);
    words->client(words->arg, o->client, &t);
    make_plain(line->name);
    fit(line->name, LONGEST_NAME);
    line->text[0] = 0;
    line->call = 0;
    rh__text_init(&t, line->text, sizeof line->text);
    if (h->model.print) {
        h->model.print(&o->seen, line->text, sizeof line->text);
        line->text[sizeof line->text - 1] = 0;
    } else {
        words->value(words->arg, o->seen.call.type, o->seen.call.value, &t);
        if (o->seen.result.type) {
            line->call = strlen(line->text);
            rh__text_add(&t, ": ");
            words->value(words->arg, o->seen.result.type, o->seen.result.value, &t);
        }
    }
    make_plain(line->text);
    line->from = 0;
    line->to = OPEN;
}

static void add_many(struct rh__text *to, char c, uint32_t n)
{
    while (n--)
        rh__text_put(to, &c, 1);
}

static void add_bar(const struct line *line, uint32_t columns, uint32_t width, struct rh__text *to)
{
    uint32_t step = columns > 1 ? (width - 2) / (columns - 1) : 1;
    step = step > MOST_STEP ? MOST_STEP : step;
    uint32_t last = step ? (columns - 1) * step : width - 2;
    uint32_t from = step ? line->from * step : line->from * last / columns;
    uint32_t end = line->to == OPEN ? last + 1 : step ? line->to * step : line->to * last / columns;
    add_many(to, ' ', from);
    rh__text_add(to, "|");
    add_many(to, '=', end > from ? end - from - 1 : 0);
    rh__text_add(to, line->to == OPEN ? ">" : "|");
}

static size_t widest(const struct line *lines, uint32_t count, bool names)
{
    size_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t n = strlen(names ? lines[i].name : lines[i].text);
        most = n > most ? n : most;
    }
    return most;
}

static void add_sentence(const struct rh_history *h, const struct rh__history_core *core, struct rh__text *to)
{
    bool whole = h->model.consistency == RH_SEQUENTIAL;
    rh__text_add(to, "%s is not %s: no order of %s", h->name, whole ? "sequentially consistent" : "linearizable",
                 core->count == 1 ? "this operation" : "these operations");
    if (!whole && *core->ops->seen.key)
        rh__text_add(to, " on \"%s\"", core->ops->seen.key);
    rh__text_add(to, " explains %s", core->count == 1 ? "it" : "them");
}

void rh__history_draw(const struct rh_history *h, const struct rh__history_core *core,
                      const struct rh__history_words *words, struct rh__text *to)
{
    struct line lines[MOST_LINES];
    uint32_t count = core->count < MOST_LINES ? core->count : MOST_LINES;
    add_sentence(h, core, to);
    for (uint32_t i = 0; i < count; i++)
        set_texts(h, &core->ops[i], words, &lines[i]);
    uint32_t columns = set_columns(core->ops, count, lines);
    size_t names = widest(lines, count, true), texts = widest(lines, count, false);
    size_t most = RH__HISTORY_COLUMNS - names - 4 - LEAST_BARS;
    texts = texts < most ? texts : most;
    for (uint32_t i = 0; i < count; i++) {
        fit_both(&lines[i], texts);
        rh__text_add(to, "\n%-*s  %-*s  ", (int)names, lines[i].name, (int)texts, lines[i].text);
        add_bar(&lines[i], columns, (uint32_t)(RH__HISTORY_COLUMNS - names - texts - 4), to);
    }
    if (core->count > count)
        rh__text_add(to, "\n... and %u more", core->count - count);
    if (core->others)
        rh__text_add(to,
                     core->others == 1 ? "\n(whatever the other operation did, and when)"
                                       : "\n(whatever the other %u operations did, and when)",
                     core->others);
}

/* See chart_layout.h. */
#include "report/chart_layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/visible.h"
#include "findings/event_text.h"

static const double letter = 6.7; /* width of a character of a label */

void rh__chart_label(const struct rh__chart *c, uint32_t event, char *text, size_t size)
{
    char values[RH__CHART_LABEL];
    struct rh__text t;
    rh__event_text(c->run, event, 0, text, size);
    if (!*rh__event_values(c->run, event, values, sizeof values))
        return;
    size_t there = strlen(text);
    rh__text_init(&t, text + there, size - there);
    rh__text_add(&t, "(%s)", values);
}

void rh__chart_changed(const struct rh__chart *c, const struct rh__chart_row *row, char *text, size_t size)
{
    uint32_t kinds = 1u << RH__CHANGE_PART | 1u << RH__CHANGE_BEHAVIOUR; /* the axis has the time */
    snprintf(text, size, "=> ");
    rh__changes_text_of(c->changes, c->run, kinds, row->event, row->last, text + 3, size - 3);
    if (!text[3])
        *text = 0;
}

size_t rh__chart_line(const char *text, uint32_t room, uint32_t *characters)
{
    size_t at = 0, good = 0;
    uint32_t count = 0, good_count = 0;
    while (text[at] && count < room) {
        int n = rh__utf8_length((const unsigned char *)text + at);
        at += n ? (size_t)n : 1;
        count++;
        if (text[at - 1] == ' ' || text[at - 1] == ',' || !text[at]) {
            good = at;
            good_count = count;
        }
    }
    bool whole = !text[at] || good_count >= room / 2;
    *characters = whole ? good_count : count;
    return whole ? good : at;
}

uint32_t rh__chart_lines(const char *text, uint32_t room, uint32_t most, uint32_t *widest)
{
    uint32_t lines = 0, characters;
    for (; *text && lines < most; lines++) {
        text += rh__chart_line(text, room, &characters);
        *widest = characters > *widest ? characters : *widest;
    }
    return lines;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

static void meet(struct rh__layout *l, uint32_t actor)
{
    if (actor < l->chart->run->actor_count)
        l->column_of[actor] = 0;
}

/* Actors that do something in the rows, or whose messages are taken there. */
static void make_columns(struct rh__layout *l)
{
    const struct rh__run *r = l->chart->run;
    for (uint32_t a = 0; a < r->actor_count; a++)
        l->column_of[a] = RH_NONE;
    for (uint32_t i = 0; i < l->row_count; i++)
        meet(l, rh__run_choice(r, l->rows[i].event)->actor);
    for (uint32_t i = 0; i < r->message_count; i++) {
        const struct rh__run_message *m = rh__run_message(r, i);
        if (m->taken_by != RH_NONE && l->row_of[m->taken_by] != RH_NONE && !rh__is_start(m))
            meet(l, m->sender);
    }
    for (uint32_t a = 0; a < r->actor_count; a++)
        if (l->column_of[a] != RH_NONE) {
            l->columns[l->column_count] = (struct rh__chart_column){ .actor = a };
            l->column_of[a] = l->column_count++;
        }
}

static double half_head(const struct rh__layout *l, const struct rh__chart_column *c)
{
    char name[256];
    rh__event_actor(l->chart->run, c->actor, name, sizeof name);
    return (double)strlen(name) * letter * 0.55 + 12;
}

static void place_columns(struct rh__layout *l)
{
    enum { GAP = 26 };
    double x = RH__CHART_MARGIN + l->axis;
    for (uint32_t i = 0; i < l->column_count; i++) {
        struct rh__chart_column *c = &l->columns[i];
        double head = half_head(l, c), before = i ? l->columns[i - 1].right : 0;
        double heads = (i ? half_head(l, &l->columns[i - 1]) : 0) + head + 10;
        double room = (before > c->left ? before : c->left) + GAP;
        x += room > heads ? room : heads;
        c->x = x;
        if (i + 1 == l->column_count)
            x += (c->right > head ? c->right : head) + RH__CHART_MARGIN;
    }
    l->width = x < 600 ? 600 : x;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* The message comes from the right, so that the label is on the left. */
static bool comes_from_right(const struct rh__run *r, const struct rh_choice *c)
{
    if (!rh__is_about_message(c) || rh__is_start(rh__run_message(r, c->what)))
        return false;
    return rh__run_message(r, c->what)->sender > c->actor && rh__run_message(r, c->what)->sender < r->actor_count;
}

static void measure_row(struct rh__layout *l, struct rh__chart_row *row)
{
    char text[RH__CHART_LABEL];
    uint32_t widest = 0;
    const struct rh_choice *c = rh__run_choice(l->chart->run, row->event);
    rh__chart_label(l->chart, row->event, text, sizeof text);
    row->lines = rh__chart_lines(text, RH__CHART_LINE, RH__CHART_LINES, &widest);
    rh__chart_changed(l->chart, row, text, sizeof text);
    row->changes = rh__chart_lines(text, RH__CHART_LINE, RH__CHART_LINES, &widest);
    row->left = comes_from_right(l->chart->run, c);
    if (c->actor >= l->chart->run->actor_count)
        return;
    struct rh__chart_column *column = &l->columns[l->column_of[c->actor]];
    double *room = row->left ? &column->left : &column->right, needed = widest * letter + 16;
    *room = needed > *room ? needed : *room;
}

static void place_rows(struct rh__layout *l)
{
    enum { BETWEEN = 16 };
    double y = l->top + 20;
    for (uint32_t i = 0; i < l->row_count; i++) {
        struct rh__chart_row *row = &l->rows[i];
        uint32_t lines = row->lines + row->changes;
        row->y = y;
        y += (lines > 1 ? lines : 1) * RH__CHART_STEP + BETWEEN;
    }
    l->bottom = y;
}

/* A start that sends nothing, and does not go on, is no news. */
static bool is_silent_start(const struct rh__run *r, uint32_t event)
{
    const struct rh_choice *c = rh__run_choice(r, event);
    return c->kind == RH_CHOICE_DELIVER && rh__is_start(rh__run_message(r, c->what)) && event + 1 < r->event_count &&
           rh__event_last_of_row(r, event) == event &&
           rh__run_messages_end(r, event) == rh__run_event(r, event)->first_message;
}

static bool has_row(const struct rh__run *r, uint32_t event)
{
    return rh__event_has_row(r, event) && (event || r->event_count == 1) && !is_silent_start(r, event);
}

static void make_rows(struct rh__layout *l)
{
    const struct rh__run *r = l->chart->run;
    uint32_t all = 0;
    for (uint32_t e = 0; e < r->event_count; e++) {
        l->row_of[e] = RH_NONE;
        all += has_row(r, e);
    }
    for (uint32_t e = 0; e < r->event_count; e++) {
        if (has_row(r, e) && all-- <= RH__CHART_ROWS)
            l->rows[l->row_count++] = (struct rh__chart_row){ .event = e, .last = e };
        else if (!l->row_count)
            l->omitted = e + 1;
        if (l->row_count && (l->rows[l->row_count - 1].event == e || !rh__event_has_row(r, e))) {
            l->row_of[e] = l->row_count - 1;
            l->rows[l->row_count - 1].last = e;
        }
    }
    for (uint32_t i = 0; l->chart->changes && i < l->chart->changes->count; i++)
        l->timed |= l->chart->changes->at[i].kind == RH__CHANGE_TIME;
}

bool rh__layout(struct rh__layout *l, const struct rh__chart *c)
{
    const struct rh__run *r = c->run;
    *l = (struct rh__layout){ .chart = c };
    l->rows = calloc(r->event_count, sizeof *l->rows);
    l->row_of = calloc(r->event_count, sizeof *l->row_of);
    l->columns = calloc(r->actor_count, sizeof *l->columns);
    l->column_of = calloc(r->actor_count, sizeof *l->column_of);
    if (!l->rows || !l->row_of || !l->columns || !l->column_of) {
        rh__layout_release(l);
        return false;
    }
    make_rows(l);
    make_columns(l);
    for (uint32_t i = 0; i < l->row_count; i++)
        measure_row(l, &l->rows[i]);
    l->axis = l->timed ? 96 : 36;
    place_columns(l);
    l->title_room = (uint32_t)((l->width - 2 * RH__CHART_MARGIN) / 8);
    uint32_t lines = rh__chart_lines(c->title, l->title_room, RH__CHART_TITLE, &(uint32_t){ 0 });
    l->top = RH__CHART_MARGIN + lines * RH__CHART_TITLE_STEP + RH__CHART_HEAD;
    place_rows(l);
    return true;
}

void rh__layout_release(struct rh__layout *l)
{
    free(l->rows);
    free(l->row_of);
    free(l->columns);
    free(l->column_of);
    *l = (struct rh__layout){ 0 };
}

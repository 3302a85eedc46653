/* See story_rows.h. */
#include "findings/story_rows.h"

#include <string.h>

#include "base/fail.h"
#include "findings/event_text.h"
#include "findings/ranges.h"

enum { CELL = 256, VALUE = 1024, FOLDED_FROM = 3, FIRST_ROWS = 20, LAST_ROWS = 60, CIRCLE_ROWS = 10 };

struct making {
    const struct rh__run *r;
    const struct rh__changes *changes;
    const struct rh__story_marks *marks;
};

/* True if the event is one of those for which a row from `first` on stands. */
static bool is_marked(const struct making *m, uint32_t first)
{
    uint32_t last = rh__event_last_of_row(m->r, first);
    const uint32_t marks[] = { m->marks->decisive, m->marks->failing, m->marks->first, m->marks->second };
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (marks[i] >= first && marks[i] <= last)
            return true;
    return m->r->loop >= first && m->r->loop <= last && m->r->loop;
}

static bool says_something(const struct making *m, uint32_t first)
{
    uint32_t last = rh__event_last_of_row(m->r, first);
    for (uint32_t i = 0; i < m->r->line_count; i++)
        if (m->r->lines[i].event >= first && m->r->lines[i].event <= last)
            return true;
    for (uint32_t i = 0; m->changes && i < m->changes->print_count; i++)
        if (m->changes->prints[i].event >= first && m->changes->prints[i].event <= last)
            return true;
    return false;
}

/* An actor goes on, and sends, changes and says nothing.  Known only where changes were noted. */
static bool tells_nothing(const struct making *m, uint32_t event)
{
    const struct rh__run *r = m->r;
    char text[VALUE];
    uint32_t last = rh__event_last_of_row(r, event);
    return rh__run_choice(r, event)->kind == RH_CHOICE_RESUME && m->changes && event >= m->changes->first &&
           last < m->changes->watched && !m->changes->full && event + 1 < r->event_count && !is_marked(m, event) &&
           rh__run_event(r, event)->first_message == rh__run_messages_end(r, last) && !says_something(m, event) &&
           !*rh__changes_text(m->changes, r, event, last, text, sizeof text);
}

/* The same message from the same sender, taken again by the same actor, which sends the same as before.  A folded row
 * shows numbers that differ as a range; what differs in more would be lost. */
static bool is_same(const struct making *m, uint32_t a, uint32_t b)
{
    const struct rh_choice *x = rh__run_choice(m->r, a), *y = rh__run_choice(m->r, b);
    char first[VALUE], second[VALUE];
    if (x->kind != RH_CHOICE_DELIVER || y->kind != RH_CHOICE_DELIVER || x->actor != y->actor)
        return false;
    rh__event_text(m->r, a, RH__EVENT_SENDER | RH__EVENT_SENDS, first, CELL);
    rh__event_text(m->r, b, RH__EVENT_SENDER | RH__EVENT_SENDS, second, CELL);
    if (strcmp(first, second) != 0)
        return false;
    rh__event_values(m->r, a, first, sizeof first);
    rh__event_values(m->r, b, second, sizeof second);
    if (!rh__ranges_same_shape(first, second))
        return false;
    rh__changes_text(m->changes, m->r, a, rh__event_last_of_row(m->r, a), first, sizeof first);
    rh__changes_text(m->changes, m->r, b, rh__event_last_of_row(m->r, b), second, sizeof second);
    return rh__ranges_same_places(first, second); /* the row shows what they have become in the end */
}

static bool may_fold(const struct making *m, uint32_t event)
{
    return !is_marked(m, event) && !says_something(m, event);
}

static void fold(const struct making *m, struct rh__story_rows *rows)
{
    uint32_t n = 0;
    for (uint32_t i = 0, end; i < rows->count; i = end) {
        for (end = i + 1; end < rows->count && may_fold(m, rows->at[i].event) && may_fold(m, rows->at[end].event) &&
                          is_same(m, rows->at[i].event, rows->at[end].event);)
            end++;
        bool folds = end - i >= FOLDED_FROM;
        end = folds ? end : i + 1;
        rows->at[n] = rows->at[i];
        rows->at[n].last = rows->at[end - 1].event;
        rows->at[n++].count = end - i;
    }
    rows->count = n;
}

static void leave_out(const struct making *m, struct rh__story_rows *rows)
{
    uint32_t last = m->marks->circle ? CIRCLE_ROWS : LAST_ROWS;
    for (uint32_t i = FIRST_ROWS; i + last < rows->count; i++)
        rows->at[i].left_out = !is_marked(m, rows->at[i].event);
}

bool rh__story_rows_make(struct rh__story_rows *rows, const struct rh__run *r, const struct rh__changes *changes,
                         const struct rh__story_marks *marks, bool whole)
{
    struct making m = { r, changes, marks };
    *rows = (struct rh__story_rows){ .at = rh__alloc_array(r->event_count ? r->event_count : 1, sizeof *rows->at) };
    if (!rows->at)
        return false;
    for (uint32_t e = 0; e < r->event_count; e++)
        if (rh__event_has_row(r, e) && (whole || !tells_nothing(&m, e)))
            rows->at[rows->count++] = (struct rh__story_row){ .event = e, .last = e, .count = 1 };
    if (!whole) {
        fold(&m, rows);
        leave_out(&m, rows);
    }
    return true;
}

void rh__story_rows_release(struct rh__story_rows *rows)
{
    rh__free(rows->at);
    *rows = (struct rh__story_rows){ 0 };
}

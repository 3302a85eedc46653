/* See story_rest.h. */
#include "findings/story_rest.h"

#include <string.h>
#include <unistd.h>

#include "base/columns.h"
#include "base/visible.h"
#include "findings/event_text.h"
#include "findings/story.h"

enum { WIDEST = 132, NAME = 128, CELL = 512, VALUE = 1024, LISTED_VALUE = 160 };

uint32_t rh__story_width(void)
{
    uint32_t columns = rh__columns(STDOUT_FILENO);
    return columns ? columns - 3 : WIDEST;
}

void rh__story_add_broken(struct rh__text *t, const char *text, uint32_t at, uint32_t indent)
{
    uint32_t width = rh__story_width();
    while (*text) {
        size_t n = 1 + strcspn(text + 1, " "); /* with the space before it */
        if (at + n > width && at > indent) {
            rh__text_add(t, "\n%*s", (int)indent, "");
            at = indent;
            n -= *text == ' ';
            text += *text == ' ';
        }
        rh__text_put(t, text, n);
        at += (uint32_t)n;
        text += n;
    }
}

void rh__story_write_last_logs(const struct rh__run *r, struct rh__text *t)
{
    bool any = false;
    for (uint32_t a = 0; a < r->actor_count; a++)
        for (uint32_t i = r->line_count; i-- > 0;)
            if (r->lines[i].actor == a && !rh__line_tells_of_crash(r, &r->lines[i])) {
                char name[NAME];
                rh__event_actor(r, a, name, sizeof name);
                rh__text_add(t, "%s    %s: ", any ? "" : "  last logged:\n", name);
                rh__text_add_visible(t, r->payload + r->lines[i].text);
                rh__text_add(t, "  (event %u)\n", r->lines[i].event);
                any = true;
                break;
            }
}

/* The same message from the same sender, to one actor and to others. */
static bool is_alike(const struct rh__run *r, uint32_t a, uint32_t b)
{
    const struct rh__run_message *x = rh__run_message(r, a), *y = rh__run_message(r, b);
    char first[VALUE], second[VALUE];
    return y->taken_by == RH_NONE && x->seen_as == y->seen_as && strcmp(x->type->name, y->type->name) == 0 &&
           strcmp(rh__message_values(r, a, first, sizeof first), rh__message_values(r, b, second, sizeof second)) == 0;
}

/* "beat(term=2) from leader#1 to follower#1, follower#2": those that follow one another. */
static uint32_t add_left(const struct rh__run *r, uint32_t first, struct rh__text *t)
{
    char line[4 * CELL], name[NAME], values[LISTED_VALUE];
    const struct rh__run_message *m = rh__run_message(r, first);
    struct rh__text x;
    rh__text_init(&x, line, sizeof line);
    rh__event_actor(r, m->seen_as, name, sizeof name);
    bool some = *rh__message_values(r, first, values, sizeof values);
    rh__text_add(&x, "%s%s%s%s from %s to", m->type->name, some ? "(" : "", values, some ? ")" : "", name);
    uint32_t end = first;
    for (; end < r->message_count && is_alike(r, first, end); end++) {
        rh__event_actor(r, rh__run_message(r, end)->receiver, name, sizeof name);
        rh__text_add(&x, "%s %s", end == first ? "" : ",", name);
    }
    rh__text_add(t, "    ");
    rh__story_add_broken(t, line, 4, 8);
    rh__text_add(t, "\n");
    return end;
}

static void what_is_left(const struct rh__run *r, struct rh__text *t)
{
    bool any = false, waiting = false;
    for (uint32_t i = 0; i < r->message_count;) {
        if (rh__run_message(r, i)->taken_by != RH_NONE) {
            i++;
            continue;
        }
        rh__text_add(t, "%s", any ? "" : "  still under way:\n");
        i = add_left(r, i, t);
        any = true;
    }
    for (uint32_t a = 0; a < r->actor_count; a++) {
        char name[NAME], doing[CELL], shown[CELL];
        struct rh__text visible;
        if (!rh__run_waits(r, a, doing, sizeof doing))
            continue;
        rh__event_actor(r, a, name, sizeof name);
        rh__text_add(t, "%s    %s ", waiting ? "" : "  waiting:\n", name);
        rh__text_init(&visible, shown, sizeof shown);
        rh__text_add_visible(&visible, doing);
        rh__story_add_broken(t, shown, 5 + (uint32_t)strlen(name), 8);
        rh__text_add(t, "\n");
        waiting = true;
    }
}

void rh__story_write_rest(const struct rh__run *r, struct rh__text *t)
{
    what_is_left(r, t);
    for (uint32_t i = 0; i < r->message_count; i++)
        if (rh__message_is_bytes(r, i)) {
            rh__text_add(t, "  (values are bytes: no debug information about %s; compile the program with -g)\n",
                         rh__run_message(r, i)->type->name);
            break;
        }
}

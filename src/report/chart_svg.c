/* See chart.h.  Drawn from back to front: bands, axis, lifelines, arrows, marks, labels.  Every text of the program
 * goes through rh__xml_text. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "findings/event_text.h"
#include "report/chart_layout.h"
#include "report/xml_text.h"

/* Colours are in classes, not in variables: pictures are also shown by programs that know little CSS. */
static const char style[] =
    "<style>\n"
    "text{font:11px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#1f2328}\n"
    ".bg{fill:#fff}.title{font-weight:bold;font-size:13px;fill:#b42318}.ok{fill:#1f2328}\n"
    ".axis,.time{fill:#768390}.time{font-size:10px}.life{stroke:#b6bfc9;stroke-width:1.5}\n"
    ".gone{stroke:#d99a95;stroke-width:1.5;stroke-dasharray:2 5}.head{fill:#eef3f8;stroke:#8fa3b8}\n"
    ".name{font-weight:bold;text-anchor:middle}.arrow{stroke:#3b6ea5;stroke-width:1.4;fill:none}\n"
    ".tip{fill:#3b6ea5}.lost{stroke:#c4372c;stroke-width:1.6;fill:none;stroke-dasharray:5 3}\n"
    ".left{stroke:#8a939e;stroke-width:1.1;fill:none;stroke-dasharray:3 4}.dot{fill:#3b6ea5}\n"
    ".timer{stroke:#8a6d1f;stroke-width:1.4;fill:#fff}.wait{stroke:#c9ad63;stroke-width:1.2;stroke-dasharray:1 3}\n"
    ".fault,.cross{stroke:#c4372c;stroke-width:2.2;fill:none}.fault{stroke-width:1.5;stroke-dasharray:8 4}\n"
    ".label{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}.bad{fill:#b42318;font-weight:bold}\n"
    ".change{fill:#1a7f37}.failband{fill:#fdecea}.decideband{fill:#fff6dd}.note{fill:#8a6100;font-size:10px}\n"
    "@media (prefers-color-scheme:dark){\n"
    "text{fill:#e6edf3}.bg{fill:#0d1117}.title,.bad{fill:#ff8a80}.ok{fill:#e6edf3}.axis,.time{fill:#8b98a5}\n"
    ".life{stroke:#4b5765}.head{fill:#1b2430;stroke:#55687d}.arrow{stroke:#7db4ea}.tip,.dot{fill:#7db4ea}\n"
    ".lost,.cross,.fault{stroke:#ff7b72}.left{stroke:#76818d}.timer{stroke:#e3b341;fill:#0d1117}\n"
    ".label{stroke:#0d1117}.change{fill:#57d174}.failband{fill:#3d1513}.decideband{fill:#33290b}.note{fill:#e3b341}\n"
    "}\n</style>\n";

static double x_of(const struct rh__layout *l, uint32_t actor)
{
    return l->columns[l->column_of[actor]].x;
}

static bool has_column(const struct rh__layout *l, uint32_t actor)
{
    return actor < l->chart->run->actor_count && l->column_of[actor] != RH_NONE;
}

/* An event before the first row is at the top. */
static double y_of(const struct rh__layout *l, uint32_t event)
{
    return l->row_of[event] == RH_NONE ? l->top + 4 : l->rows[l->row_of[event]].y;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* The lines of a text, each a <text>; gives the y of the line behind.  What does not fit becomes "...", and the tooltip
 * of the row has it. */
static double put_lines(FILE *f, const char *text, double x, double y, bool left, const char *class)
{
    uint32_t characters;
    for (uint32_t line = 0; *text && line < RH__CHART_LINES; line++, y += RH__CHART_STEP) {
        char part[4 * RH__CHART_LINE + 8];
        struct rh__text t;
        size_t n = rh__chart_line(text, RH__CHART_LINE, &characters);
        bool cut = line + 1 == RH__CHART_LINES && text[n];
        rh__text_init(&t, part, sizeof part);
        rh__text_put(&t, text, cut && n > 3 ? n - 3 : n);
        rh__text_add(&t, "%s", cut ? "..." : "");
        fprintf(f, "<text class=\"label %s\" x=\"%.1f\" y=\"%.1f\"%s>", class, x, y,
                left ? " text-anchor=\"end\"" : "");
        rh__xml_text(f, part);
        fputs("</text>\n", f);
        text += n;
    }
    return y;
}

static void put_title(FILE *f, const char *text)
{
    fputs("<title>", f);
    rh__xml_text(f, text);
    fputs("</title>", f);
}

/* ---- behind everything ------------------------------------------------------------------------------------------- */

static void put_band(FILE *f, const struct rh__layout *l, uint32_t event, const char *class, const char *note)
{
    if (event >= l->chart->run->event_count || l->row_of[event] == RH_NONE)
        return;
    const struct rh__chart_row *row = &l->rows[l->row_of[event]];
    uint32_t lines = row->lines + row->changes;
    fprintf(f, "<rect class=\"%s\" x=\"0\" y=\"%.1f\" width=\"%.0f\" height=\"%d\"/>\n", class, row->y - 14, l->width,
            (int)((lines > 1 ? lines : 1) * RH__CHART_STEP + 12));
    if (note)
        fprintf(f, "<text class=\"note\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", l->width - 6,
                row->y - 4, note);
}

static void put_axis(FILE *f, const struct rh__layout *l)
{
    const struct rh__changes *c = l->chart->changes;
    uint32_t next = 0;
    for (uint32_t i = 0; i < l->row_count; i++) {
        const struct rh__chart_row *row = &l->rows[i];
        const char *time = NULL;
        fprintf(f, "<text class=\"axis\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%u</text>\n", RH__CHART_MARGIN + 26,
                row->y + 4, row->event);
        for (; l->timed && next < c->count && c->at[next].event <= row->last; next++)
            if (c->at[next].kind == RH__CHANGE_TIME)
                time = c->texts + c->at[next].text + strlen("at ");
        if (!time)
            continue;
        fprintf(f, "<text class=\"time\" x=\"%d\" y=\"%.1f\">", RH__CHART_MARGIN + 34, row->y + 4);
        rh__xml_text(f, time);
        fputs("</text>\n", f);
    }
}

static void put_life(FILE *f, double x, double from, double to, bool gone)
{
    if (to > from)
        fprintf(f, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", gone ? "gone" : "life", x,
                from, x, to);
}

/* A crashed actor is dashed until it starts again. */
static void put_column(FILE *f, const struct rh__layout *l, const struct rh__chart_column *c)
{
    const struct rh__run *r = l->chart->run;
    char name[256], part[48];
    struct rh__text t;
    double from = l->top;
    bool gone = false;
    for (uint32_t i = 0; i < l->row_count; i++) {
        const struct rh_choice *choice = rh__run_choice(r, l->rows[i].event);
        bool crash = choice->kind == RH_CHOICE_CRASH, restart = choice->kind == RH_CHOICE_RESTART;
        if (choice->actor != c->actor || !(crash || restart))
            continue;
        put_life(f, c->x, from, l->rows[i].y, gone);
        from = l->rows[i].y;
        gone = crash;
    }
    put_life(f, c->x, from, l->bottom, gone);
    rh__event_actor(r, c->actor, name, sizeof name);
    rh__text_init(&t, part, sizeof part);
    rh__text_add(&t, "%s", name);
    double half = (double)strlen(part) * 3.7 + 10;
    fputs("<g>", f);
    put_title(f, name);
    fprintf(f, "<rect class=\"head\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"22\" rx=\"4\"/>", c->x - half,
            l->top - 24, 2 * half);
    fprintf(f, "<text class=\"name\" x=\"%.1f\" y=\"%.1f\">", c->x, l->top - 9);
    rh__xml_text(f, part);
    fputs("</text></g>\n", f);
}

/* ---- arrows ------------------------------------------------------------------------------------------------------ */

static void put_cross(FILE *f, double x, double y, double half)
{
    fprintf(f, "<path class=\"cross\" d=\"M%.1f %.1fL%.1f %.1fM%.1f %.1fL%.1f %.1f\"/>\n", x - half, y - half, x + half,
            y + half, x - half, y + half, x + half, y - half);
}

/* The head is a triangle of its own: markers are not drawn by every program. */
static void put_tip(FILE *f, double x1, double y1, double x2, double y2)
{
    double length = hypot(x2 - x1, y2 - y1), u = (x2 - x1) / length, v = (y2 - y1) / length;
    fprintf(f, "<path class=\"tip\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\"/>", x2, y2, x2 - 9 * u - 3.6 * v,
            y2 - 9 * v + 3.6 * u, x2 - 9 * u + 3.6 * v, y2 - 9 * v - 3.6 * u);
}

static void put_arrow(FILE *f, const struct rh__layout *l, uint32_t message)
{
    const struct rh__run *r = l->chart->run;
    const struct rh__run_message *m = rh__run_message(r, message);
    bool taken = m->taken_by != RH_NONE;
    char text[RH__CHART_LABEL];
    if (rh__is_start(m) || !has_column(l, m->sender) || !has_column(l, m->receiver))
        return;
    if (taken ? l->row_of[m->taken_by] == RH_NONE : l->row_of[m->event] == RH_NONE && m->event)
        return; /* before the first row */
    double x1 = x_of(l, m->sender), y1 = y_of(l, m->event), x2 = x_of(l, m->receiver);
    double y2 = taken ? y_of(l, m->taken_by) : l->bottom;
    fputs("<g>", f);
    rh__message_values(r, message, text, sizeof text);
    fputs("<title>", f);
    rh__xml_text(f, m->type->name);
    fputs("(", f);
    rh__xml_text(f, text);
    fputs(")</title>", f);
    if (taken && rh__run_is_delivery(r, m->taken_by, message)) {
        if (m->sender == m->receiver) {
            fprintf(f, "<path class=\"arrow\" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\"/>", x1, y1, x1 - 22, y1,
                    x1 - 22, y2, x2 - 1, y2);
            put_tip(f, x2 - 12, y2, x2 - 1, y2);
        } else {
            fprintf(f, "<line class=\"arrow\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", x1, y1, x2, y2);
            put_tip(f, x1, y1, x2 + (x2 > x1 ? -1 : 1), y2);
        }
    } else if (taken) { /* lost, or to an actor that has ended */
        double part = 0.86;
        x2 = x1 + (x2 - x1) * part;
        y2 = y1 + (y2 - y1) * part;
        fprintf(f, "<line class=\"lost\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", x1, y1, x2, y2);
        put_cross(f, x2, y2, 4);
    } else {
        fprintf(f, "<line class=\"left\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", x1, y1, x2, y2);
    }
    fputs("</g>\n", f);
}

/* ---- the events -------------------------------------------------------------------------------------------------- */

static void put_clock(FILE *f, double x, double y)
{
    fprintf(f, "<circle class=\"timer\" cx=\"%.1f\" cy=\"%.1f\" r=\"6\"/>", x, y);
    fprintf(f, "<path class=\"timer\" d=\"M%.1f %.1fV%.1fH%.1f\"/>\n", x, y - 4, y, x + 3);
}

static void put_mark(FILE *f, const struct rh__layout *l, const struct rh__chart_row *row)
{
    const struct rh_event *e = rh__run_event(l->chart->run, row->event);
    double x = x_of(l, e->choice.actor);
    if (e->choice.kind == RH_CHOICE_CRASH) {
        put_cross(f, x, row->y, 7);
    } else if (e->choice.kind == RH_CHOICE_TIMER) {
        if (e->set_by != RH_NONE && e->set_by < row->event)
            fprintf(f, "<line class=\"wait\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x - 5,
                    y_of(l, e->set_by), x - 5, row->y);
        put_clock(f, x, row->y);
    } else {
        fprintf(f, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n", x, row->y);
    }
}

static void put_event(FILE *f, const struct rh__layout *l, const struct rh__chart_row *row)
{
    const struct rh__chart *c = l->chart;
    const struct rh_choice *choice = rh__run_choice(c->run, row->event);
    char label[RH__CHART_LABEL], changed[RH__CHART_LABEL];
    bool last = c->failed && row->last + 1 == c->run->event_count;
    const char *class = last || rh__is_fault(choice) ? "bad" : "what";
    rh__chart_label(c, row->event, label, sizeof label);
    rh__chart_changed(c, row, changed, sizeof changed);
    fputs("<g>", f);
    fprintf(f, "<title>event %u: ", row->event);
    rh__xml_text(f, label);
    fputs(" ", f);
    rh__xml_text(f, changed);
    fputs("</title>", f);
    if (!has_column(l, choice->actor)) { /* the network */
        fprintf(f, "<line class=\"fault\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", l->axis, row->y, l->width,
                row->y);
        put_lines(f, label, RH__CHART_MARGIN + l->axis + 4, row->y - 4, false, class);
        fputs("</g>\n", f);
        return;
    }
    double x = x_of(l, choice->actor) + (row->left ? -10 : 10);
    put_mark(f, l, row);
    double y = put_lines(f, label, x, row->y + 4, row->left, class);
    put_lines(f, changed, x, y, row->left, "change");
    fputs("</g>\n", f);
}

static void put_loop(FILE *f, const struct rh__layout *l)
{
    uint32_t loop = l->chart->run->loop;
    if (!loop || l->row_of[loop] == RH_NONE)
        return;
    double from = y_of(l, loop) - 8, to = l->bottom - 8;
    fprintf(f, "<path class=\"lost\" d=\"M%d %.1fH%d V%.1fH%d\"/>\n", RH__CHART_MARGIN, from, 6, to, RH__CHART_MARGIN);
    fprintf(f, "<text class=\"bad\" x=\"%d\" y=\"%.1f\">back to event %u, for ever</text>\n", RH__CHART_MARGIN + 4,
            to + 4, loop);
}

static void put_heading(FILE *f, const struct rh__layout *l)
{
    const char *text = l->chart->title;
    uint32_t characters;
    for (uint32_t line = 0; *text && line < RH__CHART_TITLE; line++) {
        char part[RH__CHART_LABEL];
        struct rh__text t;
        size_t n = rh__chart_line(text, l->title_room, &characters);
        rh__text_init(&t, part, sizeof part);
        rh__text_put(&t, text, n);
        rh__text_add(&t, "%s", line + 1 == RH__CHART_TITLE && text[n] ? " ..." : "");
        fprintf(f, "<text class=\"title%s\" x=\"%d\" y=\"%d\">", l->chart->failed ? "" : " ok", RH__CHART_MARGIN,
                (int)(RH__CHART_MARGIN + 8 + line * RH__CHART_TITLE_STEP));
        rh__xml_text(f, part);
        fputs("</text>\n", f);
        text += n;
    }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

bool rh__chart_svg(FILE *f, const struct rh__chart *c)
{
    struct rh__layout l;
    if (!rh__layout(&l, c))
        return false;
    double height = l.bottom + RH__CHART_MARGIN;
    fprintf(f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "role=\"img\">\n",
            l.width, height, l.width, height);
    put_title(f, c->title);
    fputs(style, f);
    fprintf(f, "<rect class=\"bg\" width=\"%.0f\" height=\"%.0f\"/>\n", l.width, height);
    put_heading(f, &l);
    if (c->decisive)
        put_band(f, &l, c->decisive, "decideband", "decisive");
    if (c->failed)
        put_band(f, &l, c->run->event_count - 1, "failband", NULL);
    put_axis(f, &l);
    for (uint32_t i = 0; i < l.column_count; i++)
        put_column(f, &l, &l.columns[i]);
    if (l.omitted > 1 && l.row_count == RH__CHART_ROWS)
        fprintf(f, "<text class=\"axis\" x=\"%d\" y=\"%.1f\">the first %u events are not drawn</text>\n",
                RH__CHART_MARGIN, l.top - 28, l.omitted);
    for (uint32_t i = 0; i < c->run->message_count; i++)
        put_arrow(f, &l, i);
    for (uint32_t i = 0; i < l.row_count; i++)
        put_event(f, &l, &l.rows[i]);
    put_loop(f, &l);
    fputs("</svg>\n", f);
    rh__layout_release(&l);
    return true;
}

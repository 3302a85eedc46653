/* Where the parts of a chart are (chart.h).  Private to src/report.
 *
 * A row for each event that has one (findings/event_text.h), from top to bottom; a column for each actor that does
 * something, in the order of spawns.  One event stands in a row, so labels of two columns share the room between them:
 * a label is on the side from which its message does not come. */
#ifndef RH_REPORT_CHART_LAYOUT_H
#define RH_REPORT_CHART_LAYOUT_H

#include "report/chart.h"

enum {
    RH__CHART_LINE = 34,    /* characters on a line of a label */
    RH__CHART_LINES = 4,    /* of what an event was; as many of what it changed */
    RH__CHART_ROWS = 2000,  /* drawn at most */
    RH__CHART_LABEL = 1024, /* bytes of a text, before it is cut into lines */
    RH__CHART_HEAD = 34,    /* height of the boxes with names */
    RH__CHART_STEP = 14,    /* from line to line */
    RH__CHART_MARGIN = 14,
    RH__CHART_TITLE = 3, /* lines of the title */
    RH__CHART_TITLE_STEP = 18,
};

struct rh__chart_row {
    uint32_t event, last;    /* the events it stands for */
    uint32_t lines, changes; /* of its label */
    double y;                /* of the event itself */
    bool left;               /* the label is on the left of the lifeline */
};

struct rh__chart_column {
    uint32_t actor;
    double x;
    double left, right; /* room that its labels need */
};

struct rh__layout {
    const struct rh__chart *chart;
    struct rh__chart_row *rows;
    struct rh__chart_column *columns;
    uint32_t row_count, column_count;
    uint32_t *row_of;    /* by event; RH_NONE: not drawn */
    uint32_t *column_of; /* by actor; RH_NONE: it has none */
    uint32_t omitted;    /* so many events before the first row */
    bool timed;          /* the axis shows the virtual time */
    double axis;         /* width of the axis */
    uint32_t title_room; /* characters on a line of the title */
    double top, bottom;  /* of the lifelines */
    double width;
};

/* False if memory is short. */
bool rh__layout(struct rh__layout *l, const struct rh__chart *c);
void rh__layout_release(struct rh__layout *l);

/* What the event of a row was, and what it changed ("" for nothing). */
void rh__chart_label(const struct rh__chart *c, uint32_t event, char *text, size_t size);
void rh__chart_changed(const struct rh__chart *c, const struct rh__chart_row *row, char *text, size_t size);

/* Cuts a text into lines at blanks and commas: the bytes of the next line, of a text that is not empty.  Counts
 * characters, not bytes. */
size_t rh__chart_line(const char *text, uint32_t room, uint32_t *characters);
/* How many lines it becomes, at most `most`; raises *widest to the characters of the longest. */
uint32_t rh__chart_lines(const char *text, uint32_t room, uint32_t most, uint32_t *widest);

#endif

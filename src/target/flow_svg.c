/* The message flow graph as a drawing.
 *
 * Columns are depths of creation: the test and the outside stand left, what they create in the next column, and so on.
 * Creations are dashed; sends are drawn with their message types.  Edges to the right leave at the right side, edges
 * to the left or within a column are arcs above or below, so that the two directions between two nodes stay apart. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/flow.h"

enum { COLUMN = 320, ROW = 150, BOX_WIDTH = 150, BOX_HEIGHT = 44, MARGIN = 60, MOST_LABELS = 5 };

struct box {
    int column, row, x, y;
};

static void print_text(FILE *to, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", to);
        else if (*text == '&')
            fputs("&amp;", to);
        else
            fputc(*text, to);
    }
}

/* Whether any edge has this node at an end. */
static bool is_used(const struct rh__flow *f, uint32_t node)
{
    for (uint32_t i = 0; i < f->edge_count; i++)
        if (f->edges[i].from == node || f->edges[i].to == node)
            return true;
    return false;
}

static void place_boxes(const struct rh__flow *f, struct box *boxes, int *columns, int *rows)
{
    bool moved = true;
    for (uint32_t i = 0; i < f->node_count; i++)
        boxes[i].column = i >= f->test_node ? 0 : -1;
    for (int round = 0; moved && round < (int)f->node_count; round++) {
        moved = false;
        for (uint32_t i = 0; i < f->edge_count; i++) {
            const struct rh__flow_edge *e = &f->edges[i];
            if (e->kind == RH__FLOW_CREATE && boxes[e->from].column >= 0 && boxes[e->to].column < 0) {
                boxes[e->to].column = boxes[e->from].column + 1;
                moved = true;
            }
        }
    }
    *columns = *rows = 1;
    int *heights = calloc(f->node_count + 2, sizeof *heights);
    for (uint32_t k = 0; k < f->node_count && heights; k++) {
        uint32_t i = f->node_count - 1 - k; /* the outside and the test first */
        if (boxes[i].column < 0)
            boxes[i].column = 1;
        if (!f->present[i] || !is_used(f, i))
            continue;
        boxes[i].row = heights[boxes[i].column]++;
        boxes[i].x = MARGIN + boxes[i].column * COLUMN;
        boxes[i].y = MARGIN + 40 + boxes[i].row * ROW + (boxes[i].column % 2) * ROW / 2;
        *columns = boxes[i].column + 1 > *columns ? boxes[i].column + 1 : *columns;
        *rows = boxes[i].row + 1 > *rows ? boxes[i].row + 1 : *rows;
    }
    free(heights);
}

struct curve {
    int x[4], y[4];
};

static struct curve draw_curve(struct box from, struct box to, bool creation)
{
    int off = creation ? -10 : 8;
    if (from.x == to.x && from.y == to.y) /* a loop above the box */
        return (struct curve){ { from.x + 95, from.x + 80, from.x + 170, from.x + 135 },
                               { from.y, from.y - 60, from.y - 60, from.y } };
    if (to.x > from.x)
        return (struct curve){ { from.x + BOX_WIDTH, from.x + BOX_WIDTH + 70, to.x - 70, to.x },
                               { from.y + BOX_HEIGHT / 2 + off, from.y + BOX_HEIGHT / 2 + off,
                                 to.y + BOX_HEIGHT / 2 + off, to.y + BOX_HEIGHT / 2 + off } };
    if (to.x == from.x) { /* down at the right side, up at the left side */
        bool down = to.y > from.y;
        int side = down ? from.x + BOX_WIDTH : from.x, out = down ? 70 + off : -70 - off;
        return (struct curve){ { side, side + out, side + out, side },
                               { from.y + BOX_HEIGHT / 2, from.y + BOX_HEIGHT / 2, to.y + BOX_HEIGHT / 2,
                                 to.y + BOX_HEIGHT / 2 } };
    }
    return (
        struct curve){ { from.x + 30, from.x - 30, to.x + BOX_WIDTH + 30, to.x + BOX_WIDTH - 30 },
                       { from.y + BOX_HEIGHT, from.y + BOX_HEIGHT + 55, to.y + BOX_HEIGHT + 55, to.y + BOX_HEIGHT } };
}

static void print_edges(const struct rh__flow *f, const struct box *boxes, FILE *to)
{
    for (uint32_t i = 0, end; i < f->edge_count; i = end) {
        const struct rh__flow_edge *e = &f->edges[i];
        for (end = i; end < f->edge_count && f->edges[end].kind == e->kind && f->edges[end].from == e->from &&
                      f->edges[end].to == e->to;)
            end++;
        bool creation = e->kind == RH__FLOW_CREATE;
        struct curve c = draw_curve(boxes[e->from], boxes[e->to], creation);
        fprintf(to, "<path class=\"%s\" d=\"M%d %d C%d %d %d %d %d %d\"/>\n", creation ? "create" : "send", c.x[0],
                c.y[0], c.x[1], c.y[1], c.x[2], c.y[2], c.x[3], c.y[3]);
        if (creation)
            continue;
        int x = (c.x[0] + 3 * c.x[1] + 3 * c.x[2] + c.x[3]) / 8, y = (c.y[0] + 3 * c.y[1] + 3 * c.y[2] + c.y[3]) / 8;
        uint32_t lines = end - i > MOST_LABELS ? MOST_LABELS : end - i;
        y -= 12 * (int)(lines - 1) + 4;
        for (uint32_t k = 0; k < lines; k++) {
            fprintf(to, "<text class=\"message\" x=\"%d\" y=\"%d\">", x, y + 12 * (int)k);
            if (k + 1 == MOST_LABELS && end - i > MOST_LABELS)
                fprintf(to, "and %u more", end - i - k);
            else
                print_text(to, f->program->messages[f->edges[i + k].message].name);
            fputs("</text>\n", to);
        }
    }
}

void rh__flow_print_svg(const struct rh__flow *f, FILE *to)
{
    struct box *boxes = calloc(f->node_count, sizeof *boxes);
    int columns, rows;
    if (!boxes) {
        fputs("rehearse: no memory\n", stderr);
        exit(3);
    }
    place_boxes(f, boxes, &columns, &rows);
    fprintf(
        to,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n"
        "<style>text{font:13px sans-serif;text-anchor:middle}.message{font-size:11px;fill:#134;paint-order:stroke;"
        "stroke:#fff;stroke-width:3px}rect{fill:#eef3fa;stroke:#357;stroke-width:1.5}"
        ".open{stroke-width:4}.outer{fill:#fff6e0;stroke:#b80}path{fill:none;marker-end:url(#tip)}.send{stroke:#357}"
        ".create{stroke:#999;stroke-dasharray:5 4}</style>\n"
        "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" "
        "orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" style=\"fill:#357;stroke:none;marker-end:none\"/></marker></defs>\n"
        "<rect x=\"0\" y=\"0\" width=\"100%%\" height=\"100%%\" style=\"fill:#fff;stroke:none\"/>\n",
        2 * MARGIN + (columns - 1) * COLUMN + BOX_WIDTH + 60, 2 * MARGIN + rows * ROW + ROW / 2);
    print_edges(f, boxes, to);
    for (uint32_t i = 0; i < f->node_count; i++) {
        if (!f->present[i] || !is_used(f, i))
            continue;
        bool opened = false; /* a receptionist: the outside sends to it */
        for (uint32_t k = 0; k < f->edge_count; k++)
            opened |= f->edges[k].to == i && f->edges[k].from == f->outside_node;
        fprintf(to, "<rect%s x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\"/>\n<text x=\"%d\" y=\"%d\">",
                i >= f->test_node ? " class=\"outer\""
                : opened          ? " class=\"open\""
                                  : "",
                boxes[i].x, boxes[i].y, BOX_WIDTH, BOX_HEIGHT,
                i < f->test_node && f->program->actors[i].kind == 1 ? 4 : 20, boxes[i].x + BOX_WIDTH / 2,
                boxes[i].y + BOX_HEIGHT / 2 + 5);
        print_text(to, rh__flow_node_name(f, i));
        fputs("</text>\n", to);
    }
    fputs("</svg>\n", to);
    free(boxes);
}

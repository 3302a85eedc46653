/* The message flow graph as text and as JSON. */
#include <stdio.h>

#include "base/visible.h"
#include "report/json_text.h"
#include "target/flow.h"

/* The messages of the edges from i on that have the same ends. */
static uint32_t same_ends(const struct rh__flow *f, uint32_t i)
{
    uint32_t n = i;
    while (n < f->edge_count && f->edges[n].kind == f->edges[i].kind && f->edges[n].from == f->edges[i].from &&
           f->edges[n].to == f->edges[i].to)
        n++;
    return n;
}

void rh__flow_print(const struct rh__flow *f, FILE *to)
{
    uint32_t nodes = 0, creates = 0;
    for (uint32_t i = 0; i < f->node_count; i++)
        nodes += f->present[i];
    for (uint32_t i = 0; i < f->edge_count; i++)
        creates += f->edges[i].kind == RH__FLOW_CREATE;
    fprintf(to, "%u nodes, %u creations, %u sends\n", nodes, creates, f->edge_count - creates);
    for (uint32_t i = 0, end; i < f->edge_count; i = end) {
        const struct rh__flow_edge *e = &f->edges[i];
        end = same_ends(f, i);
        fprintf(to, "%s %s %s", rh__flow_node_name(f, e->from), e->kind == RH__FLOW_CREATE ? "creates" : "sends to",
                rh__flow_node_name(f, e->to));
        for (uint32_t k = i; k < end && e->kind == RH__FLOW_SEND; k++)
            fprintf(to, "%s%s", k == i ? ": " : ", ", f->program->messages[f->edges[k].message].name);
        fputc('\n', to);
    }
    for (uint32_t i = 0; i < f->note_count; i++) {
        fputs("note: ", to);
        rh__print_visible(to, f->notes[i], SIZE_MAX);
        fputc('\n', to);
    }
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static const char *kind_of(const struct rh__flow *f, uint32_t node)
{
    static const char *const kinds[] = { "actor", "process", "monitor" };
    if (node == f->test_node)
        return "test";
    return node == f->outside_node ? "outside" : kinds[f->program->actors[node].kind % 3];
}

void rh__flow_print_json(const struct rh__flow *f, FILE *to)
{
    const char *between = "";
    fputs("{\n  \"nodes\": [", to);
    for (uint32_t i = 0; i < f->node_count; i++) {
        if (!f->present[i])
            continue;
        fprintf(to, "%s\n    { \"name\": ", between);
        rh__json_text(to, rh__flow_node_name(f, i));
        fprintf(to, ", \"kind\": \"%s\" }", kind_of(f, i));
        between = ",";
    }
    fputs("\n  ],\n  \"edges\": [", to);
    between = "";
    for (uint32_t i = 0; i < f->edge_count; i++) {
        const struct rh__flow_edge *e = &f->edges[i];
        fprintf(to, "%s\n    { \"kind\": \"%s\", \"from\": ", between, e->kind == RH__FLOW_CREATE ? "create" : "send");
        rh__json_text(to, rh__flow_node_name(f, e->from));
        fputs(", \"to\": ", to);
        rh__json_text(to, rh__flow_node_name(f, e->to));
        if (e->kind == RH__FLOW_SEND) {
            fputs(", \"message\": ", to);
            rh__json_text(to, f->program->messages[e->message].name);
        }
        fputs(" }", to);
        between = ",";
    }
    fputs("\n  ],\n  \"notes\": [", to);
    for (uint32_t i = 0; i < f->note_count; i++) {
        fputs(i ? ",\n    " : "\n    ", to);
        rh__json_text(to, f->notes[i]);
    }
    fputs("\n  ]\n}\n", to);
}

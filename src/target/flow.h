/* The message flow graph of a program [TAP, section 4]: which actor types may create which, and which may send which
 * messages to which.
 *
 * It is sound: whatever a run of the test shows is in the graph, except what `notes` names (calls that the analysis
 * does not know).  It may have edges that no run shows.
 *
 * A node is an actor type, the test's body, or the outside (rh_external).  As in the paper, all actors of a type are
 * one abstract actor.  Two optimisations, after section 4.3, which tie the analysis to message types:
 *   1. a handler is analysed only if its message may arrive, and its behaviour may be the current one;
 *   2. a handler sees only messages of its own type, and their senders.
 * Without them every handler of an actor that is created is analysed, with the messages of all types merged. */
#ifndef RH_TARGET_FLOW_H
#define RH_TARGET_FLOW_H

#include <stdio.h>

#include "target/bitcode_program.h"

enum rh__flow_kind { RH__FLOW_CREATE, RH__FLOW_SEND };

struct rh__flow_edge {
    enum rh__flow_kind kind;
    uint32_t from, to; /* nodes */
    uint32_t message;  /* RH__NO_INDEX for a creation */
};

struct rh__flow {
    const struct rh__program *program;
    uint32_t test_node, outside_node, node_count; /* nodes 0 to actor_count - 1 are the actor types */
    bool *present;                                /* nodes that are created, or exist from the beginning */
    struct rh__flow_edge *edges;                  /* sorted */
    uint32_t edge_count;
    char **notes; /* sentences */
    uint32_t note_count;
    bool *entered;     /* functions of the bitcode that the analysis has entered; it does not enter predicates */
    uint64_t handlers; /* pairs of a handler and a message type that were analysed */
};

/* `test` RH__NO_INDEX: all tests of the program. */
void rh__flow_make(struct rh__flow *f, const struct rh__program *p, uint32_t test, bool optimised);
void rh__flow_release(struct rh__flow *f);

const char *rh__flow_node_name(const struct rh__flow *f, uint32_t node);
bool rh__flow_has(const struct rh__flow *f, enum rh__flow_kind kind, uint32_t from, uint32_t to, uint32_t message);

/* As text, as JSON, and drawn as SVG. */
void rh__flow_print(const struct rh__flow *f, FILE *to);
void rh__flow_print_json(const struct rh__flow *f, FILE *to);
void rh__flow_print_svg(const struct rh__flow *f, FILE *to);

#endif

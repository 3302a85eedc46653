/* Expressions: the syntax of --explorer, parsed into a tree of explorers with their arguments.
 *
 *     EXPRESSION  NAME | NAME(ARGUMENT, ...) | NAME:SHORT
 *     ARGUMENT    VALUE | NAME=VALUE
 *     VALUE       a word or number, "a quoted text" (with \" and \\), or an EXPRESSION
 *
 * Each explorer declares its arguments as rows (struct rh_argument).  An argument without a name goes to the first
 * unused row that accepts it.
 *
 * NAME:SHORT is the short form.  The short form has no closing mark, so it extends to the end of the enclosing text:
 *
 *     delayed:100              delayed(100)
 *     cover:pr,paper           cover(pr, paper)
 *     bound:20,dfs             bound(20, dfs)
 *     bound:depth=20;runs=9,dfs   bound(20, runs=9, dfs)
 *     portfolio:a+b            portfolio(a, b); every + outside of parentheses separates members
 *     replay:FILE,dfs          replay("FILE", dfs); FILE ends at the first comma that follows the name of an existing
 *                              file, or else at the first comma
 *
 * Inside parentheses the short form is accepted only for an explorer with one argument: a comma would be ambiguous.
 *
 * The parser makes a tree from a text.  The parser opens no explorer and knows no world.  A tree is a value of fixed
 * size without pointers into itself, so a tree can be copied. */
#ifndef RH_EXPLORE_TREE_H
#define RH_EXPLORE_TREE_H

#include <rehearse/explorer.h>

enum {
    RH__TREE_NODES = 48,
    RH__TREE_ARGUMENTS = 128,
    RH__TREE_DEPTH = 16,
    RH__TREE_TEXT = 8192,
    RH__TREE_LONGEST = 8192, /* longest expression, in bytes */
    RH__TREE_NOTHING = 0xffff,
};

struct rh__tree_argument {
    uint16_t row;  /* index into the explorer's argument rows */
    uint16_t next; /* next argument of the node, sorted by row */
    uint16_t node; /* node of an argument that is an explorer */
    uint32_t text; /* word or file: offset in the tree's text */
    uint64_t number;
    double real;
};

struct rh__tree_node {
    const struct rh_explorer *explorer;
    uint16_t first; /* first argument; RH__TREE_NOTHING for none */
};

struct rh__tree {
    uint16_t node_count, argument_count;
    uint32_t text_used;
    struct rh__tree_node nodes[RH__TREE_NODES]; /* nodes[0] is the root */
    struct rh__tree_argument arguments[RH__TREE_ARGUMENTS];
    char text[RH__TREE_TEXT];
};

/* Memory of a filter for the choices that it shows to its inner explorer. */
struct rh_filter_room {
    struct rh_choice *seen; /* choices shown to the inner explorer */
    uint32_t *index;        /* index of each shown choice among all enabled choices */
    bool *hidden;           /* all false between calls */
    bool *bounded;          /* the flag of the exploration */
    bool hid;               /* the filter has hidden a choice */
};

struct rh_arguments {
    const struct rh__tree *tree;
    uint16_t node;
};

/* Parses an expression.  On failure returns false and a sentence in `error` that names the column. */
bool rh__tree_parse(struct rh__tree *t, const char *text, char *error, size_t error_size);
/* The same with another test for existing files.  Only the short form of a file name with commas uses this test. */
bool rh__tree_parse_with(struct rh__tree *t, const char *text, bool (*is_file)(const char *path), char *error,
                         size_t error_size);
/* Prints the canonical form: arguments in the order of rows, no short form.  False if there is no room. */
bool rh__tree_print(const struct rh__tree *t, char *buffer, size_t size);
bool rh__tree_equal(const struct rh__tree *a, const struct rh__tree *b);

/* True if any explorer in the tree has the property. */
bool rh__tree_needs_object_granularity(const struct rh__tree *t);
bool rh__tree_prefers_object(const struct rh__tree *t);
bool rh__tree_is_reduction(const struct rh__tree *t);
bool rh__tree_uses_symmetry(const struct rh__tree *t);
bool rh__tree_wants_new(const struct rh__tree *t);
bool rh__tree_resets_only(const struct rh__tree *t);
bool rh__tree_matches_states(const struct rh__tree *t);
/* True if every filter that is a bound marks states. */
bool rh__tree_bounds_mark(const struct rh__tree *t);
bool rh__tree_has(const struct rh__tree *t, const struct rh_explorer *e);
/* True if any explorer in the subtree of `node` is a reduction. */
bool rh__tree_is_reduction_from(const struct rh__tree *t, uint16_t node);
/* If `node` is symmetry(optimal) or symmetry(dpor): that reduction, which leaves out alike actors itself; else NULL. */
const struct rh_explorer *rh__tree_symmetry_of(const struct rh__tree *t, uint16_t node);

/* Properties of an expression, given as text.  False if the expression is invalid. */
bool rh__explorer_needs_object_granularity(const char *expression);
bool rh__explorer_prefers_object(const char *expression);
bool rh__explorer_is_reduction(const char *expression);
bool rh__explorer_uses_symmetry(const char *expression);
bool rh__explorer_matches_states(const char *expression);
bool rh__explorer_wants_new(const char *expression);

/* Writes the syntax of an explorer: "bound([DEPTH], [runs=N], [steps=N], EXPLORER)". */
void rh__explorer_usage(const struct rh_explorer *e, char *buffer, size_t size);
const struct rh_explorer *rh__explorer_named(const char *name, size_t length);
/* Number of argument rows of an explorer. */
uint32_t rh__explorer_rows(const struct rh_explorer *e);
bool rh__argument_fits(const struct rh_argument *row, const char *text, size_t length, bool quoted);

/* Opens the explorer at a node of the tree. */
bool rh__tree_open(struct rh_exploration *x, const struct rh__tree *t, uint16_t node, struct rh_inner *inner,
                   char *error, size_t error_size);

#endif

/* Trees of explorers: printing, comparing, properties, arguments, opening (tree.h). */
#include "explore/tree.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "explore/explorers.h"

uint32_t rh__explorer_rows(const struct rh_explorer *e)
{
    uint32_t n = 0;
    while (e->arguments && e->arguments[n].name)
        n++;
    return n;
}

void rh__explorer_usage(const struct rh_explorer *e, char *buffer, size_t size)
{
    struct rh__text t;
    rh__text_init(&t, buffer, size);
    rh__text_add(&t, "%s", e->name);
    for (uint32_t i = 0; i < rh__explorer_rows(e); i++) {
        const struct rh_argument *r = &e->arguments[i];
        rh__text_add(&t, "%s%s", i ? ", " : "(", r->required ? "" : "[");
        if (r->named)
            rh__text_add(&t, "%s=", r->name);
        if (r->kind == RH_ARGUMENT_FLAG)
            rh__text_add(&t, "%s", r->name);
        else if (r->kind == RH_ARGUMENT_WORD && r->words)
            rh__text_add(&t, "%s", r->words);
        else if (r->named)
            rh__text_add(&t, "N");
        else
            for (const char *c = r->name; *c; c++)
                rh__text_add(&t, "%c", *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
        rh__text_add(&t, "%s%s", r->many ? ", ..." : "", r->required ? "" : "]");
    }
    rh__text_add(&t, "%s", rh__explorer_rows(e) ? ")" : "");
}

/* ---- print ------------------------------------------------------------------------------------------------------- */

static const struct rh_argument *row_of(const struct rh__tree *t, uint16_t node, const struct rh__tree_argument *a)
{
    return &t->nodes[node].explorer->arguments[a->row];
}

/* True if the parser reads the text as a word. */
static bool is_plain(const char *text)
{
    return *text && !strpbrk(text, " \t\n()\",=\\");
}

/* True if the parser would assign the argument without its name to another row. */
static bool needs_name(const struct rh__tree *t, uint16_t node, const struct rh__tree_argument *a, const char *text,
                       bool quoted)
{
    const struct rh_explorer *e = t->nodes[node].explorer;
    if (row_of(t, node, a)->named)
        return true;
    for (uint32_t row = 0; row < a->row; row++) {
        bool used = false;
        for (uint16_t i = t->nodes[node].first; i != RH__TREE_NOTHING; i = t->arguments[i].next)
            used |= t->arguments[i].row == row;
        if (!used && !e->arguments[row].named && rh__argument_fits(&e->arguments[row], text, strlen(text), quoted))
            return true;
    }
    return false;
}

static void print_node(struct rh__text *t, const struct rh__tree *tree, uint16_t node);

/* Recursive.  The parser limits the depth. */
static void print_argument(struct rh__text *t, const struct rh__tree *tree, uint16_t node,
                           const struct rh__tree_argument *a)
{
    const struct rh_argument *r = row_of(tree, node, a);
    char number[64];
    const char *text = number;
    bool quoted = false;
    number[0] = 0;
    switch (r->kind) {
    case RH_ARGUMENT_NUMBER:
        snprintf(number, sizeof number, "%llu", (unsigned long long)a->number);
        break;
    case RH_ARGUMENT_REAL:
        snprintf(number, sizeof number, "%.17g", a->real);
        break;
    case RH_ARGUMENT_FLAG:
        rh__text_add(t, "%s", r->name);
        return;
    case RH_ARGUMENT_EXPLORER:
        text = tree->nodes[a->node].explorer->name;
        break;
    case RH_ARGUMENT_WORD:
    case RH_ARGUMENT_FILE:
        text = tree->text + a->text;
        quoted = !is_plain(text);
        break;
    }
    if (needs_name(tree, node, a, text, quoted))
        rh__text_add(t, "%s=", r->name);
    if (r->kind == RH_ARGUMENT_EXPLORER) {
        print_node(t, tree, a->node);
        return;
    }
    rh__text_add(t, "%s", quoted ? "\"" : "");
    for (const char *c = text; *c; c++)
        rh__text_add(t, "%s%c", quoted && (*c == '"' || *c == '\\') ? "\\" : "", *c);
    rh__text_add(t, "%s", quoted ? "\"" : "");
}

static void print_node(struct rh__text *t, const struct rh__tree *tree, uint16_t node)
{
    uint16_t first = tree->nodes[node].first;
    rh__text_add(t, "%s", tree->nodes[node].explorer->name);
    for (uint16_t i = first; i != RH__TREE_NOTHING; i = tree->arguments[i].next) {
        rh__text_add(t, "%s", i == first ? "(" : ", ");
        print_argument(t, tree, node, &tree->arguments[i]);
    }
    rh__text_add(t, "%s", first != RH__TREE_NOTHING ? ")" : "");
}

bool rh__tree_print(const struct rh__tree *tree, char *buffer, size_t size)
{
    struct rh__text t;
    rh__text_init(&t, buffer, size);
    print_node(&t, tree, 0);
    return !t.cut;
}

/* ---- compare ----------------------------------------------------------------------------------------------------- */

static bool equal_from(const struct rh__tree *a, uint16_t i, const struct rh__tree *b, uint16_t k);

static bool equal_arguments(const struct rh__tree *a, const struct rh__tree_argument *i, const struct rh__tree *b,
                            const struct rh__tree_argument *k, enum rh_argument_kind kind)
{
    if (i->row != k->row)
        return false;
    switch (kind) {
    case RH_ARGUMENT_NUMBER:
        return i->number == k->number;
    case RH_ARGUMENT_REAL:
        return i->real == k->real;
    case RH_ARGUMENT_WORD:
    case RH_ARGUMENT_FILE:
        return strcmp(a->text + i->text, b->text + k->text) == 0;
    case RH_ARGUMENT_FLAG:
        return true;
    case RH_ARGUMENT_EXPLORER:
        return equal_from(a, i->node, b, k->node);
    }
    return false;
}

static bool equal_from(const struct rh__tree *a, uint16_t i, const struct rh__tree *b, uint16_t k)
{
    uint16_t m = a->nodes[i].first, n = b->nodes[k].first;
    if (a->nodes[i].explorer != b->nodes[k].explorer)
        return false;
    while (m != RH__TREE_NOTHING && n != RH__TREE_NOTHING &&
           equal_arguments(a, &a->arguments[m], b, &b->arguments[n], row_of(a, i, &a->arguments[m])->kind)) {
        m = a->arguments[m].next;
        n = b->arguments[n].next;
    }
    return m == n && m == RH__TREE_NOTHING;
}

bool rh__tree_equal(const struct rh__tree *a, const struct rh__tree *b)
{
    return equal_from(a, 0, b, 0);
}

/* ---- properties -------------------------------------------------------------------------------------------------- */

#define ANY(t, condition)                                                                                              \
    for (uint16_t i = 0; i < (t)->node_count; i++) {                                                                   \
        const struct rh_explorer *e = (t)->nodes[i].explorer;                                                          \
        if (condition)                                                                                                 \
            return true;                                                                                               \
    }                                                                                                                  \
    return false

bool rh__tree_needs_object_granularity(const struct rh__tree *t)
{
    ANY(t, e->needs_object_granularity);
}

bool rh__tree_prefers_object(const struct rh__tree *t)
{
    ANY(t, e->prefers_object);
}

bool rh__tree_is_reduction(const struct rh__tree *t)
{
    ANY(t, e->is_reduction);
}

bool rh__tree_uses_symmetry(const struct rh__tree *t)
{
    ANY(t, e->uses_symmetry);
}

bool rh__tree_wants_new(const struct rh__tree *t)
{
    ANY(t, e->wants_new);
}

bool rh__tree_resets_only(const struct rh__tree *t)
{
    for (uint32_t i = 0; i < t->node_count; i++)
        if (!t->nodes[i].explorer->resets_only)
            return false;
    return true;
}

bool rh__tree_matches_states(const struct rh__tree *t)
{
    ANY(t, e->matches_states);
}

bool rh__tree_bounds_mark(const struct rh__tree *t)
{
    for (uint16_t i = 0; i < t->node_count; i++) {
        const struct rh_explorer_decorator *d = t->nodes[i].explorer->decorator;
        if (d && d->hide && !d->hides_explored && !d->marks_states)
            return false;
    }
    return true;
}

bool rh__tree_has(const struct rh__tree *t, const struct rh_explorer *explorer)
{
    ANY(t, e == explorer);
}

bool rh__tree_is_reduction_from(const struct rh__tree *t, uint16_t node)
{
    bool found = t->nodes[node].explorer->is_reduction;
    for (uint16_t i = t->nodes[node].first; i != RH__TREE_NOTHING && !found; i = t->arguments[i].next)
        found = t->arguments[i].node != RH__TREE_NOTHING && rh__tree_is_reduction_from(t, t->arguments[i].node);
    return found;
}

const struct rh_explorer *rh__tree_symmetry_of(const struct rh__tree *t, uint16_t node)
{
    uint16_t first = t->nodes[node].first;
    if (t->nodes[node].explorer != &rh__explorer_symmetry || first == RH__TREE_NOTHING ||
        t->arguments[first].node == RH__TREE_NOTHING)
        return NULL;
    const struct rh_explorer *of = t->nodes[t->arguments[first].node].explorer;
    return of == &rh__explorer_optimal || of == &rh__explorer_dpor ? of : NULL;
}

/* ---- arguments, for open ----------------------------------------------------------------------------------------- */

static const struct rh__tree_argument *find(const struct rh_arguments *a, const char *name)
{
    const struct rh__tree *t = a->tree;
    for (uint16_t i = t->nodes[a->node].first; i != RH__TREE_NOTHING; i = t->arguments[i].next)
        if (strcmp(row_of(t, a->node, &t->arguments[i])->name, name) == 0)
            return &t->arguments[i];
    return NULL;
}

bool rh_arguments_has(const struct rh_arguments *a, const char *name)
{
    return find(a, name) != NULL;
}

uint64_t rh_arguments_number(const struct rh_arguments *a, const char *name, uint64_t otherwise)
{
    const struct rh__tree_argument *found = find(a, name);
    return found ? found->number : otherwise;
}

double rh_arguments_real(const struct rh_arguments *a, const char *name, double otherwise)
{
    const struct rh__tree_argument *found = find(a, name);
    return found ? found->real : otherwise;
}

const char *rh_arguments_text(const struct rh_arguments *a, const char *name, const char *otherwise)
{
    const struct rh__tree_argument *found = find(a, name);
    return found ? a->tree->text + found->text : otherwise;
}

/* Returns the node of explorer argument number `which`, or with RH_NONE the number of explorer arguments. */
static uint32_t nth_explorer(const struct rh_arguments *a, uint32_t which)
{
    const struct rh__tree *t = a->tree;
    uint32_t seen = 0;
    for (uint16_t i = t->nodes[a->node].first; i != RH__TREE_NOTHING; i = t->arguments[i].next)
        if (t->arguments[i].node != RH__TREE_NOTHING && seen++ == which)
            return t->arguments[i].node;
    return which == RH_NONE ? seen : RH_NONE;
}

uint32_t rh_arguments_explorers(const struct rh_arguments *a)
{
    return nth_explorer(a, RH_NONE);
}

bool rh_exploration_inner(struct rh_exploration *x, const struct rh_arguments *a, uint32_t which,
                          struct rh_inner *inner, char *error, size_t error_size)
{
    uint32_t node = nth_explorer(a, which);
    if (node == RH_NONE) {
        snprintf(error, error_size, "%s has no explorer number %u", a->tree->nodes[a->node].explorer->name, which);
        return false;
    }
    return rh__tree_open(x, a->tree, (uint16_t)node, inner, error, error_size);
}

static bool open_filter(struct rh_exploration *x, const struct rh__tree *t, uint16_t node, struct rh_inner *inner,
                        char *error, size_t error_size)
{
    const struct rh_explorer *e = t->nodes[node].explorer;
    size_t most = rh__exploration_most_choices(x);
    if (rh__tree_is_reduction_from(t, node) && !rh__tree_symmetry_of(t, node)) {
        snprintf(error, error_size,
                 "%s: hiding choices and leaving out orders do not go together; %s goes with dfs, random, delayed, and "
                 "bound and portfolio of these%s",
                 e->name, e->name, e->uses_symmetry ? ", and directly with optimal and dpor" : "");
        return false;
    }
    struct rh_filter_room *room = inner->room = rh_exploration_memory(x, sizeof *room);
    if (room) {
        room->seen = rh_exploration_memory(x, most * sizeof *room->seen);
        room->index = rh_exploration_memory(x, most * sizeof *room->index);
        room->hidden = rh_exploration_memory(x, most * sizeof *room->hidden);
        room->bounded = rh__exploration_bounded(x);
    }
    if (!room || !room->seen || !room->index || !room->hidden) {
        snprintf(error, error_size, "no memory for explorer %s", e->name);
        return false;
    }
    return true;
}

bool rh__tree_open(struct rh_exploration *x, const struct rh__tree *t, uint16_t node, struct rh_inner *inner,
                   char *error, size_t error_size)
{
    const struct rh_explorer *e = t->nodes[node].explorer;
    struct rh_arguments a = { t, node };
    *inner = (struct rh_inner){ .explorer = e };
    inner->state = rh_exploration_memory(x, e->state_size ? e->state_size : 1);
    if (!inner->state) {
        snprintf(error, error_size, "no memory for explorer %s", e->name);
        return false;
    }
    if (e->decorator && e->decorator->hide && !open_filter(x, t, node, inner, error, error_size))
        return false;
    if (!e->decorator && (!e->begin || !e->choose)) {
        snprintf(error, error_size, "explorer %s has no function `%s`", e->name, e->begin ? "choose" : "begin");
        return false;
    }
    return !e->open || e->open(inner->state, x, &a, error, error_size);
}

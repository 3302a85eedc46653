/* The parser of expressions (tree.h).
 *
 * A span is a part of the text.  The parser splits a span at separators outside of parentheses and quotes, and parses
 * each piece as a span.  Depth, nodes, arguments and text are limited, so every text ends in a tree or an error
 * sentence. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/guess.h"
#include "explore/tree.h"

struct span {
    const char *at, *end;
};

struct parser {
    const char *text;
    struct rh__tree *tree;
    bool (*is_file)(const char *path);
    char *error;
    size_t error_size;
    uint32_t depth;
    bool inside; /* inside parentheses */
};

static bool parse_expression(struct parser *p, struct span s, uint16_t *node);

__attribute__((format(printf, 3, 4))) static bool refuse(struct parser *p, const char *at, const char *format, ...)
{
    va_list args;
    int n = snprintf(p->error, p->error_size, "column %zu of the explorer: ", (size_t)(at - p->text) + 1);
    if (n < 0 || (size_t)n >= p->error_size)
        return false;
    va_start(args, format);
    vsnprintf(p->error + n, p->error_size - (size_t)n, format, args);
    va_end(args);
    return false;
}

static bool refuse_usage(struct parser *p, struct span s, const struct rh_explorer *e)
{
    char usage[256];
    rh__explorer_usage(e, usage, sizeof usage);
    return refuse(p, s.at, "%s cannot take \"%.*s\"; it is written %s", e->name, (int)(s.end - s.at), s.at, usage);
}

/* ---- spans ------------------------------------------------------------------------------------------------------- */

static struct span trim(struct span s)
{
    while (s.at < s.end && (*s.at == ' ' || *s.at == '\t' || *s.at == '\n'))
        s.at++;
    while (s.at < s.end && (s.end[-1] == ' ' || s.end[-1] == '\t' || s.end[-1] == '\n'))
        s.end--;
    return s;
}

static bool is(struct span s, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(s.end - s.at) == length && memcmp(s.at, word, length) == 0;
}

/* Returns the first of `separators` outside of parentheses and quotes, or s.end for none.  With `raw`, a quote outside
 * of parentheses is an ordinary character: file names in the short form may contain quotes. */
static const char *find_separator(struct span s, const char *separators, bool raw)
{
    uint32_t depth = 0;
    bool quoted = false;
    for (; s.at < s.end; s.at++) {
        if (quoted) {
            if (*s.at == '\\' && s.at + 1 < s.end)
                s.at++;
            else
                quoted = *s.at != '"';
        } else if (*s.at == '"' && (depth || !raw)) {
            quoted = true;
        } else if (!depth && strchr(separators, *s.at)) {
            break;
        } else if (*s.at == '(') {
            depth++;
        } else if (*s.at == ')' && depth) {
            depth--;
        }
    }
    return s.at;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* Returns the start of the value in NAME=VALUE, or NULL if there is no name. */
static const char *value_of(struct span s)
{
    const char *at = s.at;
    while (at < s.end && is_letter(*at))
        at++;
    return at > s.at && at < s.end && *at == '=' ? at + 1 : NULL;
}

/* ---- one argument ------------------------------------------------------------------------------------------------ */

static bool has_row(const struct rh__tree *t, uint16_t node, uint32_t row)
{
    for (uint16_t i = t->nodes[node].first; i != RH__TREE_NOTHING; i = t->arguments[i].next)
        if (t->arguments[i].row == row)
            return true;
    return false;
}

/* Inserts the argument, sorted by row.  Arguments of the same row stay in the order of the text. */
static bool add_argument(struct parser *p, struct span s, uint16_t node, const struct rh__tree_argument *a)
{
    struct rh__tree *t = p->tree;
    if (t->argument_count == RH__TREE_ARGUMENTS)
        return refuse(p, s.at, "more than %d arguments", RH__TREE_ARGUMENTS);
    uint16_t *link = &t->nodes[node].first;
    while (*link != RH__TREE_NOTHING && t->arguments[*link].row <= a->row)
        link = &t->arguments[*link].next;
    t->arguments[t->argument_count] = *a;
    t->arguments[t->argument_count].next = *link;
    *link = t->argument_count++;
    return true;
}

static bool read_number(struct parser *p, struct span s, const struct rh_argument *row, struct rh__tree_argument *a)
{
    char digits[64], *end = digits;
    bool whole = row->kind == RH_ARGUMENT_NUMBER;
    double least = row->least, most = row->most > 0 ? row->most : whole ? 0x1p63 : 1e300;
    snprintf(digits, sizeof digits, "%.*s", (int)(s.end - s.at), s.at);
    errno = 0;
    if (*digits >= '0' && *digits <= '9' && (size_t)(s.end - s.at) < sizeof digits && !strpbrk(digits, "xX")) {
        a->number = whole ? strtoull(digits, &end, 10) : 0;
        a->real = whole ? (double)a->number : strtod(digits, &end);
    }
    if (end != digits && !*end && !errno && a->real >= least && a->real <= most)
        return true;
    char range[64];
    snprintf(range, sizeof range, row->most > 0 ? "from %.10g to %.10g" : "of at least %.10g", least, most);
    return refuse(p, s.at, "%s is a %snumber %s, not \"%.*s\"", row->name, whole ? "whole " : "", range,
                  (int)(s.end - s.at), s.at);
}

static bool keep_text(struct parser *p, struct span s, bool quoted, struct rh__tree_argument *a)
{
    struct rh__tree *t = p->tree;
    if ((size_t)(s.end - s.at) >= RH__TREE_TEXT - t->text_used)
        return refuse(p, s.at, "the texts are too long");
    a->text = t->text_used;
    for (; s.at < s.end; s.at++) {
        if (quoted && *s.at == '\\' && s.at + 1 < s.end && (s.at[1] == '"' || s.at[1] == '\\'))
            s.at++;
        t->text[t->text_used++] = *s.at;
    }
    t->text[t->text_used++] = 0;
    return true;
}

static bool is_among(const char *words, const char *text, size_t length)
{
    for (const char *at = words; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (strcspn(at, "|") == length && memcmp(at, text, length) == 0)
            return true;
    return false;
}

bool rh__argument_fits(const struct rh_argument *row, const char *text, size_t length, bool quoted)
{
    switch (row->kind) {
    case RH_ARGUMENT_NUMBER:
    case RH_ARGUMENT_REAL:
        return !quoted && length && *text >= '0' && *text <= '9';
    case RH_ARGUMENT_WORD:
        return !row->words || is_among(row->words, text, length);
    case RH_ARGUMENT_FILE:
        return length > 0;
    case RH_ARGUMENT_FLAG:
        return !quoted && length == strlen(row->name) && memcmp(text, row->name, length) == 0;
    case RH_ARGUMENT_EXPLORER:
        return !quoted;
    }
    return false;
}

static bool bind_value(struct parser *p, uint16_t node, uint32_t row, struct span s, bool quoted)
{
    const struct rh_explorer *e = p->tree->nodes[node].explorer;
    const struct rh_argument *r = &e->arguments[row];
    struct rh__tree_argument a = { .row = (uint16_t)row, .node = RH__TREE_NOTHING };
    bool good;
    if (!r->many && has_row(p->tree, node, row))
        return refuse(p, s.at, "%s has its %s already", e->name, r->name);
    switch (r->kind) {
    case RH_ARGUMENT_NUMBER:
    case RH_ARGUMENT_REAL:
        good = !quoted ? read_number(p, s, r, &a) : refuse(p, s.at, "%s is a number: no quotes", r->name);
        break;
    case RH_ARGUMENT_EXPLORER:
        good = !quoted ? parse_expression(p, s, &a.node) : refuse(p, s.at, "an explorer has no quotes");
        break;
    case RH_ARGUMENT_FLAG:
        good = rh__argument_fits(r, s.at, (size_t)(s.end - s.at), quoted) || refuse_usage(p, s, e);
        break;
    case RH_ARGUMENT_WORD:
    case RH_ARGUMENT_FILE:
    default:
        good = rh__argument_fits(r, s.at, (size_t)(s.end - s.at), quoted) ? keep_text(p, s, quoted, &a)
                                                                          : refuse_usage(p, s, e);
        break;
    }
    return good && add_argument(p, s, node, &a);
}

/* Finds the row of an argument without a name: the first unused row that accepts the argument. */
static bool find_row(struct parser *p, uint16_t node, struct span s, bool quoted, uint32_t *row)
{
    const struct rh_explorer *e = p->tree->nodes[node].explorer;
    uint32_t rows = rh__explorer_rows(e);
    for (*row = 0; *row < rows; (*row)++) {
        const struct rh_argument *r = &e->arguments[*row];
        if (!r->named && (r->many || !has_row(p->tree, node, *row)) &&
            rh__argument_fits(r, s.at, (size_t)(s.end - s.at), quoted))
            return true;
    }
    return rows ? refuse_usage(p, s, e) : refuse(p, s.at, "%s takes no argument", e->name);
}

/* True if the span is NAME=VALUE with the name of one of the explorer's arguments.  Sets the row and the value. */
static bool is_named(const struct rh_explorer *e, struct span s, uint32_t *row, struct span *value)
{
    const char *at = value_of(s);
    if (!at)
        return false;
    *value = trim((struct span){ at, s.end });
    for (*row = 0; *row < rh__explorer_rows(e); (*row)++)
        if (e->arguments[*row].kind != RH_ARGUMENT_FLAG && is((struct span){ s.at, at - 1 }, e->arguments[*row].name))
            return true;
    return false;
}

/* ---- NAME(...) --------------------------------------------------------------------------------------------------- */

/* Removes the quotes.  On a missing quote returns false and reports an error. */
static bool unquote(struct parser *p, struct span *s, bool *quoted)
{
    *quoted = s->at < s->end && *s->at == '"';
    if (!*quoted)
        return true;
    const char *at = s->at + 1;
    while (at < s->end && *at != '"')
        at += *at == '\\' && at + 1 < s->end ? 2 : 1;
    if (at != s->end - 1)
        return refuse(p, s->at, at >= s->end ? "the closing quote is missing" : "something follows the closing quote");
    *s = (struct span){ s->at + 1, at };
    return true;
}

static bool parse_argument(struct parser *p, uint16_t node, struct span s)
{
    const struct rh_explorer *e = p->tree->nodes[node].explorer;
    struct span value;
    uint32_t row;
    bool quoted, named = is_named(e, s, &row, &value);
    if (!named && value_of(s))
        return refuse(p, s.at, "%s has no argument called %.*s; a text with = in it needs quotes", e->name,
                      (int)(value_of(s) - 1 - s.at), s.at);
    s = named ? value : s;
    if (s.at == s.end)
        return refuse(p, s.at, "an argument is missing");
    return unquote(p, &s, &quoted) && (named || find_row(p, node, s, quoted, &row)) &&
           bind_value(p, node, row, s, quoted);
}

static bool parse_parentheses(struct parser *p, uint16_t node, struct span s)
{
    const char *close = find_separator((struct span){ s.at + 1, s.end }, ")", false);
    if (close == s.end)
        return refuse(p, s.at, "this parenthesis is not closed");
    if (close + 1 != s.end)
        return refuse(p, close + 1, "\"%.*s\" follows the closing parenthesis", (int)(s.end - close - 1), close + 1);
    bool inside = p->inside, good = true;
    p->inside = true;
    s = (struct span){ s.at + 1, close };
    for (bool more = trim(s).at < trim(s).end; more && good;) {
        const char *comma = find_separator(s, ",", false);
        good = parse_argument(p, node, trim((struct span){ s.at, comma }));
        more = comma < s.end;
        s.at = comma + more;
    }
    p->inside = inside;
    return good;
}

/* ---- NAME:... ---------------------------------------------------------------------------------------------------- */

/* Returns the end of a file name, which may contain commas. */
static const char *end_of_file_name(const struct parser *p, struct span s)
{
    char path[4096];
    const char *first = NULL;
    for (const char *at = s.end; at;
         at = at == s.end ? memchr(s.at, ',', (size_t)(s.end - s.at)) : memchr(at + 1, ',', (size_t)(s.end - at - 1))) {
        int n = snprintf(path, sizeof path, "%.*s", (int)(at - s.at), s.at);
        if (n > 0 && (size_t)n < sizeof path && p->is_file && p->is_file(path))
            return at;
        if (at != s.end && !first)
            first = at;
    }
    return first ? first : s.end;
}

/* Parses the rest of the span as explorers. */
static bool parse_members(struct parser *p, uint16_t node, uint32_t row, struct span s)
{
    bool many = p->tree->nodes[node].explorer->arguments[row].many;
    while (s.at < s.end) {
        const char *plus = many ? find_separator(s, "+", true) : s.end;
        if (!bind_value(p, node, row, trim((struct span){ s.at, plus }), false))
            return false;
        s.at = plus < s.end ? plus + 1 : s.end;
    }
    return true;
}

static bool parse_short(struct parser *p, uint16_t node, struct span s)
{
    const struct rh_explorer *e = p->tree->nodes[node].explorer;
    if (p->inside && rh__explorer_rows(e) > 1)
        return refuse(p, s.at, "inside of parentheses %s needs its own: %s(%.*s)", e->name, e->name,
                      (int)(s.end - s.at), s.at);
    while (s.at < s.end) {
        struct span piece = { s.at, find_separator(s, ",;", true) }, value = piece;
        uint32_t row;
        if (!is_named(e, piece, &row, &value) && !find_row(p, node, piece, false, &row))
            return false;
        if (e->arguments[row].kind == RH_ARGUMENT_EXPLORER)
            return parse_members(p, node, row, (struct span){ value.at, s.end });
        if (e->arguments[row].kind == RH_ARGUMENT_FILE)
            value.end = piece.end = end_of_file_name(p, (struct span){ value.at, s.end });
        if (!bind_value(p, node, row, value, false))
            return false;
        if (piece.end + 1 == s.end)
            return refuse(p, s.end, "an argument is missing");
        s.at = piece.end < s.end ? piece.end + 1 : s.end;
    }
    return true;
}

/* ---- expressions ------------------------------------------------------------------------------------------------- */

static bool refuse_name(struct parser *p, struct span name)
{
    char list[512], guess[80];
    struct rh__text t, likely;
    struct rh__guess g = rh__guess_of(name.at, (size_t)(name.end - name.at));
    rh__text_init(&t, list, sizeof list);
    for (const struct rh_explorer_entry *e = rh_explorer_first(); e; e = e->next) {
        rh__text_add(&t, " %s", e->explorer->name);
        rh__guess_try(&g, e->explorer->name);
    }
    rh__text_init(&likely, guess, sizeof guess);
    rh__guess_add(&g, &likely);
    if (name.at == name.end)
        return refuse(p, name.at, "an explorer is wanted; there are%s", list);
    return refuse(p, name.at, "no explorer is called \"%.*s\"%s; there are%s", (int)(name.end - name.at), name.at,
                  guess, list);
}

static bool check_required(struct parser *p, uint16_t node, struct span name)
{
    const struct rh_explorer *e = p->tree->nodes[node].explorer;
    char usage[256];
    uint32_t many = 0;
    for (uint32_t i = 0; i < rh__explorer_rows(e); i++)
        if (e->arguments[i].required && !has_row(p->tree, node, i)) {
            rh__explorer_usage(e, usage, sizeof usage);
            return refuse(p, name.at, "%s wants %s %s; it is written %s", e->name,
                          strchr("aeiou", e->arguments[i].name[0]) ? "an" : "a", e->arguments[i].name, usage);
        }
    for (uint16_t i = p->tree->nodes[node].first; i != RH__TREE_NOTHING; i = p->tree->arguments[i].next)
        many += p->tree->arguments[i].node != RH__TREE_NOTHING;
    return many <= RH_MOST_INNER || refuse(p, name.at, "%s: at most %d explorers", e->name, RH_MOST_INNER);
}

static bool parse_expression(struct parser *p, struct span s, uint16_t *node)
{
    struct rh__tree *t = p->tree;
    struct span name = { s.at, s.at };
    while (name.end < s.end && *name.end != ':' && *name.end != '(')
        name.end++;
    name = trim(name);
    const struct rh_explorer *e = rh__explorer_named(name.at, (size_t)(name.end - name.at));
    if (!e)
        return refuse_name(p, name);
    if (p->depth == RH__TREE_DEPTH || t->node_count == RH__TREE_NODES)
        return refuse(p, s.at, "explorers are nested more than %d deep, or there are more than %d", RH__TREE_DEPTH,
                      RH__TREE_NODES);
    *node = t->node_count++;
    t->nodes[*node] = (struct rh__tree_node){ e, RH__TREE_NOTHING };
    struct span rest = trim((struct span){ name.end, s.end });
    p->depth++;
    bool good =
        rest.at == rest.end || (*rest.at == '(' ? parse_parentheses(p, *node, rest)
                                                : parse_short(p, *node, (struct span){ rest.at + 1, rest.end }));
    p->depth--;
    return good && check_required(p, *node, name);
}

bool rh__tree_parse_with(struct rh__tree *t, const char *text, bool (*is_file)(const char *path), char *error,
                         size_t error_size)
{
    struct parser p = { .text = text, .tree = t, .is_file = is_file, .error = error, .error_size = error_size };
    struct span all = trim((struct span){ text, text + strlen(text) });
    uint16_t root;
    t->node_count = t->argument_count = 0;
    t->text_used = 0;
    if (all.end - all.at > RH__TREE_LONGEST)
        return refuse(&p, text, "it is longer than %d bytes", RH__TREE_LONGEST);
    return parse_expression(&p, all, &root);
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool rh__tree_parse(struct rh__tree *t, const char *text, char *error, size_t error_size)
{
    return rh__tree_parse_with(t, text, exists, error, error_size);
}

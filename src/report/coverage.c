/* See coverage.h. */
#include "report/coverage.h"

#include <string.h>

#include "report/json_text.h"
#include "trace/schedule.h"

/* Larger matrices and lists are of no use to a reader. */
enum { LARGEST_MATRIX = 400, LONGEST_LIST = 1000 };

static bool asked(const struct rh__coverage *c, uint32_t criterion)
{
    return c->criteria >> criterion & 1;
}

/* The next receive of the same actor; RH_NONE behind the last. */
static uint32_t next_of(const struct rh__coverage *c, uint32_t receive)
{
    return rh__covered_receive(c, receive)->next;
}

struct rh__coverage_summary rh__coverage_summary(const struct rh__coverage *c, enum rh__criterion criterion)
{
    struct rh__coverage_summary s = { 0 };
    for (uint32_t i = 0; i < c->actor_count; i++)
        for (uint32_t a = rh__covered_actor(c, i)->first; a != RH_NONE; a = next_of(c, a))
            for (uint32_t b = next_of(c, a); b != RH_NONE; b = next_of(c, b)) {
                enum rh__pair p = rh__pair_of(c, criterion, a, b);
                if (p == RH__PAIR_APART || p == RH__PAIR_UNRELATED)
                    continue;
                s.pairs++;
                s.covered += p == RH__PAIR_COVERED;
                s.open += p == RH__PAIR_OPEN;
                s.forced += p == RH__PAIR_FORCED;
                s.impossible += p == RH__PAIR_IMPOSSIBLE;
            }
    return s;
}

/* What the receive takes; a number tells apart receives of one name with different causes. */
static void write_name(const struct rh__coverage *c, uint32_t receive, char *buffer, size_t size)
{
    const struct rh__covered_receive *r = rh__covered_receive(c, receive);
    int n = snprintf(buffer, size, "%s", rh__coverage_text(c, r->text));
    if (r->same && n > 0 && (size_t)n < size)
        snprintf(buffer + n, size - (size_t)n, " [%u]", r->same + 1);
}

/* The subject has a line with test and parameters, and then lines `set NAME=VALUE`.  The granularity is not among them:
 * coverage of different granularities can be merged. */
void rh__coverage_under(const struct rh__coverage *c, struct rh__text *t)
{
    const char *at = rh__coverage_text(c, c->subject), *comma = "";
    for (at += strcspn(at, "\n"); *at; at += strcspn(at, "\n")) {
        at += strspn(at, "\n");
        size_t length = strcspn(at, "\n"), name = strcspn(at, "=\n");
        if (strncmp(at, "set ", 4) != 0 || name == length || strncmp(at, "set granularity", 15) == 0)
            continue;
        rh__text_add(t, "%s", comma);
        comma = ", ";
        if (strncmp(at, "set model=", 10) != 0)
            rh__text_add(t, "%.*s ", (int)(name - 4), at + 4);
        rh__text_put(t, at + name + 1, length - name - 1);
    }
    rh__text_add(t, "%sgranularity %s", comma, rh__granularity_name((enum rh_granularity)c->grain));
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* Names the order that is missing: "not reached: writer#1 never took flush from terminator#1 before write from
 * action#1". */
static void print_pair(FILE *f, const struct rh__coverage *c, enum rh__criterion criterion, uint32_t a, uint32_t b,
                       const char *indent, const char *how)
{
    static const char *const between[] = { "before", "and, with no other change of handlers between, then",
                                           "and right after it" };
    char first[320], second[320];
    bool one = rh__achieved(c, criterion, a, b), other = rh__achieved(c, criterion, b, a);
    write_name(c, one ? b : a, first, sizeof first);
    write_name(c, one ? a : b, second, sizeof second);
    fprintf(f, "%s  %s: ", indent, how);
    rh__print_visible(f, rh__coverage_text(c, rh__covered_actor(c, rh__covered_receive(c, a)->actor)->name), SIZE_MAX);
    fputs(" never took ", f);
    rh__print_visible(f, first, SIZE_MAX);
    fprintf(f, " %s ", between[criterion]);
    rh__print_visible(f, second, SIZE_MAX);
    fprintf(f, "%s\n", one || other ? "" : ", nor the other way round");
}

static void print_pairs(FILE *f, const struct rh__coverage *c, enum rh__criterion criterion, enum rh__pair which,
                        const char *how, const char *indent, uint32_t most)
{
    uint32_t printed = 0;
    for (uint32_t i = 0; i < c->actor_count; i++)
        for (uint32_t a = rh__covered_actor(c, i)->first; a != RH_NONE; a = next_of(c, a))
            for (uint32_t b = next_of(c, a); b != RH_NONE; b = next_of(c, b))
                if (rh__pair_of(c, criterion, a, b) == which && printed++ < most)
                    print_pair(f, c, criterion, a, b, indent, how);
    if (printed > most && most)
        fprintf(f, "%s  %s: %u more\n", indent, how, printed - most);
}

void rh__coverage_print(FILE *f, const struct rh__coverage *c, const char *indent, uint32_t most)
{
    for (uint32_t i = 0; i < RH__CRITERION_COUNT; i++) {
        if (!asked(c, i))
            continue;
        struct rh__coverage_summary s = rh__coverage_summary(c, i);
        if (i == RH__PMR && !s.pairs) {
            fprintf(f, "%scoverage pmr: no actor changes its handlers\n", indent);
            continue;
        }
        fprintf(f, "%scoverage %s: %s%llu goals; %llu pairs: %llu covered, %llu impossible", indent,
                rh__criterion_name(i), c->full ? "at least " : "", (unsigned long long)c->counts[i].goals,
                (unsigned long long)s.pairs, (unsigned long long)s.covered, (unsigned long long)s.impossible);
        if (s.forced)
            fprintf(f, ", %llu forced so far", (unsigned long long)s.forced);
        fprintf(f, ", %llu not reached\n", (unsigned long long)s.open);
        uint32_t lines = most < LONGEST_LIST ? most : LONGEST_LIST;
        print_pairs(f, c, i, RH__PAIR_OPEN, "not reached", indent, lines);
        if (most == UINT32_MAX) {
            print_pairs(f, c, i, RH__PAIR_FORCED, "forced so far", indent, lines);
            print_pairs(f, c, i, RH__PAIR_IMPOSSIBLE, "impossible", indent, lines);
        }
    }
}

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

/* Which orders of `a` and `b` were seen: both, only a before b, only b before a, or neither.  A capital says that
 * the missing order is impossible; d, c and y say that something forced the order in every run. */
static char mark_of(const struct rh__coverage *c, enum rh__criterion criterion, uint32_t a, uint32_t b)
{
    if (a == b)
        return '-';
    bool one = rh__achieved(c, criterion, a, b), other = rh__achieved(c, criterion, b, a);
    switch (rh__pair_of(c, criterion, a, b)) {
    case RH__PAIR_COVERED:
        return '*';
    case RH__PAIR_IMPOSSIBLE:
        return one ? 'B' : other ? 'A' : 'X';
    case RH__PAIR_FORCED:
        return one ? 'd' : other ? 'c' : 'y';
    case RH__PAIR_OPEN:
        return one ? 'b' : other ? 'a' : 'x';
    default:
        return '.';
    }
}

static void json_matrix(FILE *f, const struct rh__coverage *c, const struct rh__covered_actor *actor,
                        enum rh__criterion criterion)
{
    fprintf(f, ",\"%s\":", rh__criterion_name(criterion));
    if (actor->count > LARGEST_MATRIX) {
        fputs("null", f);
        return;
    }
    fputc('[', f);
    for (uint32_t a = actor->first; a != RH_NONE; a = next_of(c, a)) {
        fputs(a == actor->first ? "\"" : ",\"", f);
        for (uint32_t b = actor->first; b != RH_NONE; b = next_of(c, b))
            fputc(mark_of(c, criterion, a, b), f);
        fputc('"', f);
    }
    fputc(']', f);
}

static void json_actor(FILE *f, const struct rh__coverage *c, const struct rh__covered_actor *actor)
{
    char name[320];
    fputs("{\"actor\":", f);
    rh__json_text(f, rh__coverage_text(c, actor->name));
    fputs(",\"receives\":[", f);
    for (uint32_t a = actor->first; a != RH_NONE; a = next_of(c, a)) {
        write_name(c, a, name, sizeof name);
        fputs(a == actor->first ? "" : ",", f);
        rh__json_text(f, name);
    }
    fputc(']', f);
    for (uint32_t i = 0; i < RH__CRITERION_COUNT; i++)
        if (asked(c, i))
            json_matrix(f, c, actor, i);
    fputc('}', f);
}

void rh__coverage_json(FILE *f, const struct rh__coverage *c, void (*growth)(FILE *f, const void *arg), const void *arg)
{
    char under[4096];
    struct rh__text t;
    const char *comma = "";
    rh__text_init(&t, under, sizeof under);
    rh__coverage_under(c, &t);
    fputs("{\"under\":", f);
    rh__json_text(f, under);
    fprintf(f, ",\"runs\":%llu,\"exhausted\":%s,\"at_least\":%s,\"criteria\":{", (unsigned long long)c->runs,
            c->exhausted ? "true" : "false", c->full ? "true" : "false");
    for (uint32_t i = 0; i < RH__CRITERION_COUNT; i++) {
        if (!asked(c, i))
            continue;
        struct rh__coverage_summary s = rh__coverage_summary(c, i);
        fprintf(f, "%s\"%s\":{\"goals\":%llu,\"pairs\":%llu,\"covered\":%llu,\"impossible\":%llu,", comma,
                rh__criterion_name(i), (unsigned long long)c->counts[i].goals, (unsigned long long)s.pairs,
                (unsigned long long)s.covered, (unsigned long long)s.impossible);
        fprintf(f, "\"forced\":%llu,\"open\":%llu}", (unsigned long long)s.forced, (unsigned long long)s.open);
        comma = ",";
    }
    fputs("},\"actors\":[", f);
    comma = "";
    for (uint32_t i = 0; i < c->actor_count; i++)
        if (rh__covered_actor(c, i)->count > 1) {
            fputs(comma, f);
            json_actor(f, c, rh__covered_actor(c, i));
            comma = ",";
        }
    fputc(']', f);
    if (growth)
        growth(f, arg);
    fputc('}', f);
}

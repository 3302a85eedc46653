/* See target_results.h. */
#include "target/target_results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/files.h"
#include "base/visible.h"
#include "report/json_text.h"
#include "report/page_form.h"
#include "target/target_tests.h"

static const char *result_of(const struct rh__goal *x)
{
    static const char *const words[] = { "not found", "reached", "unreachable", "not found" };
    return words[x->status];
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool rh__results_is_goal(const struct rh__goals *g, const struct rh__failed_run *x)
{
    if (strstr(x->place, "__ubsan_handle_")) /* a check of --null */
        return true;
    for (uint32_t i = 0; i < g->count; i++)
        if (g->at[i].status == RH__GOAL_REACHED && strcmp(base_name(x->place), base_name(g->at[i].place)) == 0)
            return true;
    return false;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_goal(const struct rh__goal *x)
{
    printf("%s (%s) ", x->place, x->what);
    if (x->status == RH__GOAL_REACHED)
        printf("reached by %u choice%s (%s)%s%s\n", x->choices, x->choices == 1 ? "" : "s", x->how,
               x->saved ? ": " : "", x->saved ? x->saved : "");
    else if (x->status == RH__GOAL_UNREACHABLE)
        printf("unreachable: %s\n", x->how);
    else
        printf("not found%s%s\n", x->how ? ": " : "", x->how ? x->how : "");
}

static void print_failures(const struct rh__target_results *r)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->concrete->failure_count; i++) {
        const struct rh__failed_run *x = &r->concrete->failures[i];
        if (rh__results_is_goal(r->goals, x))
            continue;
        if (!count++)
            puts("on the way, runs failed:");
        printf("  %s: %s", x->kind, x->message);
        if (*x->place)
            printf("  (%s)", x->place);
        printf("%s%s\n", x->saved ? ": " : "", x->saved ? x->saved : "");
    }
}

void rh__results_print(const struct rh__target_results *r)
{
    const struct rh__goals *g = r->goals;
    for (uint32_t i = 0; i < g->count; i++)
        if (i < r->listed || g->at[i].status != RH__GOAL_REACHED)
            print_goal(&g->at[i]);
    printf("%u goal%s of %s: %u reached, %u unreachable, %u not found; %llu run%s\n", g->count,
           g->count == 1 ? "" : "s", r->test, rh__goals_with(g, RH__GOAL_REACHED),
           rh__goals_with(g, RH__GOAL_UNREACHABLE), rh__goals_with(g, RH__GOAL_OPEN),
           (unsigned long long)r->concrete->runs, r->concrete->runs == 1 ? "" : "s");
    printf(
        "reached by samplers %u, by optimal %u, by the solver %u, by the search %u, by repaired plans %u; unreachable "
        "by the graph %u, by optimal %u\n",
        rh__goals_by(g, RH__STAGE_SAMPLERS, RH__GOAL_REACHED), rh__goals_by(g, RH__STAGE_OPTIMAL, RH__GOAL_REACHED),
        rh__goals_by(g, RH__STAGE_SOLVER, RH__GOAL_REACHED), rh__goals_by(g, RH__STAGE_SEARCH, RH__GOAL_REACHED),
        rh__goals_by(g, RH__STAGE_REPAIR, RH__GOAL_REACHED), rh__goals_by(g, RH__STAGE_GRAPH, RH__GOAL_UNREACHABLE),
        rh__goals_by(g, RH__STAGE_OPTIMAL, RH__GOAL_UNREACHABLE));
    print_failures(r);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void put_text(FILE *f, const char *name, const char *text)
{
    fprintf(f, ",\"%s\":", name);
    if (text)
        rh__json_text(f, text);
    else
        fputs("null", f);
}

/* How many goals each stage has settled in this way. */
static void put_stages(FILE *f, const char *name, const struct rh__goals *g, enum rh__goal_status status)
{
    fprintf(f, ",\"%s\":{", name);
    for (int stage = RH__STAGE_GRAPH; stage < RH__STAGES; stage++)
        fprintf(f, "%s\"%s\":%u", stage == RH__STAGE_GRAPH ? "" : ",", rh__stage_name((enum rh__stage)stage),
                rh__goals_by(g, (enum rh__stage)stage, status));
    fputc('}', f);
}

static const struct rh__bitcode_function *function_of(const struct rh__bitcode *b, uint32_t block)
{
    for (uint32_t i = 0; i < b->function_count; i++)
        if (block - b->functions[i].first_block < b->functions[i].block_count && b->functions[i].value)
            return &b->functions[i];
    return NULL;
}

static void put_goal(FILE *f, const struct rh__target_results *r, uint32_t goal)
{
    const struct rh__goal *x = &r->goals->at[goal];
    const struct rh__bitcode_function *function =
        x->block_count ? function_of(&r->goals->program->bitcode, x->blocks[0]) : NULL;
    char generated[512];
    fputs("{\"place\":", f);
    rh__json_text(f, x->place);
    put_text(f, "goal", x->what);
    put_text(f, "function", function ? function->name : NULL);
    put_text(f, "result", result_of(x));
    put_text(f, "stage", x->stage == RH__STAGE_NONE ? NULL : rh__stage_name(x->stage));
    put_text(f, "how", x->how);
    if (x->status == RH__GOAL_REACHED)
        fprintf(f, ",\"choices\":%u", x->choices);
    else
        fputs(",\"choices\":null", f);
    put_text(f, "schedule", x->saved);
    put_text(f, "generated",
             r->tests && rh__tests_name(r->goals, goal, generated, sizeof generated) ? generated : NULL);
    fprintf(f, ",\"seconds\":%.3f,\"blocks\":[", x->seconds);
    for (uint32_t k = 0; k < x->block_count; k++)
        fprintf(f, "%s%u", k ? "," : "", x->blocks[k]);
    fputs("]}", f);
}

static void put_results(FILE *f, const struct rh__target_results *r)
{
    const struct rh__goals *g = r->goals;
    fputs("{\"program\":", f);
    rh__json_text(f, r->program);
    put_text(f, "test", r->test);
    fprintf(f, ",\"seed\":%llu,\"jobs\":%u,\"solver\":%s,\"runs\":%llu", (unsigned long long)r->concrete->seed, r->jobs,
            r->solver ? "true" : "false", (unsigned long long)r->concrete->runs);
    fprintf(f, ",\"ended_early\":%u,\"reached\":%u,\"unreachable\":%u,\"not_found\":%u", r->ended_early,
            rh__goals_with(g, RH__GOAL_REACHED), rh__goals_with(g, RH__GOAL_UNREACHABLE),
            rh__goals_with(g, RH__GOAL_OPEN));
    put_stages(f, "reached_by", g, RH__GOAL_REACHED);
    put_stages(f, "unreachable_by", g, RH__GOAL_UNREACHABLE);
    fputs(",\"goals\":[", f);
    for (uint32_t i = 0; i < g->count; i++) {
        fputs(i ? "," : "", f);
        put_goal(f, r, i);
    }
    fputs("],\"failures\":[", f);
    for (uint32_t i = 0; i < r->concrete->failure_count; i++) {
        const struct rh__failed_run *x = &r->concrete->failures[i];
        fprintf(f, "%s{\"kind\":", i ? "," : "");
        rh__json_text(f, x->kind);
        put_text(f, "message", x->message);
        put_text(f, "place", x->place);
        put_text(f, "schedule", x->saved);
        fputc('}', f);
    }
    fputs("]", f);
}

static bool open_output(struct rh__output *o, const char *path)
{
    char error[RH__PATH_BYTES + 256];
    if (rh__output_open(o, path, true, error, sizeof error))
        return true;
    rh__complain("%s", error);
    return false;
}

static bool close_output(struct rh__output *o)
{
    char error[RH__PATH_BYTES + 256];
    if (rh__output_close(o, error, sizeof error))
        return true;
    rh__complain("%s", error);
    return false;
}

bool rh__results_json(const struct rh__target_results *r, const char *path)
{
    struct rh__output o;
    if (!open_output(&o, path))
        return false;
    put_results(o.file, r);
    fputs("}\n", o.file);
    return close_output(&o);
}

/* ---- the page ---------------------------------------------------------------------------------------------------- */

/* Lines of one source file, and for each the goals that have a block with code there. */
struct marks {
    uint32_t **goals, *counts; /* of each line */
    uint32_t lines;
};

static void mark(struct marks *m, uint32_t line, uint32_t goal)
{
    if (line >= m->lines) {
        uint32_t lines = line + 64;
        m->goals = realloc(m->goals, lines * sizeof *m->goals);
        m->counts = realloc(m->counts, lines * sizeof *m->counts);
        RH__ASSERT(m->goals && m->counts, "no memory for %u lines", lines);
        memset(m->goals + m->lines, 0, (lines - m->lines) * sizeof *m->goals);
        memset(m->counts + m->lines, 0, (lines - m->lines) * sizeof *m->counts);
        m->lines = lines;
    }
    uint32_t n = m->counts[line];
    if (n && m->goals[line][n - 1] == goal)
        return;
    m->goals[line] = realloc(m->goals[line], (n + 1) * sizeof **m->goals);
    RH__ASSERT(m->goals[line], "no memory for a line");
    m->goals[line][m->counts[line]++] = goal;
}

static LLVMBasicBlockRef block_of(const struct rh__bitcode_function *f, uint32_t block)
{
    uint32_t number = f->first_block, index = 0;
    for (LLVMBasicBlockRef x = LLVMGetFirstBasicBlock(f->value); x && index < f->all_blocks;
         x = LLVMGetNextBasicBlock(x), index++)
        if (f->counted[index] && number++ == block)
            return x;
    return NULL;
}

static void mark_goal(const struct rh__goals *g, uint32_t goal, uint32_t file, struct marks *m)
{
    const struct rh__bitcode *b = &g->program->bitcode;
    char name[4096];
    for (uint32_t k = 0; k < g->at[goal].block_count; k++) {
        const struct rh__bitcode_function *f = function_of(b, g->at[goal].blocks[k]);
        LLVMBasicBlockRef block = f && f->file == file ? block_of(f, g->at[goal].blocks[k]) : NULL;
        for (LLVMValueRef i = block ? LLVMGetFirstInstruction(block) : NULL; i; i = LLVMGetNextInstruction(i)) {
            uint32_t line = rh__bitcode_line(i, name, sizeof name);
            if (line && strcmp(base_name(name), base_name(b->files[file])) == 0) /* code of headers has no line here */
                mark(m, line, goal);
        }
    }
}

static void put_source(FILE *f, const char *path)
{
    FILE *source = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    fputs(",\"lines\":[", f);
    for (ssize_t n, i = 0; source && (n = getline(&line, &room, source)) >= 0; i++) {
        while (n && (line[n - 1] == '\n' || line[n - 1] == '\r'))
            line[--n] = 0;
        fputs(i ? "," : "", f);
        rh__json_text(f, line);
    }
    free(line);
    if (source)
        fclose(source);
    fputs("]", f);
}

static void put_file(FILE *f, const struct rh__target_results *r, uint32_t file, bool *first)
{
    struct marks m = { NULL, NULL, 0 };
    for (uint32_t i = 0; i < r->goals->count; i++)
        mark_goal(r->goals, i, file, &m);
    if (m.lines) {
        fprintf(f, "%s{\"name\":", *first ? "" : ",");
        rh__json_text(f, r->goals->program->bitcode.files[file]);
        fprintf(f, ",\"changed\":%s", r->goals->program->bitcode.newer[file] ? "true" : "false");
        put_source(f, r->goals->program->bitcode.files[file]);
        fputs(",\"marks\":[", f);
        bool any = false;
        for (uint32_t line = 0; line < m.lines; line++) {
            for (uint32_t k = 0; k < m.counts[line]; k++) {
                fprintf(f, k ? ",%u" : any ? ",[%u,%u" : "[%u,%u", k ? m.goals[line][k] : line, m.goals[line][k]);
                any = true;
            }
            fputs(m.counts[line] ? "]" : "", f);
        }
        fputs("]}", f);
        *first = false;
    }
    for (uint32_t line = 0; line < m.lines; line++)
        free(m.goals[line]);
    free(m.goals);
    free(m.counts);
}

bool rh__results_html(const struct rh__target_results *r, const char *path)
{
    struct rh__output o;
    char *text = NULL;
    size_t size = 0;
    FILE *data = open_memstream(&text, &size);
    RH__ASSERT(data, "no memory for a page");
    put_results(data, r);
    fputs(",\"targets\":true,\"files\":[", data);
    bool first = true;
    for (uint32_t file = 0; file < r->goals->program->bitcode.file_count; file++)
        put_file(data, r, file, &first);
    fputs("]}", data);
    RH__ASSERT(fclose(data) == 0, "no memory for a page");
    bool good = open_output(&o, path);
    if (good) {
        rh__page_put(o.file, text, size, "'none'");
        good = close_output(&o);
    }
    free(text);
    return good;
}

/* See workers.h. */
#include "target/workers.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/visible.h"

enum { PATH = 512, SPARE_SECONDS = 2 };

struct rh__worker {
    pid_t pid; /* 0: it has ended */
    char folder[256], record[PATH];
    long read;     /* bytes of its record that were taken */
    bool *has;     /* goals that are its own */
    uint64_t runs; /* as it has told so far */
};

/* ---- the record of a process ------------------------------------------------------------------------------------- */

static void put_goal(FILE *f, uint32_t number, const struct rh__goal *x)
{
    const char *how = x->how ? x->how : "", *schedule = x->schedule ? x->schedule : "";
    fprintf(f, "goal %" PRIu32 " %d %d %" PRIu32 " %" PRIu32 " %d %.6f %zu %zu\n%s\n%s\n", number, (int)x->status,
            (int)x->stage, x->block, x->choices, x->ran, x->seconds, strlen(how), strlen(schedule), how, schedule);
    fflush(f);
}

static void put_settled(struct rh__goals *g, uint32_t goal, void *arg)
{
    put_goal(arg, goal, &g->at[goal]);
}

/* `size` bytes and a newline; NULL if they are not there yet. */
static char *take_text(FILE *f, size_t size)
{
    char *text = malloc(size + 1);
    RH__ASSERT(text, "no memory for a record");
    text[size] = 0;
    if (fread(text, 1, size, f) == size && fgetc(f) == '\n')
        return text;
    free(text);
    return NULL;
}

static void take_goal(struct rh__goals *g, const struct rh__worker *w, uint32_t number, const struct rh__goal *from,
                      char *how, char *schedule)
{
    struct rh__goal *x = &g->at[number];
    bool contradicts = (x->status == RH__GOAL_UNREACHABLE && from->status == RH__GOAL_REACHED) ||
                       (x->status == RH__GOAL_REACHED && from->status == RH__GOAL_UNREACHABLE);
    RH__ASSERT(!contradicts, "%s is called unreachable, and a run reaches it", x->place);
    x->ran |= from->ran;
    if (w->has[number])
        x->seconds = from->seconds;
    if (x->status == RH__GOAL_OPEN && (from->status != RH__GOAL_OPEN || *how)) {
        free(x->schedule);
        x->schedule = *schedule ? strdup(schedule) : NULL;
        x->block = from->block;
        x->choices = from->choices;
        if (from->status == RH__GOAL_OPEN)
            rh__goals_explain(x, how);
        else
            rh__goals_settle(g, x, from->status, from->stage, how);
    }
}

/* Takes what is new; a record that is cut short is read again later. */
static void take_new(struct rh__worker *w, struct rh__concrete *c, struct rh__goals *g)
{
    FILE *f = fopen(w->record, "r");
    char line[256];
    if (!f || fseek(f, w->read, SEEK_SET) != 0) {
        if (f)
            fclose(f);
        return;
    }
    while (fgets(line, sizeof line, f) && strchr(line, '\n')) {
        struct rh__goal x = { .status = RH__GOAL_OPEN };
        uint32_t number = 0;
        int status, stage, ran;
        size_t how_size, schedule_size;
        uint64_t runs;
        if (sscanf(line, "runs %" SCNu64, &runs) == 1) {
            c->runs += runs - w->runs;
            w->runs = runs;
        } else if (sscanf(line, "goal %" SCNu32 " %d %d %" SCNu32 " %" SCNu32 " %d %lf %zu %zu", &number, &status,
                          &stage, &x.block, &x.choices, &ran, &x.seconds, &how_size, &schedule_size) == 9) {
            RH__ASSERT(number < g->count, "a process tells of goal %u of %u", number, g->count);
            x.status = (enum rh__goal_status)status;
            x.stage = (enum rh__stage)stage;
            x.ran = ran;
            char *how = take_text(f, how_size), *schedule = how ? take_text(f, schedule_size) : NULL;
            if (schedule)
                take_goal(g, w, number, &x, how, schedule);
            free(how);
            free(schedule);
            if (!schedule)
                break;
        }
        w->read = ftell(f);
    }
    fclose(f);
}

/* ---- a process --------------------------------------------------------------------------------------------------- */

/* The solver looks at its limits itself; the system ends a process in which it does not. */
static void limit_time(double seconds)
{
    rlim_t most = (rlim_t)(2 * seconds) + SPARE_SECONDS;
    setrlimit(RLIMIT_CPU, &(struct rlimit){ most, most + 1 });
    setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
}

static void work(struct rh__workers *all, struct rh__worker *w, uint32_t index, struct rh__concrete *c,
                 struct rh__goals *g)
{
    char error[512];
    double seconds = all->seconds / all->count;
    FILE *f = fopen(w->record, "w");
    snprintf(c->folder, sizeof c->folder, "%s", w->folder);
    if (!f || !rh__concrete_prepare(c, g->program, error, sizeof error))
        _exit(3);
    limit_time(seconds);
    uint64_t runs = c->runs;
    if (!all->divide)
        c->seed += 1000 * (index + 1);
    for (uint32_t i = 0; i < g->count; i++)
        if (g->at[i].status == RH__GOAL_OPEN && !w->has[i])
            g->at[i].status = RH__GOAL_LEFT;
    g->settled = put_settled;
    g->arg = f;
    all->work(c, g, seconds, all->arg);
    for (uint32_t i = 0; i < g->count; i++)
        if (g->at[i].status == RH__GOAL_OPEN && all->divide)
            put_goal(f, i, &g->at[i]);
    fprintf(f, "runs %" PRIu64 "\n", c->runs - runs);
    _exit(fclose(f) == 0 ? 0 : 3);
}

void rh__workers_start(struct rh__workers *all, struct rh__concrete *c, struct rh__goals *g)
{
    uint32_t open = rh__goals_with(g, RH__GOAL_OPEN), next = 0;
    all->count = all->divide && all->count > open ? open : all->count;
    all->all = calloc(all->count + 1, sizeof *all->all);
    RH__ASSERT(all->all, "no memory for %u processes", all->count);
    fflush(NULL);
    for (uint32_t k = 0; k < all->count; k++) {
        struct rh__worker *w = &all->all[k];
        w->has = calloc(g->count + 1, sizeof *w->has);
        RH__ASSERT(w->has, "no memory for %u goals", g->count);
    }
    for (uint32_t i = 0; i < g->count; i++) {
        for (uint32_t k = 0; k < all->count && g->at[i].status == RH__GOAL_OPEN; k++)
            all->all[k].has[i] = !all->divide || next % all->count == k;
        next += g->at[i].status == RH__GOAL_OPEN;
    }
    for (uint32_t k = 0; k < all->count; k++) {
        struct rh__worker *w = &all->all[k];
        snprintf(w->folder, sizeof w->folder, "%.230s/%s%u", c->folder, all->divide ? "part" : "more", k);
        snprintf(w->record, sizeof w->record, "%s/settled", w->folder);
        if (mkdir(w->folder, 0700) == 0 && (w->pid = fork()) == 0)
            work(all, w, k, c, g);
        if (w->pid <= 0) {
            rh__complain("note: no process for %s: %s", all->name, strerror(errno));
            w->pid = 0;
            all->ended_early++;
        }
    }
}

/* Says of the goals that the process had left why it has ended. */
static void explain_end(struct rh__workers *all, struct rh__worker *w, int status, struct rh__goals *g)
{
    char how[256];
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return;
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU))
        snprintf(how, sizeof how, "%s did not end in its time, and was ended", all->name);
    else if (WIFSIGNALED(status))
        snprintf(how, sizeof how, "%s was ended by signal %d", all->name, WTERMSIG(status));
    else
        snprintf(how, sizeof how, "%s failed", all->name);
    all->ended_early++;
    rh__complain("note: %s; what it had left is not found", how);
    for (uint32_t i = 0; i < g->count; i++)
        if (w->has[i] && g->at[i].status == RH__GOAL_OPEN)
            rh__goals_explain(&g->at[i], how);
}

static uint32_t wait_for(struct rh__workers *all, struct rh__concrete *c, struct rh__goals *g)
{
    uint32_t working = 0;
    for (uint32_t k = 0; k < all->count; k++) {
        struct rh__worker *w = &all->all[k];
        int status;
        if (!w->pid)
            continue;
        bool over = waitpid(w->pid, &status, WNOHANG) == w->pid;
        take_new(w, c, g);
        working += !over;
        if (over) {
            w->pid = 0;
            if (!c->interrupted)
                explain_end(all, w, status, g);
        }
    }
    return working;
}

void rh__workers_finish(struct rh__workers *all, struct rh__concrete *c, struct rh__goals *g)
{
    bool told = false;
    while (wait_for(all, c, g)) {
        for (uint32_t k = 0; k < all->count && c->interrupted && !told; k++)
            if (all->all[k].pid)
                kill(all->all[k].pid, SIGTERM);
        told = c->interrupted;
        if (all->progress)
            all->progress(g, all->arg);
        nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
    }
    for (uint32_t k = 0; k < all->count; k++) {
        struct rh__concrete left = *c;
        snprintf(left.folder, sizeof left.folder, "%s", all->all[k].folder);
        rh__concrete_close(&left);
        free(all->all[k].has);
    }
    free(all->all);
    all->all = NULL;
}

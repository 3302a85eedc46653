/* replay: one schedule, told step by step; under gdb if asked.  The schedule brings its test, semantics and parameters
 * along; options given besides it override them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/visible.h"
#include "explore/explorers.h"
#include "findings/keep.h"
#include "findings/story.h"
#include "runner/commands.h"
#include "trace/schedule.h"

/* Where a debugger stops: before the step that --step names is taken. */
void rh_replay_here(void);
__attribute__((noinline)) void rh_replay_here(void)
{
    __asm__ volatile("");
}

struct telling {
    uint32_t stop_at; /* events */
};

static struct telling telling;
static const struct rh_explorer *inner;

/* The replaying explorer with a place to stop: it sees the same state as the real one. */
static uint32_t choose_and_stop(void *state, struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    uint32_t events = rh__depth(w);
    if (telling.stop_at && events > telling.stop_at)
        return RH_NONE;
    if (telling.stop_at && events == telling.stop_at)
        rh_replay_here();
    return inner->choose(state, w, open, count);
}

static bool test_of(const struct rh__schedule *s, const struct rh_test **test, char *text, size_t size)
{
    *test = s->test ? rh__test_named(s->test) : rh_test_first();
    if (!*test)
        snprintf(text, size, "it is for test %s, which this program does not have", s->test);
    return *test != NULL;
}

/* The sentence says which file it is about. */
static void name_file(const char *path, char *text, size_t size)
{
    char why[1024];
    if (strncmp(text, path, strlen(path)) == 0)
        return;
    snprintf(why, sizeof why, "%s", text);
    snprintf(text, size, "%s: %s", path, why);
}

/* The same kind at the same place, or at another line of its file while the schedule lasts: lines move when a program is edited. */
static bool is_recorded(const struct rh__finding *f, const char *kind, const char *place, bool went_on)
{
    char is[1024];
    struct rh__text t;
    rh__text_init(&t, is, sizeof is);
    rh__text_add_visible(&t, f->outcome.place); /* as it was written */
    size_t file = strcspn(place, ":");
    return strcmp(kind, rh_outcome_name(f->outcome.kind)) == 0 &&
           (strcmp(is, place) == 0 || (!went_on && strncmp(is, place, file) == 0 && is[file] == place[file]));
}

/* What there is to know before the finding itself. */
static void tell_recorded(const char *path, const struct rh__finding *f, bool went_on, struct rh__text *t)
{
    char kind[64], place[1024];
    bool other =
        rh__finding_recorded(path, kind, sizeof kind, place, sizeof place) && !is_recorded(f, kind, place, went_on);
    if (other)
        rh__text_add(t, "not the recorded finding (%s%s%s)", kind, *place ? " at " : "", place);
    if (went_on)
        rh__text_add(t, "%safter the schedule's end", other ? ", and " : "");
    if (other || went_on)
        rh__text_add(t, ": ");
}

/* "assertion: box#1: two first  (file.c:12)", and further lines of the program's text. */
static void tell_finding(const char *path, const struct rh__finding *f, bool went_on, char *text, size_t size)
{
    bool stuck = f->outcome.kind == RH_OUTCOME_STUCK; /* its text names actors and places itself */
    bool placed = *f->outcome.place && !stuck;
    size_t first = strcspn(f->outcome.text, "\n");
    struct rh__text t;
    rh__text_init(&t, text, size);
    tell_recorded(path, f, went_on, &t);
    rh__text_add(&t, "%s: %s%s", rh_outcome_name(f->outcome.kind), f->actor, *f->actor ? ": " : "");
    rh__text_put(&t, f->outcome.text, first);
    rh__text_add(&t, "%s%s%s%s", placed ? "  (" : "", placed ? f->outcome.place : "", placed ? ")" : "",
                 f->outcome.text + first);
}

enum rh__replayed rh__replay(const char *program, const char *path, const struct rh__options *o, bool tell, char *text,
                             size_t size)
{
    struct rh__schedule s;
    const struct rh_test *test;
    struct rh_semantics semantics;
    struct rh_param params[RH__MOST_PARAMS * 2];
    size_t param_count = o->param_count;
    enum rh__replayed came_to = RH__REPLAYED_REFUSED;
    struct rh_exploration *x = NULL;
    struct rh_world *w = NULL;
    char name[4200];
    (void)program;
    if (!rh__schedule_read(&s, path, text, size))
        return RH__REPLAYED_REFUSED;
    memcpy(params, o->params, o->param_count * sizeof *params); /* the first of a name counts */
    if (!test_of(&s, &test, text, size))
        goto release;
    semantics = test->semantics;
    if (!rh__schedule_settings(&s, &semantics, params, &param_count, RH__MOST_PARAMS * 2, text, size))
        goto release;
    for (size_t i = 0; i < o->setting_count; i++)
        if (!rh__semantics_set(&semantics, o->settings[i].name, o->settings[i].value, text, size))
            goto release;
    struct rh_world_options options = {
        .test = test, .semantics = &semantics, .params = params, .param_count = param_count, .quiet = !tell
    };
    struct rh__limits limits = { .max_runs = 1, .keep_going = true, .unchecked = o->limits.unchecked };
    w = rh_world_new(&options, text, size);
    if (!w)
        goto release;
    snprintf(name, sizeof name, "replay:%s", path);
    x = rh__exploration_new(w, name, semantics.seed, &limits, text, size);
    if (!x)
        goto release;
    struct rh_explorer stopping = *x->explorer.explorer;
    inner = x->explorer.explorer;
    stopping.choose = choose_and_stop;
    telling.stop_at = tell ? o->step : 0;
    x->known_to_differ = o->step != 0; /* somebody watches it, perhaps in gdb: once is right */
    x->explorer.explorer = &stopping;
    x->describe = rh__describe;
    if (!rh__explore(x)) {
        came_to = RH__REPLAYED_BROKEN;
        snprintf(text, size, "the tool failed");
        goto release;
    }
    const char *divergence = rh__replay_divergence(x->explorer.state);
    if (*rh_world_refused(w)) {
        snprintf(text, size, "%s", rh_world_refused(w));
        goto release;
    }
    if (*divergence) {
        came_to = RH__REPLAYED_DIVERGED;
        snprintf(text, size, "%s", divergence);
    } else if (x->finding_count) {
        came_to = RH__REPLAYED_SAME;
        tell_finding(path, &x->findings[0], rh__replay_went_on(x->explorer.state), text, size);
    } else {
        came_to = RH__REPLAYED_PASSED;
        if (telling.stop_at && x->cut)
            snprintf(text, size, "stopped after event %u", telling.stop_at);
        else
            snprintf(text, size, "nothing failed");
    }
    if (tell && x->finding_count) {
        rh__print_lines_visible(stdout, x->findings[0].story);
    } else if (tell) {
        static char story[RH__STORY_BYTES];
        struct rh__text t;
        rh__text_init(&t, story, sizeof story);
        rh__story_write(w, &t);
        rh__print_lines_visible(stdout, story);
    }
release:
    if (came_to == RH__REPLAYED_REFUSED)
        name_file(path, text, size);
    rh__exploration_free(x);
    rh_world_free(w);
    rh__schedule_release(&s);
    return came_to;
}

/* Stopped before the event that --step names, or the last one of the schedule. */
static int in_gdb(const char *program, const char *path, const struct rh__options *o)
{
    char step[32], hint[160], error[512];
    struct rh__schedule s;
    if (!rh__schedule_read(&s, path, error, sizeof error)) {
        rh__complain("%s", error);
        return RH__EXIT_USAGE;
    }
    uint32_t stop = o->step ? o->step : s.line_count ? s.line_count : 1;
    rh__schedule_release(&s);
    snprintf(step, sizeof step, "%u", stop);
    snprintf(hint, sizeof hint,
             "echo \\nrehearse: event %u comes next. Set breakpoints in your code, then `continue`.\\n", stop);
    const char *argv[] = { "gdb",    "-q",
                           "-ex",    "set breakpoint pending on",
                           "-ex",    "set follow-fork-mode child",
                           "-ex",    "handle SIGSEGV SIGVTALRM nostop noprint pass",
                           "-ex",    "break rh_replay_here",
                           "-ex",    "run",
                           "-ex",    hint,
                           "--args", program,
                           "replay", path,
                           "--step", step,
                           NULL };
    execvp("gdb", (char *const *)argv);
    rh__complain("gdb cannot be started: %s", strerror(errno));
    return RH__EXIT_USAGE;
}

/* Further lines of the program's own text are indented: they are not ours. */
static void print_sentence(const char *text)
{
    for (const char *indent = ""; *text; indent = "    ") {
        size_t n = strcspn(text, "\n");
        fputs(indent, stdout);
        rh__print_visible(stdout, text, n);
        putchar('\n');
        text += n + (text[n] == '\n');
    }
}

int rh__command_replay(const char *program, const struct rh__options *o)
{
    char text[4200];
    if (o->word_count != 1) {
        rh__complain("replay wants one schedule");
        return RH__EXIT_USAGE;
    }
    if (o->gdb)
        return in_gdb(program, o->words[0], o);
    enum rh__replayed came_to = rh__replay(program, o->words[0], o, !o->quiet, text, sizeof text);
    fflush(stdout);
    switch (came_to) {
    case RH__REPLAYED_SAME:
    case RH__REPLAYED_PASSED:
        print_sentence(text);
        return came_to == RH__REPLAYED_SAME ? RH__EXIT_FAILURE : RH__EXIT_OK;
    case RH__REPLAYED_DIVERGED:
        rh__print_visible(stdout, o->words[0], SIZE_MAX);
        printf(": ");
        rh__print_lines_visible(stdout, text);
        printf("\nnext: explore again, or delete it\n");
        return RH__EXIT_DIVERGED;
    case RH__REPLAYED_REFUSED:
        rh__complain("%s", text);
        return RH__EXIT_USAGE;
    default:
        return RH__EXIT_TOOL;
    }
}

/* replay: runs one schedule and tells what happens, event by event; in gdb if asked.
 *
 * The schedule names its test, semantics and parameters; options override them.  A whole replay is a session with the
 * explorer `replay`.  With --step a stepper walks along the same schedule and stops there (stepper.h). */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/visible.h"
#include "explore/explorers.h"
#include "findings/keep.h"
#include "findings/story.h"
#include "report/terminal.h"
#include "runner/commands.h"
#include "runner/gdb_script.h"
#include "runner/schedule_plan.h"
#include "runner/session.h"
#include "runner/stepper.h"
#include "trace/schedule.h"
#include "world/live.h"

/* ---- a walk that stops, for people and for gdb ------------------------------------------------------------------- */

/* gdb stops here, before the event that --step names.  There, gdb can call the functions below it: they move the run,
 * and `continue` walks on from wherever it is then. */
void rh_replay_here(void);
__attribute__((noinline, used)) void rh_replay_here(void)
{
    __asm__ volatile("");
}

static struct rh__stepper stepper; /* at file scope, because gdb calls functions without arguments */

static void print_look(void)
{
    static char buffer[1 << 16];
    struct rh__text t;
    rh__text_init(&t, buffer, sizeof buffer);
    rh__stepper_look(&stepper, &t);
    fputs(buffer, stdout);
    fflush(stdout);
}

void rh_step_look(void);
void rh_step_back(void);
void rh_step_forward(void);
void rh_step_choose(unsigned pick);

__attribute__((used)) void rh_step_look(void)
{
    if (stepper.world)
        print_look();
}

__attribute__((used)) void rh_step_back(void)
{
    if (stepper.world && !rh__stepper_back(&stepper))
        printf("this is the beginning of the run\n");
    rh_step_look();
}

__attribute__((used)) void rh_step_forward(void)
{
    if (stepper.world && !rh__stepper_forward(&stepper))
        printf("the run goes no further\n");
    rh_step_look();
}

__attribute__((used)) void rh_step_choose(unsigned pick)
{
    if (stepper.world && !rh__stepper_choose(&stepper, pick))
        printf("there is no open choice %u\n", pick);
    rh_step_look();
}

struct walk {
    struct rh_exploration *x; /* its explorer reads the schedule */
    uint32_t stop;            /* after this event */
    bool reached;             /* whoever debugs may end the process from there on */
    bool stopped;             /* there, and not because the run was over */
    struct rh_outcome outcome;
};

/* How a walk ended that was to stop. */
enum walked { WALKED_TO_THE_END, WALKED_TO_THE_STOP, WALKED_UNTIL_KILLED };

static uint32_t next_of_schedule(void *arg, struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    const struct walk *k = arg;
    return rh_inner_choose(&k->x->explorer, w, open, count);
}

/* In a child process.  Event `stop` is the one that makes the run `stop + 1` events long, its beginning included. */
static void walk(struct rh_world *w, void *arg)
{
    struct walk *k = arg;
    uint32_t count;
    if (!rh_inner_begin(&k->x->explorer, w))
        return;
    rh__stepper_init(&stepper, w, next_of_schedule, k);
    while (rh__stepper_event(&stepper) <= k->stop) {
        if (rh__stepper_event(&stepper) == k->stop) {
            k->reached = true;
            rh_replay_here();
        }
        if (rh__stepper_event(&stepper) <= k->stop && !rh__stepper_forward(&stepper))
            break;
    }
    rh__stepper_open(&stepper, &count);
    k->stopped = count && rh__stepper_event(&stepper) > k->stop;
    k->outcome = *rh_world_outcome(w);
    if (!count) {
        struct rh_run run = { .number = 1, .events = rh__stepper_event(&stepper), .outcome = k->outcome.kind };
        rh_inner_end(&k->x->explorer, w, &run); /* finds lines that are left over */
    }
    rh__stepper_release(&stepper);
}

/* ---- what it came to --------------------------------------------------------------------------------------------- */

/* Puts the name of the file before the sentence, unless it is there. */
static void name_file(const char *path, char *text, size_t size)
{
    char why[1024];
    if (strncmp(text, path, strlen(path)) == 0)
        return;
    snprintf(why, sizeof why, "%s", text);
    snprintf(text, size, "%s: %s", path, why);
}

/* The recorded finding has the same kind and place.  While the schedule lasts, another line of the same file will
 * do: lines move when a program is edited. */
static bool is_recorded(const struct rh__finding *f, const char *kind, const char *place, bool went_on)
{
    char is[1024];
    struct rh__text t;
    rh__text_init(&t, is, sizeof is);
    rh__text_add_visible(&t, f->outcome.place); /* as the file has it */
    size_t file = strcspn(place, ":");
    return strcmp(kind, rh_outcome_name(f->outcome.kind)) == 0 &&
           (strcmp(is, place) == 0 || (!went_on && strncmp(is, place, file) == 0 && is[file] == place[file]));
}

/* Says first if the finding is not the recorded one. */
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

void rh__finding_tell(const struct rh__finding *f, struct rh__text *t)
{
    bool stuck = f->outcome.kind == RH_OUTCOME_STUCK; /* its text names actors and places itself */
    bool placed = *f->outcome.place && !stuck;
    size_t first = strcspn(f->outcome.text, "\n");
    rh__text_add(t, "%s: %s%s", rh_outcome_name(f->outcome.kind), stuck ? "" : f->actor,
                 *f->actor && !stuck ? ": " : "");
    rh__text_put(t, f->outcome.text, first);
    rh__text_add(t, "%s%s%s%s", placed ? "  (" : "", placed ? f->outcome.place : "", placed ? ")" : "",
                 f->outcome.text + first);
    if (*f->reason)
        rh__text_add(t, "\n%s", f->reason);
    if (*f->decided)
        rh__text_add(t, "\n%s", f->decided);
}

static void tell_finding(const char *path, const struct rh__finding *f, bool went_on, char *text, size_t size)
{
    struct rh__text t;
    rh__text_init(&t, text, size);
    tell_recorded(path, f, went_on, &t);
    rh__finding_tell(f, &t);
}

/* The run did not fail, which says little if it did not come to its end. */
static void tell_passed(const struct rh__session *s, char *text, size_t size)
{
    if (s->x->end.interrupted)
        snprintf(text, size, "interrupted; nothing failed until then");
    else if (rh__replay_rested(s->x->explorer.state))
        snprintf(text, size, "nothing failed; what is left are timers, which the schedule's last line leaves out");
    else if (s->x->results->count.cut)
        snprintf(text, size, "nothing failed before event %u, where max_steps cuts the run%s",
                 s->plan.semantics.max_steps,
                 rh__replay_went_on(s->x->explorer.state) ? ", after the schedule's end" : "");
    else
        snprintf(text, size, "nothing failed");
}

/* Runs the schedule, up to event `stop` if that is not 0.  Gives an exit code, and what was found in *f.  A process
 * that is killed at the stop says nothing about the program: `quit` in gdb does that. */
static int run_schedule(struct rh__session *s, uint32_t stop, enum walked *walked, const struct rh__finding **f)
{
    static struct rh__finding found; /* outlives the call */
    *f = NULL;
    *walked = WALKED_TO_THE_END;
    if (!stop) {
        int code = rh__session_run(s);
        *f = s->x->results->finding_count ? &s->x->results->findings[0] : NULL;
        return code;
    }
    struct walk *k = rh_shared_new(sizeof *k);
    if (!k) {
        snprintf(s->error, sizeof s->error, "no memory");
        return RH__EXIT_TOOL;
    }
    *k = (struct walk){ .x = s->x, .stop = stop };
    enum rh_sandbox_end end = rh_sandbox_run(s->world, walk, k);
    found = (struct rh__finding){ .outcome = k->outcome };
    if (end == RH_SANDBOX_FINDING)
        found.outcome = *rh_world_outcome(s->world);
    if (k->reached && rh__world_child_killed(s->world))
        *walked = WALKED_UNTIL_KILLED;
    else if (k->stopped)
        *walked = WALKED_TO_THE_STOP;
    rh_shared_free(k, sizeof *k);
    if (end == RH_SANDBOX_FAILED)
        return RH__EXIT_TOOL;
    if (*rh_world_refused(s->world)) {
        snprintf(s->error, sizeof s->error, "%s", rh_world_refused(s->world));
        return RH__EXIT_USAGE;
    }
    if (*walked == WALKED_TO_THE_END && rh_outcome_failed(found.outcome.kind)) {
        if (found.outcome.actor != RH_NONE)
            rh_world_actor_name(s->world, found.outcome.actor, found.actor, sizeof found.actor);
        *f = &found;
    }
    return RH__EXIT_OK;
}

static void print_story(const struct rh__session *s, const struct rh__finding *f, void *arg)
{
    (void)arg;
    static char story[RH__STORY_BYTES];
    struct rh__text t;
    if (f && f->story) {
        rh__print_lines_visible(stdout, f->story);
        return;
    }
    rh__text_init(&t, story, sizeof story);
    rh__story_write_world(s->world, rh__plan_telling(&s->plan), &t);
    rh__print_lines_visible(stdout, story);
}

enum rh__replayed rh__replay(const char *program, const char *path, const struct rh__options *o,
                             const struct rh__replay_view *view, char *text, size_t size)
{
    struct rh__schedule schedule;
    struct rh_param params[2 * RH__MOST_PARAMS];
    enum rh__replayed came_to = RH__REPLAYED_REFUSED;
    struct rh__session s = { .printed = -1 };
    struct rh__plan plan = { .program = program,
                             .limits = { .max_runs = 1, .keep_going = true, .unchecked = o->limits.unchecked },
                             .in_words = o->in_words,
                             .whole_story = o->whole_story,
                             .quiet = !view,
                             .explain = view && view->explain,
                             .mute = view && !o->step }; /* the story has what the program prints */
    const struct rh__finding *f = NULL;
    char explorer[4200];
    enum walked walked = WALKED_TO_THE_END;
    if (!rh__schedule_read(&schedule, path, text, size))
        return RH__REPLAYED_REFUSED;
    snprintf(explorer, sizeof explorer, "replay:%s", path);
    plan.explorer = explorer;
    int code = RH__EXIT_USAGE;
    if (rh__schedule_plan(&schedule, o, &plan, params, text, size)) {
        code = rh__session_open(&s, &plan);
        if (code == RH__EXIT_OK)
            code = run_schedule(&s, view ? o->step : 0, &walked, &f);
        snprintf(text, size, "%s", *s.error || code == RH__EXIT_USAGE ? s.error : "the tool failed");
    }
    if (code == RH__EXIT_USAGE) {
        name_file(path, text, size);
    } else if (code != RH__EXIT_OK) {
        came_to = RH__REPLAYED_BROKEN;
    } else if (*rh__replay_divergence(s.x->explorer.state)) {
        came_to = RH__REPLAYED_DIVERGED;
        snprintf(text, size, "%s", rh__replay_divergence(s.x->explorer.state));
    } else if (f) {
        came_to = RH__REPLAYED_SAME;
        tell_finding(path, f, rh__replay_went_on(s.x->explorer.state), text, size);
    } else {
        came_to = RH__REPLAYED_PASSED;
        if (walked == WALKED_TO_THE_STOP)
            snprintf(text, size, "stopped after event %u", o->step);
        else if (walked == WALKED_UNTIL_KILLED)
            snprintf(text, size, "its process was killed at event %u or later: no verdict", o->step);
        else
            tell_passed(&s, text, size);
    }
    if (code == RH__EXIT_OK && view)
        view->look(&s, f, view->arg);
    rh__session_close(&s);
    rh__schedule_release(&schedule);
    return came_to;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

/* gdb follows the child in which the program runs, and may end before the parent has told the story.  All of them hold
 * the writing end of a pipe: when it is closed, all have ended. */
static int run_gdb(const char *const *argv)
{
    enum { NOT_STARTED = 127 };
    int pipes[2], status = 0;
    char unused;
    pid_t gdb = pipe(pipes) == 0 ? fork() : -1;
    if (gdb == 0) {
        close(pipes[0]);
        execvp(argv[0], (char *const *)(uintptr_t)argv);
        rh__complain("gdb cannot be started: %s", strerror(errno));
        _exit(NOT_STARTED);
    }
    if (gdb < 0) {
        rh__complain("gdb cannot be started: %s", strerror(errno));
        return RH__EXIT_USAGE;
    }
    close(pipes[1]);
    signal(SIGINT, SIG_IGN); /* it is for gdb */
    while (waitpid(gdb, &status, 0) < 0 && errno == EINTR)
        ;
    while (read(pipes[0], &unused, 1) < 0 && errno == EINTR)
        ;
    close(pipes[0]);
    bool started = WIFEXITED(status) && WEXITSTATUS(status) != NOT_STARTED;
    return !started ? RH__EXIT_USAGE : WEXITSTATUS(status);
}

/* The script with our commands, as a file that gdb inherits; -1: there is none. */
static int script_file(void)
{
    int fd = memfd_create("rehearse-gdb.py", 0);
    size_t size = strlen(rh__gdb_script), done = 0;
    while (fd >= 0 && done < size) {
        ssize_t n = write(fd, rh__gdb_script + done, size - done);
        if (n <= 0)
            return -1;
        done += (size_t)n;
    }
    return fd;
}

/* Starts gdb, which stops before the event that --step names, or before the last event of the schedule, and then at the
 * first line of what that event runs. */
static int in_gdb(const char *program, const char *path, const struct rh__options *o)
{
    char step[32], hint[640], load[96], error[512];
    struct rh__schedule s;
    if (!rh__schedule_read(&s, path, error, sizeof error)) {
        rh__complain("%s", error);
        return RH__EXIT_USAGE;
    }
    uint32_t stop = o->step, lines = 0;
    for (uint32_t i = 0; i < s.line_count; i++)
        lines += strncmp(s.lines[i].text, "...", 3) != 0;
    if (!stop)
        stop = lines ? lines : 1;
    rh__schedule_release(&s);
    snprintf(step, sizeof step, "%u", stop);
    snprintf(hint, sizeof hint,
             "echo \\nrehearse: event %u comes next. Set breakpoints in your code, then `continue`.\\n"
             "`call (void)rh_step_look()` shows actors, messages and open choices; "
             "rh_step_back(), rh_step_forward() and rh_step_choose(N) move, likewise.\\n"
             "`info rh-actors`, `rh-actor N`, `rh-back`, `rh-next-event`; `continue` stops where the run fails.\\n",
             stop);
    snprintf(load, sizeof load, "python exec(open(\"/proc/self/fd/%d\").read())", script_file());
    const char *argv[] = { "gdb",    "-q",
                           "-ex",    load,
                           "-ex",    "set breakpoint pending on",
                           "-ex",    "set follow-fork-mode child",
                           "-ex",    "handle SIGSEGV SIGVTALRM nostop noprint pass",
                           "-ex",    "break rh_replay_here",
                           "-ex",    "run",
                           "-ex",    hint,
                           "-ex",    "rh-next-event",
                           "--args", program,
                           "replay", path,
                           "--step", step,
                           NULL };
    return run_gdb(argv);
}

/* Lines after the first are the program's own text and the reason, and indented.  Drawings begin with blanks. */
static void print_sentence(FILE *to, char *text)
{
    for (const char *indent = ""; *text; indent = "    ") {
        size_t n = strcspn(text, "\n");
        char *next = text + n + (text[n] == '\n');
        text[n] = 0;
        if (to == stdout && *text != ' ') {
            rh__terminal_line(indent, text);
        } else {
            fputs(indent, to);
            rh__print_visible(to, text, n);
            fputc('\n', to);
        }
        text = next;
    }
}

int rh__replay_tell(FILE *to, const char *path, enum rh__replayed came_to, char *text)
{
    fflush(stdout);
    switch (came_to) {
    case RH__REPLAYED_SAME:
    case RH__REPLAYED_PASSED:
        print_sentence(to, text);
        return came_to == RH__REPLAYED_SAME ? RH__EXIT_FAILURE : RH__EXIT_OK;
    case RH__REPLAYED_DIVERGED:
        rh__print_visible(to, path, SIZE_MAX);
        fputs(": ", to);
        rh__print_lines_visible(to, text);
        fputs("\nnext: explore again, or delete it\n", to);
        return RH__EXIT_DIVERGED;
    case RH__REPLAYED_REFUSED:
        rh__complain("%s", text);
        return RH__EXIT_USAGE;
    default:
        return RH__EXIT_TOOL;
    }
}

int rh__command_replay(const char *program, const struct rh__options *o)
{
    char text[4200];
    const struct rh__replay_view view = { .look = print_story, .explain = !o->step };
    if (o->word_count != 1) {
        rh__complain("replay wants one schedule");
        return RH__EXIT_USAGE;
    }
    if (o->gdb)
        return in_gdb(program, o->words[0], o);
    enum rh__replayed came_to = rh__replay(program, o->words[0], o, o->quiet ? NULL : &view, text, sizeof text);
    return rh__replay_tell(stdout, o->words[0], came_to, text);
}

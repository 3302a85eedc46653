/* step: walks over the runs of a test by hand, in a terminal or over a pipe.
 *
 * Commands come from standard input, a line each; the answers go to standard output.  The program runs in a child
 * process.  What the user chose is in shared memory: if a step ends the child, it is a finding, and the next child goes
 * to where that step was about to begin. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/files.h"
#include "base/visible.h"
#include "explore/explorers.h"
#include "report/json_text.h"
#include "results/finding.h"
#include "runner/again.h"
#include "runner/commands.h"
#include "runner/schedule_plan.h"
#include "runner/step_look.h"
#include "runner/stepper.h"
#include "world/live.h"

enum { MOST_PICKS = 1 << 20, LINE = 1 << 17 };

/* Shared with the child. */
struct step {
    struct rh_exploration *x;
    bool guided; /* the explorer of x reads a schedule, and it fits so far */
    bool step_under_way;
    bool explore;         /* the child asks for it */
    bool ended;           /* the user has gone */
    bool by_path;         /* a program asks: what comes next does not depend on runs before */
    uint32_t explored_to; /* a program asks: the file descriptor for what the explorer says; RH_NONE: for people */
    char explorer[1024];
    char crash[sizeof((struct rh_outcome){ 0 }.text) +
               64]; /* how the step that `path` took last ended the program; "" if it did not */
    char said[256]; /* why `until` has not found what it looks for; "" if it has */
    uint32_t pick_count;
    uint32_t picks[MOST_PICKS];
    char schedule[RH__SCHEDULE_BYTES]; /* of the run so far, for `explore` */
};

/* In the child. */
struct walk {
    struct step *s;
    struct rh__stepper stepper;
    struct rh__step_look look;
};

/* ---- moving ------------------------------------------------------------------------------------------------------ */

static void note_pick(struct walk *k, uint32_t pick)
{
    struct step *s = k->s;
    if (s->pick_count < MOST_PICKS)
        s->picks[s->pick_count++] = pick;
}

/* Takes an open choice.  False if there is none of that number. */
static bool take(struct walk *k, uint32_t pick)
{
    uint32_t count;
    rh__stepper_open(&k->stepper, &count);
    if (pick >= count || k->s->pick_count == MOST_PICKS)
        return false;
    rh__step_look_before(&k->look, k->stepper.world, pick);
    note_pick(k, pick);
    k->s->step_under_way = true;
    bool taken = rh__stepper_choose(&k->stepper, pick);
    k->s->step_under_way = false;
    if (!taken)
        k->s->pick_count--;
    return taken;
}

/* Which choice comes next: that of the run as it was, of the schedule, or the first. */
static uint32_t next_pick(struct walk *k)
{
    uint32_t count, next = rh__stepper_next(&k->stepper);
    const struct rh_choice *open = rh__stepper_open(&k->stepper, &count);
    if (!count)
        return RH_NONE;
    if (next != RH_NONE && !k->s->by_path)
        return next;
    if (k->s->guided) {
        next = rh_inner_choose(&k->s->x->explorer, k->stepper.world, open, count);
        if (next < count)
            return next;
        k->s->guided = false;
        printf("the schedule ends here\n");
    }
    return 0;
}

static bool forward(struct walk *k)
{
    uint32_t pick = next_pick(k);
    return pick != RH_NONE && take(k, pick);
}

static bool back(struct walk *k)
{
    if (!rh__stepper_back(&k->stepper))
        return false;
    k->s->pick_count--;
    rh__step_look_forget(&k->look);
    return true;
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

static const char help[] =
    "  Enter, n       the next event: of the schedule, or the first open choice\n"
    "  NUMBER         take that choice\n"
    "  u [N]          undo one event, or N\n"
    "  go N           to event N\n"
    "  until TEXT     go on to an event whose text has TEXT; such a choice is taken where it is open\n"
    "  look [ACTOR]   all actors; or one: its state, mailbox and log\n"
    "  run            the events so far\n"
    "  save FILE      the run so far as a schedule\n"
    "  explore [E]    let explorer E (dpor) go on from here\n"
    "  help, quit\n";

static void print_here(struct walk *k)
{
    rh__step_look_here(&k->look, &k->stepper, stdout);
}

static void do_until(struct walk *k, const char *text)
{
    char what[2048];
    for (;;) {
        uint32_t count, pick = RH_NONE;
        rh__stepper_open(&k->stepper, &count);
        for (uint32_t i = 0; i < count && pick == RH_NONE; i++)
            if (strstr(rh__step_look_choice(&k->stepper, i, what, sizeof what), text))
                pick = i;
        if (pick != RH_NONE) {
            k->s->guided &= pick == next_pick(k);
            take(k, pick);
            return;
        }
        if (!forward(k)) {
            snprintf(k->s->said, sizeof k->s->said, "no event has \"%.200s\" before the run is over", text);
            printf("no event has \"");
            rh__print_visible(stdout, text, SIZE_MAX);
            printf("\" before the run is over\n");
            return;
        }
        if (strstr(rh__step_look_event(&k->stepper, what, sizeof what), text))
            return; /* an event may say what its choice did not: CRASH, "is gone", a line */
    }
}

static void do_save(struct walk *k, const char *path)
{
    char error[RH__PATH_BYTES + 256];
    rh__step_look_schedule(&k->stepper, k->s->schedule, sizeof k->s->schedule);
    if (!*path)
        printf("save wants a file\n");
    else if (!rh__file_write(path, k->s->schedule, strlen(k->s->schedule), error, sizeof error))
        printf("%s\n", error);
    else {
        printf("saved: ");
        rh__print_visible(stdout, path, SIZE_MAX);
        putchar('\n');
    }
}

/* It goes on from the middle of a run, so it is none that needs the beginning. */
static const char *default_explorer(const struct walk *k)
{
    const struct rh_semantics *s = rh_world_semantics(k->stepper.world);
    bool counts = s->quiet_after || s->temperature || s->kills == RH_KILL_ANYWHERE;
    return counts || rh__world_test(k->stepper.world)->scenario ? "dfs" : "dpor";
}

static void do_explore(struct walk *k, const char *explorer, uint32_t fd)
{
    k->s->explored_to = fd;
    rh__step_look_schedule(&k->stepper, k->s->schedule, sizeof k->s->schedule);
    snprintf(k->s->explorer, sizeof k->s->explorer, "%s", *explorer ? explorer : default_explorer(k));
    k->s->explore = true;
}

static void do_go(struct walk *k, uint32_t event)
{
    while (rh__stepper_event(&k->stepper) - 1 > event && back(k))
        ;
    while (rh__stepper_event(&k->stepper) - 1 < event && forward(k))
        ;
    if (rh__stepper_event(&k->stepper) - 1 != event)
        printf("the run has %u events\n", rh__stepper_event(&k->stepper) - 1);
}

/* A number; RH_NONE if it is none. */
static uint32_t number_of(const char *text)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    return isdigit((unsigned char)*text) && !*end && n < RH_NONE ? (uint32_t)n : RH_NONE;
}

/* For programs: takes the choices 0.2.1 from the beginning on, as far as they are open. */
static void do_path(struct walk *k, const char *path)
{
    k->s->crash[0] = k->s->said[0] = 0;
    k->s->guided = false;
    k->s->by_path = true;
    while (back(k))
        ;
    while (isdigit((unsigned char)*path)) {
        char *end;
        unsigned long pick = strtoul(path, &end, 10);
        if (pick >= RH_NONE || !take(k, (uint32_t)pick))
            return;
        path = end + (*end == '.');
    }
}

/* To the file descriptor that is named: what the program prints goes to standard output, too. */
static void do_json(struct walk *k, uint32_t fd)
{
    FILE *to = fd == RH_NONE ? stdout : fdopen(dup((int)fd), "w");
    if (!to) {
        printf("json wants an open file descriptor\n");
        return;
    }
    rh__step_look_schedule(&k->stepper, k->s->schedule, sizeof k->s->schedule);
    struct rh__step_here here = { k->s->picks, k->s->pick_count, k->s->crash, k->s->said, k->s->schedule };
    rh__step_json(&k->stepper, &here, to);
    if (to != stdout)
        fclose(to);
}

static void do_number(struct walk *k, uint32_t pick)
{
    uint32_t next = rh__stepper_next(&k->stepper);
    if (next == RH_NONE && k->s->guided)
        k->s->guided = pick == next_pick(k);
    if (!take(k, pick))
        printf("there is no open choice %u\n", pick);
    print_here(k);
}

/* False: the child has to end. */
static bool obey(struct walk *k, char *line)
{
    line[strcspn(line, "\r\n")] = 0;
    while (*line == ' ')
        line++;
    char *rest = line + strcspn(line, " ");
    size_t length = (size_t)(rest - line);
    while (*rest == ' ')
        rest++;
#define IS(word) (length == strlen(word) && strncmp(line, word, length) == 0)
    if (number_of(line) != RH_NONE) {
        do_number(k, number_of(line));
    } else if (!length || IS("n")) {
        if (!forward(k))
            printf("the run is over\n");
        print_here(k);
    } else if (IS("u")) {
        for (uint32_t n = *rest ? number_of(rest) : 1; n != RH_NONE && n-- && back(k);)
            ;
        print_here(k);
    } else if (IS("go") && number_of(rest) != RH_NONE) {
        do_go(k, number_of(rest));
        print_here(k);
    } else if (IS("until") && *rest) {
        do_until(k, rest);
        print_here(k);
    } else if (IS("look")) {
        rh__step_look_actors(&k->stepper, rest, stdout);
    } else if (IS("run")) {
        rh__step_look_run(&k->stepper, stdout);
    } else if (IS("save")) {
        do_save(k, rest);
    } else if (IS("explore")) {
        do_explore(k, rest, RH_NONE);
    } else if (IS("explored")) { /* for programs: explored FD E */
        char *name = rest + strcspn(rest, " ");
        if (*name)
            *name++ = 0;
        do_explore(k, name, number_of(rest));
    } else if (IS("path")) {
        do_path(k, rest);
    } else if (IS("json")) {
        do_json(k, number_of(rest));
    } else if (IS("help") || IS("?")) {
        fputs(help, stdout);
    } else if (IS("quit") || IS("q")) {
        k->s->ended = true;
    } else {
        printf("no such command: ");
        rh__print_visible(stdout, line, SIZE_MAX);
        printf("  (help)\n");
    }
#undef IS
    return !k->s->ended && !k->s->explore;
}

/* To where the child before was. */
static void go_there(struct walk *k)
{
    uint32_t count = k->s->pick_count;
    k->s->pick_count = 0;
    while (k->s->pick_count < count && take(k, k->s->picks[k->s->pick_count]))
        ;
}

static void walk(struct rh_world *w, void *arg)
{
    struct walk k = { .s = arg };
    static char line[LINE];
    bool interactive = isatty(STDIN_FILENO);
    if (k.s->guided && k.s->pick_count == 0 && !rh_inner_begin(&k.s->x->explorer, w))
        k.s->guided = false;
    else if (k.s->pick_count)
        k.s->guided = false; /* the schedule is at its beginning again */
    rh__stepper_init(&k.stepper, w, NULL, NULL);
    go_there(&k);
    print_here(&k);
    for (;;) {
        if (interactive)
            printf("(step) ");
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin)) {
            k.s->ended = true;
            break;
        }
        if (!obey(&k, line))
            break;
    }
    fflush(stdout);
    rh__step_look_release(&k.look);
    rh__stepper_release(&k.stepper);
}

/* ---- in this process --------------------------------------------------------------------------------------------- */

/* Runs a command, and writes what it says as a line of JSON to the file descriptor. */
static void answer_explored(const char *command, uint32_t fd)
{
    enum { MOST = 1 << 16 };
    char *text = rh__alloc(MOST);
    FILE *to = fdopen(dup((int)fd), "w"), *from = text ? popen(command, "r") : NULL;
    size_t size = from ? fread(text, 1, MOST - 1, from) : 0;
    while (from && fgetc(from) != EOF) /* what is too much is read, so that the command ends */
        ;
    int status = from ? pclose(from) : -1;
    if (text)
        text[size] = 0;
    if (to) {
        fprintf(to, "{\"code\":%d,\"text\":", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
        rh__json_text(to, text ? text : "");
        fputs("}\n", to);
        fclose(to);
    }
    rh__free(text);
}

/* Runs the command that explores the same test from the run so far. */
static void explore(const struct rh__session *s, struct step *shared)
{
    char file[] = "/tmp/rehearse-step-XXXXXX", explorer[1100], program[RH__PATH_BYTES], command[8192], error[512];
    struct rh__plan plan = s->plan;
    struct rh__text t;
    int fd = mkstemp(file);
    shared->explore = false;
    if (fd < 0 || close(fd) != 0 ||
        !rh__file_write(file, shared->schedule, strlen(shared->schedule), error, sizeof error)) {
        printf("the run so far cannot be written to a file\n");
        if (shared->explored_to != RH_NONE)
            answer_explored("echo the run so far cannot be written to a file; exit 3", shared->explored_to);
        return;
    }
    snprintf(explorer, sizeof explorer, "replay(\"%s\", %s)", file, shared->explorer);
    plan.explorer = explorer;
    snprintf(program, sizeof program, "%s%s", strchr(plan.program, '/') ? "" : "./", plan.program);
    plan.program = program;
    plan.limits = (struct rh__limits){ .max_seconds = 10 };
    rh__text_init(&t, command, sizeof command);
    rh__again_directly(&plan, &t);
    fflush(stdout);
    if (shared->explored_to != RH_NONE) {
        rh__text_add(&t, " 2>&1");
        answer_explored(t.cut ? "exit 3" : command, shared->explored_to);
    } else if (t.cut || system(command) < 0) {
        printf("the explorer cannot be started\n");
    }
    unlink(file);
}

static int run(struct rh__session *s, struct step *shared)
{
    setvbuf(stdin, NULL, _IONBF, 0); /* what one child does not take is for the next */
    while (!shared->ended) {
        enum rh_sandbox_end end = rh_sandbox_run(s->world, walk, shared);
        if (end == RH_SANDBOX_FAILED)
            return RH__EXIT_TOOL;
        if (*rh_world_refused(s->world)) {
            rh__complain("%s", rh_world_refused(s->world));
            return RH__EXIT_USAGE;
        }
        if (end == RH_SANDBOX_FINDING) {
            const struct rh_outcome *o = rh_world_outcome(s->world);
            printf("that step ends the program: %s: ", rh_outcome_name(o->kind));
            rh__print_lines_visible(stdout, o->text);
            printf("%s%s%s\n", *o->place ? "  (" : "", o->place, *o->place ? ")" : "");
            if (!shared->step_under_way)
                return RH__EXIT_FAILURE; /* before the first step */
            shared->step_under_way = false;
            snprintf(shared->crash, sizeof shared->crash, "%s: %s", rh_outcome_name(o->kind), o->text);
            shared->pick_count--;
        }
        if (shared->explore)
            explore(s, shared);
    }
    return RH__EXIT_OK;
}

static bool make_plan(const struct rh__options *o, struct rh__schedule *schedule, struct rh__plan *plan,
                      struct rh_param *params, char *error, size_t error_size)
{
    if (o->word_count < 1 || o->word_count > 2) {
        snprintf(error, error_size, "step wants a test, and perhaps a schedule");
        return false;
    }
    plan->test = rh__test_named(o->words[0]);
    if (!plan->test) {
        snprintf(error, error_size, "%s has no test \"%s\"", plan->program, o->words[0]);
        return false;
    }
    if (o->word_count == 1) {
        plan->params = o->params;
        plan->param_count = o->param_count;
        return rh__params_known(o->params, o->param_count, "-p ", error, error_size) &&
               rh__options_semantics(o, plan->test, &plan->semantics, &plan->asked, error, error_size);
    }
    const struct rh_test *named = plan->test;
    if (!rh__schedule_read(schedule, o->words[1], error, error_size) ||
        !rh__schedule_plan(schedule, o, plan, params, error, error_size))
        return false;
    if (plan->test != named)
        snprintf(error, error_size, "%s is for test %s", o->words[1], plan->test->name);
    return plan->test == named;
}

int rh__command_step(const char *program, const struct rh__options *o)
{
    struct rh__schedule schedule = { 0 };
    struct rh_param params[2 * RH__MOST_PARAMS];
    struct rh__session s = { 0 };
    struct rh__plan plan = { .program = program, .explorer = "dfs", .quiet = true };
    char explorer[4200], error[4200];
    int code = RH__EXIT_USAGE;
    struct step *shared = rh_shared_new(sizeof *shared);
    if (!shared) {
        rh__complain("no memory");
        return RH__EXIT_TOOL;
    }
    if (!make_plan(o, &schedule, &plan, params, error, sizeof error)) {
        rh__complain("%s", error);
    } else {
        if (o->word_count == 2) {
            snprintf(explorer, sizeof explorer, "replay:%s", o->words[1]);
            plan.explorer = explorer;
        }
        code = rh__session_open(&s, &plan);
        if (code == RH__EXIT_OK) {
            shared->x = s.x;
            shared->guided = o->word_count == 2;
            code = run(&s, shared);
        } else {
            rh__complain("%s", s.error);
        }
        rh__session_close(&s);
    }
    rh__schedule_release(&schedule);
    rh_shared_free(shared, sizeof *shared);
    return code;
}

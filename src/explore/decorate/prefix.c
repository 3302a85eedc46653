/* replay: follows a schedule line by line.  If the program continues after the schedule, another explorer takes over.
 *
 *     replay(FILE)             then takes the first enabled choice at each step
 *     replay(FILE, EXPLORER)   then hands over to EXPLORER, in every run
 *
 * `...` in the schedule takes first choices until the next line fits, and holds back choices that a later line needs
 * [Bita 2013, V].  A line that fits no choice is a divergence: the run ends there, and the report shows the line and
 * the enabled choices.  Where `... without timers` is the last line, the run goes on as in such a gap, and is over
 * where only timers are left: recordings of programs that never rest end so. */
#include <stdio.h>
#include <string.h>

#include "explore/decorate/reaches.h"
#include "explore/engine/engine.h"
#include "explore/explorers.h"
#include "trace/schedule.h"
#include "world/live.h"

struct replay {
    struct rh__schedule_line *lines;
    uint32_t line_count;
    struct rh_inner then; /* explorer NULL: take first choices */
    uint32_t at, runs;
    uint32_t floor;       /* number of events before its first choice: an outer replay makes some; 0: not known yet */
    uint32_t handed_over; /* number of events at the end of the schedule */
    char *text;           /* buffer for the text of one choice, as long as the longest line */
    size_t room;
    struct rh_exploration *x;
    const char *path;
    uint32_t loop;       /* the line that says that the loop begins; RH_NONE: none does */
    bool rested;         /* it ended the run, as the last line wants */
    const char *reaches; /* the place of its last line, if that is `reaches FILE:LINE` */
    bool judged;         /* whether it was reached is known */
    char divergence[4096];
};

static const struct rh_inner *replay_inner(const void *state, uint32_t *count, uint32_t *now)
{
    const struct replay *r = state;
    *count = r->then.explorer != NULL;
    *now = 0;
    return &r->then;
}

/* The values of messages from outside (`outside 1 sends deposit { .amount = 50 } to client#1`) are offered in this
 * run. */
static void give_value(struct rh_world *w, const char *line)
{
    static const char sends[] = " sends ", to[] = " to ";
    const char *from = strstr(line, sends), *end = NULL;
    char value[4096];
    if (strncmp(line, "outside ", 8) != 0 || !from)
        return;
    from += sizeof sends - 1;
    for (const char *at = strstr(from, to); at; at = strstr(at + 1, to))
        end = at;
    if (!end || (size_t)(end - from) >= sizeof value)
        return;
    memcpy(value, from, (size_t)(end - from));
    value[end - from] = 0;
    rh__world_give(w, value);
}

/* Copies the lines into memory of the exploration. */
static bool keep_lines(struct replay *r, struct rh_exploration *x, const struct rh__schedule *s)
{
    size_t bytes = 1;
    r->room = 8;
    for (uint32_t i = 0; i < s->line_count; i++) {
        size_t size = strlen(s->lines[i].text) + 1;
        bytes += size;
        r->room = size >= r->room ? size + 1 : r->room;
    }
    r->lines = rh_exploration_memory(x, (s->line_count + 1) * sizeof *r->lines);
    r->text = rh_exploration_memory(x, r->room);
    char *text = rh_exploration_memory(x, bytes);
    if (!r->lines || !r->text || !text)
        return false;
    for (uint32_t i = 0; i < s->line_count; i++) {
        size_t size = strlen(s->lines[i].text) + 1;
        give_value(x->world, s->lines[i].text);
        r->lines[i] = (struct rh__schedule_line){ memcpy(text, s->lines[i].text, size), s->lines[i].number };
        text += size;
    }
    r->line_count = s->line_count;
    return true;
}

static bool is_gap(const char *line)
{
    return strncmp(line, "...", 3) == 0;
}

/* A gap that timers do not fill. */
static bool excludes_timers(const char *line)
{
    return is_gap(line) && strstr(line, "timers");
}

static bool gaps_are_known(const struct replay *r, char *error, size_t error_size)
{
    static const char *const known[] = { "...", "... without timers", "... without faults",
                                         "... without timers and faults", "... without faults and timers" };
    for (uint32_t i = 0; i < r->line_count; i++) {
        size_t k = 0, n = sizeof known / sizeof *known;
        while (is_gap(r->lines[i].text) && k < n && strcmp(r->lines[i].text, known[k]) != 0)
            k++;
        if (k < n)
            continue;
        snprintf(error, error_size, "line %u: `%s`: a gap is `...`, `... without timers` or `... without faults`",
                 r->lines[i].number, r->lines[i].text);
        return false;
    }
    return true;
}

/* The last line may say what the schedule is for. */
static bool take_place(struct replay *r, char *error, size_t error_size)
{
    static const char word[] = "reaches ";
    const char *last = r->line_count ? r->lines[r->line_count - 1].text : "";
    if (strncmp(last, word, sizeof word - 1) != 0)
        return true;
    r->reaches = last + sizeof word - 1;
    r->line_count--;
    return rh__reaches_mark(r->reaches, error, error_size);
}

/* Behind `the loop begins` stands the loop of a lasso. */
static bool find_loop(struct replay *r, char *error, size_t error_size)
{
    r->loop = RH_NONE;
    for (uint32_t i = 0; i < r->line_count; i++) {
        if (strncmp(r->lines[i].text, RH__SCHEDULE_LOOP, sizeof RH__SCHEDULE_LOOP - 1) != 0)
            continue;
        if (r->loop != RH_NONE) {
            snprintf(error, error_size, "line %u: `" RH__SCHEDULE_LOOP "` is there for the second time",
                     r->lines[i].number);
            return false;
        }
        if (i && is_gap(r->lines[i - 1].text)) {
            snprintf(error, error_size, "line %u: `...` does not say where the loop begins", r->lines[i - 1].number);
            return false;
        }
        r->loop = i;
    }
    if (r->loop != RH_NONE && r->loop + 1 == r->line_count) {
        snprintf(error, error_size, "line %u: there is nothing behind `" RH__SCHEDULE_LOOP "`",
                 r->lines[r->loop].number);
        return false;
    }
    return true;
}

static bool replay_open(void *state, struct rh_exploration *x, const struct rh_arguments *a, char *error,
                        size_t error_size)
{
    struct replay *r = state;
    struct rh__schedule schedule;
    const char *path = r->path = rh_arguments_text(a, "file", "");
    r->x = x;
    if (!rh__schedule_read(&schedule, path, error, error_size))
        return false;
    if (schedule.test && strcmp(schedule.test, rh__world_test(x->world)->name) != 0) {
        snprintf(error, error_size, "%s is for test %s, not for %s", path, schedule.test,
                 rh__world_test(x->world)->name);
        rh__schedule_release(&schedule);
        return false;
    }
    bool kept = keep_lines(r, x, &schedule);
    rh__schedule_release(&schedule);
    if (!kept) {
        snprintf(error, error_size, "no memory for explorer replay");
        return false;
    }
    if (!gaps_are_known(r, error, error_size) || !take_place(r, error, error_size) || !find_loop(r, error, error_size))
        return false;
    if (!rh_arguments_explorers(a))
        return true;
    if (!rh_exploration_inner(x, a, 0, &r->then, error, error_size))
        return false;
    const struct rh_explorer *whole = rh__inner_needs_beginning(&r->then);
    if (whole && r->line_count) {
        snprintf(error, error_size,
                 "replay: explorer %s explores from the beginning of a test, and cannot go on from "
                 "a schedule: use dpor or dfs",
                 whole->name);
        return false;
    }
    return true;
}

static uint32_t replay_begin(void *state, const struct rh_world *w)
{
    struct replay *r = state;
    uint32_t keep = 1;
    if (r->then.explorer) {
        keep = rh_inner_begin(&r->then, w);
        if (keep >= r->handed_over && r->handed_over)
            return keep; /* the kept events include the whole schedule */
        keep = keep && !*r->divergence ? 1 : 0;
    } else if (r->runs) {
        return 0;
    }
    if (r->reaches && r->runs)
        rh__reaches_forget(); /* not before the first run: the test's body has run */
    r->runs++;
    r->at = r->handed_over = 0;
    r->judged = false;
    return keep;
}

static bool fits(const struct replay *r, const struct rh_world *w, const struct rh_choice *c, const char *line)
{
    return rh__schedule_fits(rh__world_run(w), c, line, r->text, r->room);
}

static uint32_t find(const struct replay *r, const struct rh_world *w, const struct rh_choice *open, uint32_t count,
                     const char *line)
{
    for (uint32_t i = 0; i < count; i++)
        if (fits(r, w, &open[i], line))
            return i;
    return RH_NONE;
}

/* Returns the first line from `line` on that needs the choice, or RH_NONE. */
static uint32_t held_for(const struct replay *r, const struct rh_world *w, const struct rh_choice *c, uint32_t line)
{
    struct rh__text t;
    rh__text_init(&t, r->text, r->room);
    rh__choice_line(rh__world_run(w), c, &t); /* once: it counts messages */
    for (uint32_t k = line; k < r->line_count && !t.cut; k++)
        if (strcmp(r->text, r->lines[k].text) == 0)
            return k;
    return RH_NONE;
}

/* A timer, the clock that reaches one, or the end of a wait. */
static bool is_timer(const struct rh_world *w, const struct rh_choice *c)
{
    const struct rh__run *r = rh__world_run(w);
    return c->kind == RH_CHOICE_TIMER ||
           (c->kind == RH_CHOICE_DELIVER && (rh__run_message(r, c->what)->wake || rh__run_message(r, c->what)->timer));
}

/* Fills a gap: returns the first choice that no line from `line` on needs, or RH_NONE if lines need all choices.
 * Faults happen only where a line says so, and the run does not end in a gap. */
static uint32_t fill_gap(const struct replay *r, const struct rh_world *w, const struct rh_choice *open, uint32_t count,
                         uint32_t line)
{
    bool timers = true;
    for (uint32_t i = r->at; i < line; i++)
        timers &= !excludes_timers(r->lines[i].text);
    for (uint32_t i = 0; i < count; i++)
        if (!rh__is_fault(&open[i]) && (timers || !is_timer(w, &open[i])) && open[i].kind != RH_CHOICE_END &&
            held_for(r, w, &open[i], line) == RH_NONE)
            return i;
    return RH_NONE;
}

/* The last line is a gap that timers do not fill, and nobody else goes on. */
static bool ends_without_timers(const struct replay *r)
{
    return r->line_count && !r->then.explorer && excludes_timers(r->lines[r->line_count - 1].text);
}

/* Makes the divergence visible to reports, also from inside decorators. */
static void become_stale(struct replay *r)
{
    r->x->end.stale = r->divergence;
    r->x->end.stale_file = r->path;
}

/* The schedule is over. */
static void judge(struct replay *r)
{
    if (!r->reaches || r->judged || *r->divergence)
        return;
    r->judged = true;
    if (rh__reaches_ran())
        return;
    snprintf(r->divergence, sizeof r->divergence, "line %u: the schedule does not reach %s",
             r->lines[r->line_count].number, r->reaches);
    become_stale(r);
}

static uint32_t diverge(struct replay *r, const struct rh_world *w, const struct rh_choice *open, uint32_t count,
                        uint32_t at)
{
    const struct rh__schedule_line *line = &r->lines[at];
    struct rh__text t;
    rh__text_init(&t, r->divergence, sizeof r->divergence);
    rh__text_add(&t, "line %u: `%s` is not possible here; possible is:", line->number, line->text);
    for (uint32_t i = 0; i < count && i < 20; i++) {
        rh__text_add(&t, "\n    ");
        rh__choice_line(rh__world_run(w), &open[i], &t);
        uint32_t held = at > r->at ? held_for(r, w, &open[i], at) : RH_NONE;
        if (held != RH_NONE)
            rh__text_add(&t, "  (held back for line %u)", r->lines[held].number);
    }
    if (count > 20)
        rh__text_add(&t, "\n    and %u more", count - 20);
    become_stale(r);
    return RH_NONE;
}

/* The monitor that the line names; RH_NONE: any; RH__NO_MONITOR: messages go in a circle. */
static uint32_t monitor_of_loop(const struct replay *r, const struct rh_world *w)
{
    const uint32_t *monitors;
    uint32_t count = rh__world_monitors(w, &monitors);
    char name[256], line[sizeof name + 64];
    if (strcmp(r->lines[r->loop].text, RH__SCHEDULE_CIRCLE) == 0)
        return RH__NO_MONITOR;
    for (uint32_t i = 0; i < count; i++) {
        rh_world_actor_name(w, monitors[i], name, sizeof name);
        snprintf(line, sizeof line, RH__SCHEDULE_LOOP ": %s stays hot", name);
        if (strcmp(line, r->lines[r->loop].text) == 0)
            return monitors[i];
    }
    return RH_NONE;
}

/* The schedule is over, and is one of a lasso. */
static uint32_t close_loop(struct replay *r, const struct rh_world *w)
{
    const char *wrong = rh__exploration_loop_ends(r->x, w, monitor_of_loop(r, w));
    judge(r);
    if (!wrong && !*r->divergence)
        return RH_LASSO;
    if (!*r->divergence)
        snprintf(r->divergence, sizeof r->divergence, "line %u: %s", r->lines[r->loop].number, wrong);
    become_stale(r);
    return RH_NONE;
}

static uint32_t replay_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    struct replay *r = state;
    if (!r->floor)
        r->floor = rh__depth(w);
    if (rh__depth(w) == r->floor) /* from its first line on, also if `begin` kept more events (rehearse/explorer.h) */
        r->at = 0;
    if (r->at == r->loop) {
        rh__exploration_loop_begins(r->x, w);
        r->at++;
    }
    if (r->at == r->line_count && r->loop != RH_NONE)
        return close_loop(r, w);
    uint32_t line = r->at;
    while (line < r->line_count && is_gap(r->lines[line].text))
        line++;
    bool gap = line > r->at;
    if (line < r->line_count) {
        uint32_t pick = find(r, w, open, count, r->lines[line].text);
        if (pick != RH_NONE) {
            r->at = line + 1;
            return pick;
        }
        pick = gap ? fill_gap(r, w, open, count, line) : RH_NONE;
        return pick != RH_NONE ? pick : diverge(r, w, open, count, line);
    }
    if (!r->handed_over)
        r->handed_over = rh__depth(w);
    judge(r);
    if (ends_without_timers(r)) {
        uint32_t pick = fill_gap(r, w, open, count, line);
        r->rested = pick == RH_NONE;
        return pick;
    }
    return r->then.explorer ? rh_inner_choose(&r->then, w, open, count) : 0;
}

static void replay_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct replay *r = state;
    if (r->then.explorer)
        rh_inner_end(&r->then, w, run);
    uint32_t left = r->at;
    while (left < r->line_count && is_gap(r->lines[left].text))
        left++; /* `...` may stand for no step at all */
    if (left < r->line_count && !*r->divergence && run->outcome == RH_OUTCOME_FINISHED) {
        snprintf(r->divergence, sizeof r->divergence, "line %u: `%s` is not possible: the run is over",
                 r->lines[left].number, r->lines[left].text);
        become_stale(r);
    }
    judge(r);
}

bool rh__replay_rested(const void *state)
{
    return ((const struct replay *)state)->rested;
}

/* Exploring all continuations of the schedule is a bounded exploration. */
static enum rh_verdict replay_verdict(const void *state)
{
    const struct replay *r = state;
    if (!r->then.explorer || *r->divergence)
        return RH_VERDICT_SAMPLED;
    enum rh_verdict v = rh_inner_verdict(&r->then);
    return v == RH_VERDICT_EXHAUSTIVE ? RH_VERDICT_BOUNDED : v;
}

/* Cannot share work: only this process knows where the schedule ends. */
static bool replay_can_share(const void *state)
{
    (void)state;
    return false;
}

const char *rh__replay_divergence(const void *state)
{
    return ((const struct replay *)state)->divergence;
}

bool rh__replay_went_on(const void *state)
{
    return ((const struct replay *)state)->handed_over != 0;
}

static const struct rh_explorer_report replay_report = { .verdict = replay_verdict };
static const struct rh_explorer_share replay_share = { .can = replay_can_share };
static const struct rh_explorer_decorator replay_decorator = { .inner = replay_inner };
static const struct rh_argument replay_arguments[] = {
    { .name = "file", .kind = RH_ARGUMENT_FILE, .required = true, .help = "the schedule" },
    { .name = "explorer", .kind = RH_ARGUMENT_EXPLORER, .help = "continues after it; default: the first open choice" },
    { .name = NULL },
};

const struct rh_explorer rh__explorer_replay = {
    .name = "replay",
    .summary = "the schedule in FILE, and then as EXPLORER wants",
    .state_size = sizeof(struct replay),
    .arguments = replay_arguments,
    .open = replay_open,
    .begin = replay_begin,
    .choose = replay_choose,
    .end = replay_end,
    .report = &replay_report,
    .share = &replay_share,
    .decorator = &replay_decorator,
};

/* Notes of the runs that an explorer makes of a program of oracle_program.h. */
#include "explore/explorers.h"
#include "explore/support/oracle.h"

struct shown show;

static struct notes *notes; /* of the exploration under way */

static uint64_t hash_of_text(const char *text, uint64_t start)
{
    return fnv(start, text, strlen(text));
}

/* Lines in any order: actors are numbered in the order of their birth. */
static uint64_t hash_of_lines(const char *text)
{
    uint64_t sum = 0;
    while (*text) {
        size_t n = strcspn(text, "\n");
        sum += scrambled(fnv(FNV_START, text, n), 3);
        text += n + (text[n] == '\n');
    }
    return sum;
}

static uint64_t hash_of_actor(const struct rh_world *w, uint32_t actor, bool of_ended)
{
    const struct rh_actor_type *type = rh_world_actor_type(w, actor);
    uint64_t hash = w->actors[actor].identity;
    if (!of_ended && rh_world_actor_ended(w, actor))
        return scrambled(hash, 1);
    if (type == &rh_actor_player || type == &rh_actor_starter || type == &rh_actor_gatherer ||
        type == &rh_actor_walker || type == &rh_actor_watcher)
        hash = scrambled(hash, ((const struct mind *)rh_world_actor_state(w, actor))->history);
    return scrambled(hash, rh_world_actor_ended(w, actor));
}

static bool came_to_its_end(enum rh_outcome_kind kind)
{
    bool by_object = !program.grain || program.grain == RH_GRAIN_OBJECT;
    return kind == RH_OUTCOME_FINISHED || kind == RH_OUTCOME_STUCK || kind == RH_OUTCOME_PROPERTY ||
           kind == RH_OUTCOME_MONITOR || kind == RH_OUTCOME_HISTORY || (kind == RH_OUTCOME_DEAD_LETTER && by_object);
}

uint64_t outcome_of(const struct rh_world *w, enum rh_outcome_kind kind, bool of_ended)
{
    const struct rh_outcome *o = rh_world_outcome(w);
    uint64_t hash = scrambled(kind, 5) + hash_of_text(o->place, FNV_START);
    /* A stuck run says of whom one waits whether it has ended, and a history is drawn in the order of its calls:
     * neither is a part of a behaviour. */
    if (kind != RH_OUTCOME_STUCK && kind != RH_OUTCOME_HISTORY)
        hash += hash_of_lines(o->text);
    if (o->actor != RH_NONE)
        hash += w->actors[o->actor].identity;
    for (uint32_t i = 0; came_to_its_end(kind) && i < rh_world_actor_count(w); i++)
        if (i != w->clock) /* with ordered time an actor of granularity object only */
            hash += hash_of_actor(w, i, of_ended);
    return hash;
}

static void print_run(const struct rh_world *w, const char *title)
{
    uint32_t n;
    const struct rh_event *events = rh_world_events(w, &n);
    char text[1200];
    fprintf(stderr, "  %s\n", title);
    for (uint32_t i = 0; i < n; i++) {
        rh_world_choice_text(w, &events[i].choice, text, sizeof text);
        if (events[i].choice.kind == RH_CHOICE_DELIVER && rh_world_message(w, events[i].choice.what).type &&
            has_content(rh_world_message(w, events[i].choice.what).type)) {
            const struct work *c = rh_world_message(w, events[i].choice.what).value;
            size_t at = strlen(text);
            snprintf(text + at, sizeof text - at, " (%u of %u, ttl %d)", c->value, c->from, c->ttl);
        }
        fprintf(stderr, "    %2u  %s\n", i, text);
        for (uint32_t k = 0; k < w->access_count; k++)
            if (w->accesses[k].event == i)
                fprintf(stderr, "          %s object %04x, found change %u\n",
                        w->accesses[k].wrote ? "changes" : "looks at", (unsigned)(w->accesses[k].object >> 48),
                        w->accesses[k].ordinal);
        for (uint32_t k = 0; k < rh_world_log_count(w); k++)
            if (rh_world_log_line(w, k).event == i)
                fprintf(stderr, "          %s\n", rh_world_log_line(w, k).text);
    }
    fprintf(stderr, "        %s: %s\n", rh_outcome_name(rh_world_outcome(w)->kind), rh_world_outcome(w)->text);
}

/* ---- an explorer around another one that takes notes ------------------------------------------------------------- */

static uint32_t noting_choose(void *state, const struct rh_world *w, const struct rh_choice *open, uint32_t count)
{
    uint32_t pick = rh_inner_choose(&((struct spy *)state)->inner, w, open, count);
    if ((pick == RH_ABANDON || pick == RH_ASIDE) && show.given_up && show.most) {
        show.most--;
        print_run(w, "a run that was given up:");
    }
    return pick;
}

static void noting_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct spy *s = state;
    struct noted n = { run->distinct, outcome_of(w, run->outcome, true) };
    notes->unexplained += run->outcome == RH_OUTCOME_HISTORY;
    if (came_to_its_end(run->outcome)) {
        if (notes->ended < MOST_NOTED)
            notes->end[notes->ended++] = n;
    } else if (run->outcome != RH_OUTCOME_CUT && run->outcome != RH_OUTCOME_RUNNING && notes->broken < MOST_NOTED) {
        n.outcome = run->outcome == RH_OUTCOME_ASSUMED ? n.outcome | ASSUMED_AWAY : n.outcome & ~ASSUMED_AWAY;
        notes->finding[notes->broken++] = n.outcome;
        n.behaviour = 0;
    }
    bool fits = n.behaviour == show.behaviour && (!show.outcome || (n.outcome == show.outcome) != show.not_this);
    if (show.on && show.most && (show.all || (show.cut ? run->outcome == RH_OUTCOME_RUNNING : fits))) {
        show.most--;
        print_run(w, run->outcome == RH_OUTCOME_RUNNING ? "a run that was broken off:" : "a run:");
    }
    rh_inner_end(&s->inner, w, run);
}

static const struct rh_explorer noting = {
    .name = "noting",
    .summary = "takes notes of the runs that another explorer makes",
    .state_size = sizeof(struct spy),
    .arguments = rh_only_arguments,
    .report = &rh_only_report,
    .decorator = &rh_only_decorator,
    .open = rh_only_open,
    .choose = noting_choose,
    .end = noting_end,
};
RH_EXPLORER(noting)

struct notes *notes_new(void)
{
    struct notes *n = rh_shared_new(sizeof *n);
    assert_non_null(n);
    return n;
}

void notes_free(struct notes *n)
{
    rh_shared_free(n, sizeof *n);
}

void take_notes(struct notes *to, const char *explorer, uint64_t max_runs)
{
    char error[512];
    struct rh_semantics s = features_semantics(&program);
    struct rh__limits limits = { .max_runs = max_runs, .max_seconds = 60, .keep_going = true };
    limits.unchecked = program.has >> F_GATHER & 1; /* what actors do depends on the order of their sets */
    struct rh_world *w = world_of("features", &s, NULL, 0);
    notes = to;
    to->ended = to->broken = to->unexplained = 0;
    struct rh_exploration *x = rh__exploration_new(w, explorer, 1, &limits, error, sizeof error);
    if (!x)
        fail_msg("%s", error);
    to->tool_failed = !rh__explore(x);
    to->runs = x->results->count.runs;
    to->steps = x->results->count.steps;
    to->cut = x->results->count.cut;
    to->given_up = x->end.abandoned;
    to->complete = x->end.exhausted && (to->cut || rh__exploration_verdict(x) == RH_VERDICT_EXHAUSTIVE);
    rh__exploration_free(x);
    rh_world_free(w);
}

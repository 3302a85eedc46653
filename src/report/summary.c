/* A result in a few sentences, the same for the terminal, for TAP and for programs that embed the tool (result.h).
 *
 * Only an exhaustive or bounded result is called *passed*.  All other results say what was done, and what to do
 * next. */
#include <stdio.h>
#include <string.h>

#include "actor/monitors.h"
#include "base/guess.h"
#include "base/visible.h"
#include "explore/decorate/novelty.h"
#include "report/result.h"
#include "report/sites.h"
#include "trace/schedule.h"
#include "world/live.h"
#include "world/run_record.h"
#include "world/timer_budgets.h"

const char *rh__grouped(uint64_t n)
{
    static char buffers[8][32];
    static unsigned turn;
    char plain[24], *to = buffers[turn++ % 8];
    int length = snprintf(plain, sizeof plain, "%llu", (unsigned long long)n), at = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            to[at++] = ',';
        to[at++] = plain[i];
    }
    to[at] = 0;
    return to;
}

/* ---- what it came to --------------------------------------------------------------------------------------------- */

/* In none of the runs all assumptions hold. */
static bool all_assumed(const struct rh_exploration *x)
{
    return x->results->count.assumed && !rh__exploration_counted(x);
}

static bool is_empty(const struct rh_exploration *x)
{
    return all_assumed(x) || (x->results->count.runs && !x->results->count.steps && !x->end.unfinished);
}

static bool all_cut(const struct rh_exploration *x)
{
    const struct rh__counts *c = &x->results->count;
    return c->cut && c->cut + c->pruned == rh__exploration_counted(x);
}

/* No run that counts came to its end.  Where a search of states ends a run because the state is known, all that follows
 * may have been assumed away. */
static bool none_ended(const struct rh_exploration *x)
{
    const struct rh__counts *c = &x->results->count;
    return all_cut(x) || (c->assumed && c->pruned && c->cut + c->pruned == rh__exploration_counted(x));
}

/* An rh_sometimes is known to hold in some run, but perhaps in no run that fulfils the assumptions to its end. */
static bool sometimes_is_open(const struct rh_exploration *x)
{
    const struct rh__results *s = x->results;
    for (uint32_t i = 0; s->count.assumed && s->count.pruned && i < s->property_count; i++)
        if (s->properties[i].kind == RH_SOMETIMES && s->properties[i].held && s->properties[i].failed)
            return true;
    return false;
}

/* Every run was made, but what they say is no pass. */
static bool is_undecided(const struct rh_exploration *x)
{
    return none_ended(x) || sometimes_is_open(x);
}

enum rh__came_to rh__result_came_to(const struct rh__result *r)
{
    const struct rh_exploration *x = r->x;
    if (r->failed)
        return RH__FAILED;
    if (x->end.stale)
        return RH__STALE;
    if (x->end.interrupted)
        return RH__INTERRUPTED;
    if (is_empty(x))
        return RH__EMPTY;
    return rh__exploration_verdict(x) == RH_VERDICT_SAMPLED || is_undecided(x) ? RH__NOTHING_FOUND : RH__PASSED;
}

const char *rh__came_to_name(enum rh__came_to came_to)
{
    static const char *const names[] = { "failed", "stale", "interrupted", "empty", "nothing found", "passed" };
    return names[came_to];
}

const char *rh__result_verdict(const struct rh__result *r)
{
    return r->failed ? "failed" : is_empty(r->x) ? "empty" : rh_verdict_name(rh__exploration_verdict(r->x));
}

bool rh__result_never_held(const struct rh__result *r, const struct rh__property_result *p)
{
    return p->kind == RH_SOMETIMES &&
           !(r->x->results->count.assumed ? p->held : p->ever_held); /* what was assumed away does not count */
}

/* Something that should happen sometimes never did, in any of all the runs there are.  Under symmetry it may happen in
 * a run that was left out: a condition may name one of the actors that change places. */
bool rh__result_never(const struct rh__result *r)
{
    if (rh__exploration_verdict(r->x) != RH_VERDICT_EXHAUSTIVE || rh__tree_uses_symmetry(&r->x->tree))
        return false;
    for (uint32_t i = 0; i < r->x->results->property_count; i++)
        if (rh__result_never_held(r, &r->x->results->properties[i]))
            return true;
    return false;
}

const char *rh__result_unmet(const struct rh__result *r, char *buffer, size_t size)
{
    const char *wanted = rh_verdict_name(r->require), *is = rh__result_verdict(r);
    if (!r->required || r->failed || r->x->end.stale)
        return NULL;
    if (r->x->end.interrupted)
        snprintf(buffer, size, "it was interrupted, and %s is required", wanted);
    else if (is_empty(r->x) || rh__exploration_verdict(r->x) < r->require)
        snprintf(buffer, size, "the result is %s, and %s is required", is, wanted);
    else if (r->require != RH_VERDICT_SAMPLED && none_ended(r->x))
        snprintf(buffer, size, "no run came to its end, and %s is required", wanted);
    else if (r->require != RH_VERDICT_SAMPLED && sometimes_is_open(r->x))
        snprintf(buffer, size, "rh_sometimes is open, since runs are assumed away, and %s is required", wanted);
    else if (r->require == RH_VERDICT_EXHAUSTIVE && r->x->results->escape_count)
        snprintf(buffer, size, "calls that are not controlled are not explored, and exhaustive is required");
    else
        return NULL;
    return buffer;
}

bool rh__result_param(const struct rh__result *r, size_t i, const char **name, const char **value)
{
    if (i >= r->param_count)
        return false;
    *name = r->params[i].name;
    *value = r->params[i].value;
    return true;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

void rh__result_headline(const struct rh__result *r, struct rh__text *t)
{
    uint64_t runs = rh__exploration_counted(r->x);
    switch (rh__result_came_to(r)) {
    case RH__FAILED:
        rh__text_add(t, "FAILED %s", r->test);
        break;
    case RH__STALE:
        rh__text_add(t, "stale schedule for %s", r->test);
        break;
    case RH__INTERRUPTED:
        rh__text_add(t, "interrupted, nothing found in %s run%s of %s", rh__grouped(runs), plural(runs), r->test);
        break;
    case RH__EMPTY:
        rh__text_add(t, all_assumed(r->x) ? "no run left of %s" : "no step made in %s", r->test);
        break;
    case RH__NOTHING_FOUND:
        rh__text_add(t, "nothing found in %s run%s of %s", rh__grouped(runs), plural(runs), r->test);
        break;
    case RH__PASSED:
        rh__text_add(t, "passed %s", r->test);
        break;
    }
    rh__text_add(t, "  (%s, %s)", r->model, r->explorer);
}

void rh__result_counts(const struct rh__result *r, struct rh__text *t)
{
    const struct rh_exploration *x = r->x;
    uint64_t runs = rh__exploration_counted(x);
    bool keeps = x->explorer.explorer->matches_states && x->results->count.pruned;
    rh__text_add(t, "%s run%s, %s step%s%s, %s%s distinct run%s, %.2f s", rh__grouped(runs), plural(runs),
                 rh__grouped(x->results->count.steps), plural(x->results->count.steps),
                 keeps ? " (with those kept from the run before)" : "",
                 x->results->distinct.at_least ? "at least " : "", rh__grouped(x->results->distinct.count),
                 plural(x->results->distinct.count), x->clock.seconds);
    if (x->results->count.cut)
        rh__text_add(t, ", %s cut", rh__grouped(x->results->count.cut));
    if (x->results->count.pruned)
        rh__text_add(t, ", %s pruned", rh__grouped(x->results->count.pruned));
    if (x->results->count.failed)
        rh__text_add(t, ", %s failed", rh__grouped(x->results->count.failed));
    if (x->results->count.assumed)
        rh__text_add(t, ", %s more assumed away", rh__grouped(x->results->count.assumed));
    if (x->workers > 1)
        rh__text_add(t, ", %u workers", x->workers);
}

struct semantics_line {
    const struct rh__result *r;
    struct rh__text *t;
    bool in_faults; /* the last setting was a budget of faults */
    bool faults;    /* some budget is not 0 */
};

/* With the other granularities an actor crashes wherever it can stop. */
static const char *where_crashes_strike(const struct rh_semantics *s)
{
    if (rh__has_crash_points(s))
        return " (also inside handlers)";
    return s->granularity == RH_GRAIN_HANDLER || s->granularity == RH_GRAIN_OBJECT ? " (between handlers only)" : "";
}

/* Model, granularity, time and seed always have a place in the line; budgets of faults if there are any; other
 * settings if they are unusual; the longest run also if runs were cut. */
static void add_setting(void *arg, const struct rh__setting *s)
{
    struct semantics_line *l = arg;
    bool granularity = strcmp(s->name, "granularity") == 0;
    bool always = s->always || strcmp(s->name, "seed") == 0;
    if (strcmp(s->name, "model") == 0) {
        rh__text_add(l->t, "%s", s->value);
        return;
    }
    l->faults |= s->fault && !s->usual;
    if (l->in_faults && !s->fault && !l->faults) /* all budgets were 0 */
        rh__text_add(l->t, ", no faults");
    l->in_faults = s->fault;
    if (s->usual && !always && !(strcmp(s->name, "max_steps") == 0 && l->r->x->results->count.cut))
        return;
    rh__text_add(l->t, ", %s %s", s->name, s->value);
    if (strcmp(s->name, "crashes") == 0)
        rh__text_add(l->t, "%s", where_crashes_strike(rh_world_semantics(l->r->world)));
    enum rh_granularity asked = l->r->asked.granularity, used = rh_world_semantics(l->r->world)->granularity;
    bool chosen = used != RH_GRAIN_HANDLER || rh__tree_prefers_object(&l->r->x->tree);
    bool kills = rh_world_semantics(l->r->world)->kills == RH_KILL_ANYWHERE;
    if (strcmp(s->name, "kills") == 0 && kills && used != RH_GRAIN_OBJECT)
        rh__text_add(l->t, " (but with granularity %s only at waits)", rh__granularity_name(used));
    if (granularity && asked == RH_GRAIN_DEFAULT && kills && used == RH_GRAIN_OBJECT)
        rh__text_add(l->t, " (for kills anywhere)");
    else if (granularity && asked == RH_GRAIN_DEFAULT && chosen)
        rh__text_add(l->t, " (the explorer's choice)");
    else if (granularity && asked != RH_GRAIN_DEFAULT && asked != used)
        rh__text_add(l->t, " (the explorer changed it from %s)", rh__granularity_name(asked));
}

void rh__result_semantics(const struct rh__result *r, struct rh__text *t)
{
    struct semantics_line l = { .r = r, .t = t };
    const char *name, *value;
    rh__semantics_each(rh_world_semantics(r->world), add_setting, &l);
    if (r->asked.delays != rh_world_semantics(r->world)->delays) /* a delay only hides choices for a while */
        rh__text_add(t, ", delays not used (they add no distinct run, and this explorer leaves them out)");
    for (size_t i = 0; rh__result_param(r, i, &name, &value); i++) {
        rh__text_add(t, ", -p ");
        rh__text_add_visible(t, name);
        rh__text_add(t, "=");
        rh__text_add_visible(t, value);
    }
    if (r->x->limits.unchecked)
        rh__text_add(t, ", determinism not checked");
}

/* Why it went no further. */
static void add_limit(const struct rh_exploration *x, struct rh__text *t)
{
    const struct rh__limits *l = &x->limits;
    if (x->end.interrupted)
        rh__text_add(t, "; interrupted");
    else if (!x->end.stopped)
        return;
    else if (l->max_runs && x->results->count.runs >= l->max_runs)
        rh__text_add(t, "; stopped by --max-runs");
    else if (l->max_all_steps && x->results->count.steps >= l->max_all_steps)
        rh__text_add(t, "; stopped after %s steps (--max-all-steps)", rh__grouped(l->max_all_steps));
    else if (l->max_seconds > 0)
        rh__text_add(t, "; stopped by --max-seconds: %g s of processor time%s", l->max_seconds,
                     x->workers > 1 ? " each" : "");
}

/* ---- the verdict ------------------------------------------------------------------------------------------------- */

/* "losses" and 1 as "1 loss". */
static void add_budget(void *arg, const struct rh__setting *s)
{
    struct rh__text *t = arg;
    if (strcmp(s->name, "model") == 0)
        rh__text_add(t, "%s", s->value);
    if (strcmp(s->name, "time") == 0 && strcmp(s->value, "free") != 0)
        rh__text_add(t, ", %s time", s->value);
    if (!s->fault || strcmp(s->value, "0") == 0)
        return;
    char name[64];
    snprintf(name, sizeof name, "%s", strcmp(s->name, "outside") == 0 ? "messages_from_outside" : s->name);
    size_t length = strlen(name);
    bool one = strcmp(s->value, "1") == 0,
         es = length > 4 && (strcmp(name + length - 4, "sses") == 0 || strcmp(name + length - 4, "shes") == 0);
    if (one && name[length - 1] == 's')
        name[length - (es ? 2 : 1)] = 0;
    if (one && strcmp(s->name, "outside") == 0)
        snprintf(name, sizeof name, "message_from_outside");
    for (char *c = name; *c; c++)
        if (*c == '_')
            *c = ' ';
    rh__text_add(t, ", %s %s", s->value, name);
}

/* "(fifo, 1 crash, 1 restart)": what the verdict holds for, in short. */
static void add_under(const struct rh__result *r, struct rh__text *t)
{
    rh__text_add(t, " (");
    rh__semantics_each(rh_world_semantics(r->world), add_budget, t);
    rh__text_add(t, ")");
}

/* "every one of 496 distinct runs".  How many states there are is for the explorer to say. */
static void add_every(const struct rh__result *r, struct rh__text *t)
{
    const struct rh_exploration *x = r->x;
    const char *but = rh__tree_uses_symmetry(&x->tree) ? " up to exchange of alike actors" : "";
    const char *at_least = x->results->distinct.at_least ? "at least " : "";
    uint64_t n = x->results->distinct.count;
    if (rh__tree_matches_states(&x->tree))
        rh__text_add(t, "every state%s", but);
    else if (!x->is_reduction)
        rh__text_add(t, "every sequence of choices%s, %s%s distinct run%s", but, at_least, rh__grouped(n), plural(n));
    else if (n == 1 && !*at_least)
        rh__text_add(t, "the only distinct run%s", but);
    else
        rh__text_add(t, "every one of %s%s distinct runs%s", at_least, rh__grouped(n), but);
}

/* How many distinct runs there are is known from samples of the tree of optimal, if at all. */
static void add_distinct_share(const struct rh_exploration *x, double estimate, struct rh__text *t)
{
    double distinct = (double)x->results->distinct.count;
    rh__text_add(t, ", %s%s distinct", x->results->distinct.at_least ? "at least " : "",
                 rh__grouped(x->results->distinct.count));
    if (!(x->sampled.runs > 0))
        rh__text_add(t, " of an unknown number");
    else if (estimate >= 1e15)
        rh__text_add(t, " of very many");
    else if (estimate > distinct)
        rh__text_add(t, ", %.2g %% of about %s", 100 * distinct / estimate, rh__grouped((uint64_t)estimate));
}

/* What runs have shown, and since when nothing new. */
static void add_orders(const struct rh_exploration *x, struct rh__text *t)
{
    const struct rh__novelty *n = rh__auto_novelty(x);
    if (!n)
        return;
    if (n->pairs)
        rh__text_add(t, "; %s of %s pair%s of message types at an actor came in both orders", rh__grouped(n->both),
                     rh__grouped(n->pairs), plural(n->pairs));
    if (n->runs > n->last_new)
        rh__text_add(t, "; no new order in the last %s run%s", rh__grouped(n->runs - n->last_new),
                     plural(n->runs - n->last_new));
}

static void add_sampled(const struct rh_exploration *x, struct rh__text *t)
{
    double estimate = rh__exploration_estimate(x);
    uint64_t runs = rh__exploration_counted(x);
    rh__text_add(t, "sampled: %s run%s", rh__grouped(runs), plural(runs));
    if (x->explorer.explorer == &rh__explorer_auto) /* several of its runs may be one distinct run */
        add_distinct_share(x, estimate, t);
    else if (estimate >= 1e15)
        rh__text_add(t, " of very many");
    else if (estimate > (double)x->results->count.runs)
        rh__text_add(t, " of about %s", rh__grouped((uint64_t)estimate));
    else
        rh__text_add(t, " of an unknown number");
    if (x->explorer.explorer != &rh__explorer_auto && runs > 1)
        rh__text_add(t, ", %s%s distinct", x->results->distinct.at_least ? "at least " : "",
                     rh__grouped(x->results->distinct.count));
    if (all_cut(x))
        rh__text_add(t, "; none came to its end");
    add_orders(x, t);
    add_limit(x, t);
    if (x->end.unfinished && !x->results->count.runs)
        rh__text_add(t, "; the run under way had %s event%s", rh__grouped(x->end.unfinished),
                     plural(x->end.unfinished));
}

/* Its body is the only bound. */
static bool is_scenario(const struct rh__result *r)
{
    return rh__world_test(r->world)->scenario && !r->x->results->count.cut && !r->x->results->bounded;
}

/* It went on behind the first finding: whether it came to an end says whether there may be others. */
static bool keeps_going(const struct rh_exploration *x)
{
    return x->limits.keep_going && x->results->finding_count && !x->end.dies_in_body && !x->repeats.every_run;
}

void rh__result_sentence(const struct rh__result *r, struct rh__text *t)
{
    const struct rh_exploration *x = r->x;
    uint32_t escapes = r->x->results->escape_count;
    if (r->failed && !keeps_going(x))
        return;
    if (r->failed)
        rh__text_add(t, "kept going: ");
    if (x->end.stale) {
        rh__text_add(t, "stale: %s: %s", x->end.stale_file, x->end.stale);
        return;
    }
    if (all_assumed(x)) {
        rh__text_add(t, "empty: the assumptions (rh_assume) hold in none of %s run%s",
                     rh__grouped(x->results->count.assumed), plural(x->results->count.assumed));
        return;
    }
    if (is_empty(x)) {
        rh__text_add(t, "empty: no actor took a message, no timer fired");
        return;
    }
    switch (rh__exploration_verdict(x)) {
    case RH_VERDICT_EXHAUSTIVE:
        rh__text_add(t, escapes ? "exhaustive as far as calls are controlled: " : "exhaustive: ");
        add_every(r, t);
        if (x->results->count.assumed)
            rh__text_add(t, " in which the assumptions hold");
        add_under(r, t);
        if (none_ended(x))
            rh__text_add(t, ", but no run came to its end: all of them may be assumed away");
        else if (sometimes_is_open(x))
            rh__text_add(t, ", but rh_sometimes may hold only where the assumptions fail later");
        else if (x->results->count.pruned)
            rh__text_add(t, "; %s run%s ended early, where the explorer knows that other runs go on",
                         rh__grouped(x->results->count.pruned), plural(x->results->count.pruned));
        break;
    case RH_VERDICT_BOUNDED:
        rh__text_add(t, "bounded: ");
        add_every(r, t);
        rh__text_add(t, is_scenario(r) ? " within the scenario" : " within the bound");
        add_under(r, t);
        if (all_cut(x))
            rh__text_add(t, ", but no run came to its end");
        else if (x->results->count.cut)
            rh__text_add(t, "; %s of %s runs were cut there", rh__grouped(x->results->count.cut),
                         rh__grouped(rh__exploration_counted(x)));
        else if (rh_world_semantics(r->world)->outside)
            rh__text_add(t, ", with the drawn values of messages from outside");
        break;
    default:
        add_sampled(x, t);
        break;
    }
    if (escapes) {
        const struct rh_escape *e = &r->x->results->escapes[0];
        rh__text_add(t, "; the effects of %s (%s)%s are neither explored nor undone", e->call, e->place,
                     escapes > 1 ? " and others" : "");
    }
}

/* ---- what is not controlled -------------------------------------------------------------------------------------- */

void rh__result_escapes(const struct rh__result *r, struct rh__text *t)
{
    uint32_t count = r->x->results->escape_count;
    for (uint32_t i = 0; i < count; i++) {
        const struct rh_escape *e = &r->x->results->escapes[i];
        rh__text_add(t, "%s%s (%s)", i ? ", " : "", e->call, e->place);
    }
    if (count)
        rh__text_add(t, ": %s effects are neither explored nor undone", count == 1 ? "its" : "their");
}

void rh__result_globals(const struct rh__result *r, struct rh__text *t)
{
    const char *who = rh_world_globals_writer(r->world);
    if (!*who && rh__world_hides_causes(r->world) && rh__exploration_unsound(r->x)) {
        rh__text_add(t,
                     "an actor looks at what another one is doing (rh_info). Runs that were left out because they look "
                     "alike may not be: use --explorer dfs or stateful");
        return;
    }
    if ((!*who && !r->x->results->shares_globals) || r->x->trusts_globals)
        return;
    rh__text_add(t, "%s changes a global variable, which other actors may read without a message. ",
                 *who ? who : "an actor");
    if (rh__exploration_unsound(r->x))
        rh__text_add(t, "Runs that were left out because they look alike may not be. ");
    rh__text_add(t, "Keep it in the state of an actor, in a table (rh_table_put), or announce it to a monitor "
                    "(rh_announce)");
    if (rh__exploration_unsound(r->x))
        rh__text_add(t, "; or use --explorer dfs; or, if no two actors use the same one, optimal:private-globals");
}

/* ---- what should happen sometimes -------------------------------------------------------------------------------- */

void rh__result_reached(const struct rh__result *r, struct rh__text *t)
{
    for (uint32_t i = 0; i < r->x->results->property_count; i++) {
        const struct rh__property_result *p = &r->x->results->properties[i];
        if (p->kind == RH_SOMETIMES && p->held)
            rh__text_add(t, "%s`%s` in %s run%s", t->len ? ", " : "", p->name, rh__grouped(p->held), plural(p->held));
    }
}

void rh__result_gaps(const struct rh__result *r, struct rh__text *t)
{
    for (uint32_t i = 0; i < r->x->results->property_count; i++) {
        const struct rh__property_result *p = &r->x->results->properties[i];
        if (rh__result_never_held(r, p))
            rh__text_add(t, "%s`%s` (%s)", t->len ? ", " : "", p->name, p->place);
    }
    rh__result_unreached(r, t);
}

void rh__result_unreached(const struct rh__result *r, struct rh__text *t)
{
    struct rh__sites sites = { 0 };
    if (!rh_test_first() || rh_test_first()->next)
        return; /* another test may reach it: see struct rh__report_end */
    rh__sites_add(&sites, r->x->results);
    rh__sites_unreached(&sites, t);
}

/* ---- what made no difference ------------------------------------------------------------------------------------- */

bool rh__result_set_timer(const struct rh__result *r, const char *name, size_t length, struct rh__guess *g)
{
    const struct rh_timer_names *seen = r->timer_names;
    bool set = !seen || seen->count == sizeof seen->names / sizeof *seen->names;
    for (uint32_t i = 0; seen && i < seen->count; i++) {
        set |= strlen(seen->names[i]) == length && memcmp(seen->names[i], name, length) == 0;
        rh__guess_try(g, seen->names[i]);
    }
    return set;
}

/* Which timers there are is known only by running. */
static void add_idle_budgets(const struct rh__result *r, struct rh__text *t)
{
    struct rh__timer_budget budgets[RH__TIMER_BUDGETS];
    int count = rh__timer_budgets_read(rh_world_semantics(r->world)->timer_budgets, budgets, NULL, 0);
    for (int i = 0; i < count; i++) {
        struct rh__guess g = rh__guess_of(budgets[i].name, budgets[i].length);
        if (rh__result_set_timer(r, budgets[i].name, budgets[i].length, &g))
            continue;
        rh__text_add(t, "%sno run has set a timer \"%.*s\", which has a budget", t->len ? "; " : "",
                     (int)budgets[i].length, budgets[i].name);
        rh__guess_add(&g, t);
    }
}

static void add_idle_atomics(const struct rh__result *r, struct rh__text *t)
{
    const char *const *names = rh_world_semantics(r->world)->atomic;
    uint64_t met = names && r->atomic_met ? __atomic_load_n(r->atomic_met, __ATOMIC_RELAXED) : 0;
    for (size_t i = 0; names && r->atomic_met && names[i] && i < 63; i++)
        if (!(met >> i & 1))
            rh__text_add(t, "%sno run has made an operation %s %s, which is to be atomic", t->len ? "; " : "",
                         strchr(names[i], ':') ? "at" : "in", names[i]);
}

void rh__result_unasked(const struct rh__result *r, struct rh__text *t)
{
    bool declares = rh_param_first() || rh_bug_first();
    for (size_t i = 0; i < r->param_count && i < 64 && r->params_asked && !declares; i++)
        if (!(__atomic_load_n(r->params_asked, __ATOMIC_RELAXED) >> i & 1))
            rh__text_add(t, "%s%s", t->len ? ", " : "parameters that no run has asked for: ", r->params[i].name);
    add_idle_budgets(r, t);
    add_idle_atomics(r, t);
}

void rh__result_untold(const struct rh__result *r, struct rh__text *t)
{
    const struct rh_actor_type *m;
    bool alone = !rh_test_first()->next;
    for (uint32_t i = 0; r->monitors && (m = rh__monitor_declared(i)); i++) {
        uint64_t bit = (uint64_t)1 << i;
        bool started = __atomic_load_n(&r->monitors[0], __ATOMIC_RELAXED) & bit,
             told = __atomic_load_n(&r->monitors[1], __ATOMIC_RELAXED) & bit;
        if (!told && (started || alone))
            rh__text_add(t, "%smonitor %s was never told anything: %s", t->len ? "; " : "", m->name,
                         started ? "no run announced what it handles (rh_announce)"
                                 : "no run has started it (rh_observe)");
    }
}

/* Not if all there is was explored in the end: auto cuts runs before. */
static uint64_t hot_where_cut(const struct rh__result *r)
{
    bool matters = r->monitors && r->x->results->count.cut && rh__exploration_verdict(r->x) != RH_VERDICT_EXHAUSTIVE;
    return matters ? __atomic_load_n(&r->monitors[RH__MONITOR_CUT_HOT], __ATOMIC_RELAXED) : 0;
}

void rh__result_unjudged(const struct rh__result *r, struct rh__text *t)
{
    const struct rh_actor_type *m;
    uint64_t hot = hot_where_cut(r);
    if (!hot)
        return;
    rh__text_add(t, "hot where runs were cut, which is not judged: monitor ");
    for (uint32_t i = 0, n = 0; (m = rh__monitor_declared(i)); i++)
        if (hot >> i & 1)
            rh__text_add(t, "%s%s", n++ ? ", " : "", m->name);
}

/* ---- what to do next --------------------------------------------------------------------------------------------- */

/* A number that can be typed as it stands. */
static unsigned long long two_digits(double n)
{
    unsigned long long scale = 1;
    while (n / (double)scale >= 100)
        scale *= 10;
    return (unsigned long long)(n / (double)scale + 0.5) * scale;
}

/* Where optimal does not apply, states are often few: searches over states know ordered time, budgets of timers and so
 * on.  It says which granularity these runs had, for stateful has handler if nobody states one. */
static bool next_by_states(const struct rh_exploration *x, struct rh__text *t)
{
    struct rh_semantics s = *rh_world_semantics(x->world);
    char why[256];
    bool object = s.granularity == RH_GRAIN_OBJECT;
    s.granularity = RH_GRAIN_OBJECT; /* optimal would change that */
    if (!rh__optimal_refuses(&s, why, sizeof why) || s.fail_allocation || s.outside || s.temperature ||
        rh__tree_matches_states(&x->tree) || rh__world_test(x->world)->scenario)
        return false;
    rh__text_add(t, "--explorer stateful%s, which visits every state once and may finish; ",
                 object ? " --granularity object" : "");
    return true;
}

/* If the whole is known to be within reach, how much work it is: steps are as long as those so far. */
static void next_of_auto(const struct rh_exploration *x, struct rh__text *t)
{
    double runs = x->sampled.runs, made = (double)rh__exploration_counted(x);
    double steps = made > 0 ? runs * (double)x->results->count.steps / made : 0;
    if (runs > 0 && steps < 2e9)
        rh__text_add(t,
                     "all of it takes about --max-all-steps %llu; or a smaller test (fewer actors, messages or faults)",
                     two_digits(steps < 1000 ? 1000 : steps));
    else if (x->results->count.cut * 2 > rh__exploration_counted(x))
        rh__text_add(
            t, "most runs were cut: a test that ends, or shorter runs (--max-steps); more work (--max-all-steps)");
    else {
        next_by_states(x, t);
        rh__text_add(t, "a smaller test (fewer actors, messages or faults); more work (--max-all-steps); another seed "
                        "(--seed)");
    }
}

/* A monitor was hot where runs were cut. */
static void next_of_hot(const struct rh_exploration *x, struct rh__text *t)
{
    if (rh__tree_has(&x->tree, &rh__explorer_stateful))
        rh__text_add(
            t,
            "longer runs (--max-steps), or --temperature N with a sampler: a monitor that is hot for N events fails");
    else
        rh__text_add(t,
                     "--explorer stateful finds loops in which a monitor stays hot; --temperature N makes one that is "
                     "hot for N events fail");
}

/* Several workers look for no loops of states. */
static bool loops_were_left_out(const struct rh__result *r)
{
    const struct rh_actor_type *m;
    uint64_t started = r->monitors ? __atomic_load_n(&r->monitors[0], __ATOMIC_RELAXED) : 0;
    bool hot = false;
    for (uint32_t i = 0; (m = rh__monitor_declared(i)); i++)
        hot |= started >> i & 1 && m->may_be_hot;
    return hot && r->x->workers && r->x->end.exhausted && rh__tree_has(&r->x->tree, &rh__explorer_stateful);
}

static void next_of_sample(const struct rh__result *r, struct rh__text *t)
{
    const struct rh_exploration *x = r->x;
    struct rh_semantics s = *rh_world_semantics(r->world);
    char why[256];
    s.granularity = RH_GRAIN_OBJECT; /* it would change that */
    if (rh__exploration_unsound(x))
        return; /* the note on global variables says it */
    if (hot_where_cut(r) && !x->results->incomplete) {
        next_of_hot(x, t);
        return;
    }
    if (x->results->incomplete)
        rh__text_add(t, "a part could not be explored; run it again, with fewer workers if memory is short");
    else if (loops_were_left_out(r))
        rh__text_add(t, "without -j, stateful also looks for loops in which a monitor stays hot");
    else if (rh__tree_has(&x->tree, &rh__explorer_auto))
        next_of_auto(x, t);
    else if (rh__tree_needs_object_granularity(&x->tree))
        rh__text_add(t, "more time (--max-seconds), more workers (-j), or a smaller test");
    else if (next_by_states(x, t))
        rh__text_add(t, "more runs (--max-seconds), other seeds (--seed)");
    else if (rh__optimal_refuses(&s, why, sizeof why))
        rh__text_add(t, "more runs (--max-seconds), other seeds (--seed), or a smaller test for dfs");
    else
        rh__text_add(t, "try --explorer optimal (`rehearse estimate` first), or more runs");
}

void rh__result_next(const struct rh__result *r, struct rh__text *t)
{
    const struct rh_exploration *x = r->x;
    switch (rh__result_came_to(r)) {
    case RH__STALE:
        rh__text_add(t, "explore again without the schedule, or delete it");
        break;
    case RH__INTERRUPTED:
        if (r->checkpoint)
            rh__text_add(t, "continue with --checkpoint %s --resume", r->checkpoint);
        else
            rh__text_add(t, "--checkpoint FILE saves the progress, and --resume continues from there");
        break;
    case RH__EMPTY:
        if (all_assumed(x)) {
            rh__text_add(t, "weaken the assumptions (rh_assume), or make choices that fulfil them");
            break;
        }
        rh__text_add(t, "rh_spawn actors in RH_TEST(%s), and rh_send to them", r->test);
        break;
    case RH__NOTHING_FOUND:
        if (x->end.unfinished && !x->results->count.runs)
            rh__text_add(t, "more time (--max-seconds), or cut long runs (--max-steps)");
        else if (all_cut(x) && hot_where_cut(r))
            next_of_hot(x, t);
        else if (all_cut(x))
            rh__text_add(t, "raise --max-steps%s, or make the test end",
                         rh__tree_has(&x->tree, &rh__explorer_bound) ? " or the bound" : "");
        else if (none_ended(x))
            rh__text_add(t, "--explorer dfs says whether the assumptions (rh_assume) hold in any run");
        else if (sometimes_is_open(x))
            rh__text_add(t, "--explorer dfs says whether rh_sometimes holds in a run that fulfils the assumptions");
        else
            next_of_sample(r, t);
        break;
    case RH__FAILED:
    case RH__PASSED:
        break;
    }
}

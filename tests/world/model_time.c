/* Timers against brute force: programs made from a seed, in which handlers set timers, set them anew and cancel them.
 *
 * free     any timer that is set may fire
 * ordered  of all timers only those with the earliest deadline; messages may still come at any moment
 * logical  any, and each actor has a clock of its own, which goes on by 1 ms with each message
 *
 * The oracle has a table of timers and a list of messages, and tries everything. */
#include "world/support/driver.h"

#include "support/few.h"
#include "support/generated.h"

enum {
    SEEDS = MANY_OR_FEW(300, 60),
    MOST = 3000,
    ACTORS = 2,
    NAMES = 2,
    TIMERS = ACTORS * NAMES,
    LONGEST = 24,
    OPS = 2
};

static uint64_t seed;
static uint32_t start_count;

struct task {
    uint8_t value;
    uint8_t ttl;
};

/* What a handler does with its timers. */
struct deed {
    enum { NOTHING, SET, CANCEL } kind;
    uint8_t name;
    uint8_t delay; /* in units of 10 ms */
    struct task task;
};

static void deeds_of(uint8_t actor, struct task t, struct deed deeds[OPS])
{
    uint64_t random = seed * 1009 + actor * 101 + t.value * 7 + t.ttl;
    generated_random(&random);
    for (int i = 0; i < OPS; i++) {
        deeds[i].kind = t.ttl ? generated_below(&random, 5) : NOTHING;
        deeds[i].kind = deeds[i].kind == NOTHING ? NOTHING : deeds[i].kind == CANCEL ? CANCEL : SET;
        deeds[i].name = (uint8_t)generated_below(&random, NAMES);
        deeds[i].delay = (uint8_t)generated_below(&random, 3);
        deeds[i].task.value = (uint8_t)(1 + generated_below(&random, 50));
        deeds[i].task.ttl = t.ttl ? (uint8_t)(t.ttl - 1) : 0;
    }
}

static struct task start_task(uint32_t i)
{
    return (struct task){ (uint8_t)(60 + i), 2 };
}

static uint8_t entry(struct task t, uint8_t cancelled, int64_t now_ms)
{
    return (uint8_t)(t.value + 100 * cancelled + 31 * now_ms);
}

/* ---- in the world ---------------------------------------------------------------------------------------------- */

RH_MESSAGE(act, struct task task;);
RH_ACTOR(timed, uint8_t me; uint32_t count; uint8_t log[LONGEST];);
RH_HANDLER(timed, act)
{
    static const char *const names[NAMES] = { "one", "two" };
    struct deed deeds[OPS];
    uint8_t cancelled = 0;
    deeds_of(state->me, msg->task, deeds);
    for (int i = 0; i < OPS; i++)
        if (deeds[i].kind == SET)
            rh_timer(names[deeds[i].name], 10 * deeds[i].delay, act, .task = deeds[i].task);
        else if (deeds[i].kind == CANCEL)
            cancelled += rh_timer_cancel(names[deeds[i].name]);
    if (state->count < LONGEST)
        state->log[state->count++] = entry(msg->task, cancelled, rh_now_ms());
}
RH_BEHAVIOUR(timed, ready, act);

RH_TEST(timers)
{
    static const char *const outside[] = { "w", "x", "y" };
    rh_ref all[ACTORS];
    for (uint8_t i = 0; i < ACTORS; i++)
        all[i] = rh_spawn(timed, .me = i);
    for (uint32_t i = 0; i < start_count; i++)
        rh_send_from(rh_external(outside[i]), all[i % ACTORS], act, .task = start_task(i));
}

static void put_log(struct generated_behaviour *b, uint8_t logs[ACTORS][LONGEST], const uint32_t counts[ACTORS],
                    int64_t now_ms)
{
    size_t at = 0;
    memset(b, 0, sizeof *b);
    b->bytes[at++] = (uint8_t)now_ms;
    for (int a = 0; a < ACTORS; a++) {
        b->bytes[at++] = (uint8_t)counts[a];
        memcpy(b->bytes + at, logs[a], counts[a]);
        at += counts[a];
    }
}

static void note_log(struct rh_world *w, void *arg)
{
    uint8_t logs[ACTORS][LONGEST];
    uint32_t counts[ACTORS];
    struct generated_behaviour b;
    for (uint32_t i = 0; i < rh_world_actor_count(w); i++)
        if (rh_world_actor_type(w, i) == &rh_actor_timed) {
            const struct timed *a = rh_world_actor_state(w, i);
            memcpy(logs[a->me], a->log, sizeof a->log);
            counts[a->me] = a->count;
        }
    put_log(&b, logs, counts, rh_world_now_ns(w) / 1000000);
    generated_behaviours_add(arg, &b);
}

/* ---- by brute force -------------------------------------------------------------------------------------------- */

struct alarm {
    bool set;
    int64_t deadline_ms;
    struct task task;
};

struct point {
    struct alarm alarms[TIMERS]; /* by actor and name */
    bool sent[3];                /* the first messages, still under way */
    int64_t now_ms[ACTORS];      /* one and the same but with logical time */
    uint32_t counts[ACTORS];
    uint8_t logs[ACTORS][LONGEST];
};

struct oracle {
    bool ordered, logical, too_large;
    uint64_t sequences;
    struct generated_behaviours *found;
};

static void act_out(struct point *p, uint8_t actor, struct task t)
{
    struct deed deeds[OPS];
    uint8_t cancelled = 0;
    deeds_of(actor, t, deeds);
    for (int i = 0; i < OPS; i++) {
        struct alarm *a = &p->alarms[actor * NAMES + deeds[i].name];
        if (deeds[i].kind == SET)
            *a = (struct alarm){ true, p->now_ms[actor] + 10 * deeds[i].delay, deeds[i].task };
        else if (deeds[i].kind == CANCEL) {
            cancelled += a->set;
            a->set = false;
        }
    }
    if (p->counts[actor] < LONGEST)
        p->logs[actor][p->counts[actor]++] = entry(t, cancelled, p->now_ms[actor]);
}

static bool may_fire(const struct oracle *o, const struct point *p, int timer)
{
    if (!p->alarms[timer].set)
        return false;
    for (int i = 0; o->ordered && i < TIMERS; i++)
        if (p->alarms[i].set && p->alarms[i].deadline_ms < p->alarms[timer].deadline_ms)
            return false;
    return true;
}

static void pass(const struct oracle *o, struct point *p, int actor, int64_t deadline_ms)
{
    p->now_ms[actor] += o->logical;
    for (int i = 0; i < ACTORS; i++)
        if ((i == actor || !o->logical) && p->now_ms[i] < deadline_ms)
            p->now_ms[i] = deadline_ms;
}

static void visit(struct oracle *o, const struct point *p)
{
    bool moved = false;
    for (uint32_t i = 0; i < start_count && !o->too_large; i++)
        if (p->sent[i]) {
            struct point next = *p;
            next.sent[i] = false;
            pass(o, &next, (int)(i % ACTORS), 0);
            act_out(&next, (uint8_t)(i % ACTORS), start_task(i));
            visit(o, &next);
            moved = true;
        }
    for (int i = 0; i < TIMERS && !o->too_large; i++)
        if (may_fire(o, p, i)) {
            struct point next = *p;
            next.alarms[i].set = false;
            pass(o, &next, i / NAMES, p->alarms[i].deadline_ms);
            act_out(&next, (uint8_t)(i / NAMES), p->alarms[i].task);
            visit(o, &next);
            moved = true;
        }
    if (moved)
        return;
    if (++o->sequences > MOST)
        o->too_large = true;
    struct generated_behaviour b;
    struct point last = *p;
    int64_t latest = last.now_ms[0] > last.now_ms[1] ? last.now_ms[0] : last.now_ms[1];
    put_log(&b, last.logs, last.counts, latest);
    generated_behaviours_add(o->found, &b);
}

static void compare_all(enum rh_time time)
{
    uint32_t compared = 0;
    uint64_t sequences = 0;
    struct rh_semantics s = { .time = time, .max_actors = 16, .max_bytes_per_actor = 65536 };
    for (seed = 1; seed <= SEEDS; seed++) {
        struct generated_behaviours want = { 0 }, got = { 0 };
        struct oracle o = { .ordered = time == RH_TIME_ORDERED, .logical = time == RH_TIME_LOGICAL, .found = &want };
        struct point p;
        memset(&p, 0, sizeof p);
        start_count = 1 + seed % 3;
        for (uint32_t i = 0; i < start_count; i++)
            p.sent[i] = true;
        visit(&o, &p);
        if (!o.too_large) {
            struct rh_world *w = open_test("timers", &s);
            uint64_t made = every_run(w, 10 * MOST, note_log, &got);
            rh_world_free(w);
            generated_behaviours_settle(&want);
            generated_behaviours_settle(&got);
            size_t missing = generated_behaviours_missing(&want, &got);
            size_t impossible = generated_behaviours_missing(&got, &want);
            if (made != o.sequences || missing || impossible)
                fail_msg("program %llu: %llu sequences instead of %llu; %zu logs are missing, %zu are impossible",
                         (unsigned long long)seed, (unsigned long long)made, (unsigned long long)o.sequences, missing,
                         impossible);
            compared++;
            sequences += made;
        }
        generated_behaviours_free(&want);
        generated_behaviours_free(&got);
    }
    print_message("%u programs, %llu sequences\n", compared, (unsigned long long)sequences);
    assert_in_range(compared, SEEDS / 3, SEEDS);
}

static void free_time_fires_any_timer_that_is_set(void **unused)
{
    (void)unused;
    compare_all(RH_TIME_FREE);
}

static void ordered_time_fires_the_earliest_timers(void **unused)
{
    (void)unused;
    compare_all(RH_TIME_ORDERED);
}

static void logical_time_gives_each_actor_a_clock(void **unused)
{
    (void)unused;
    compare_all(RH_TIME_LOGICAL);
}

/* ---- many -------------------------------------------------------------------------------------------------------- */

enum { MANY = MANY_OR_FEW(100000, 20000) };

/* Sets so many, cancels the oldest tenth, sets another tenth anew. */
RH_MESSAGE(set_many);
RH_ACTOR(busy_setter, uint32_t fired;);
RH_HANDLER(busy_setter, set_many)
{
    char name[32];
    if (state->fired++)
        return;
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "timer %d", i);
        rh_timer(name, 1 + i, set_many);
    }
    for (int i = 0; i < MANY / 5; i++) {
        snprintf(name, sizeof name, "timer %d", i);
        if (i < MANY / 10)
            rh_assert(rh_timer_cancel(name) && !rh_timer_cancel(name));
        else
            rh_timer(name, 1 + i, set_many);
    }
}
RH_BEHAVIOUR(busy_setter, open, set_many);
RH_TEST(many_timers)
{
    rh_send(rh_spawn(busy_setter), set_many);
}

/* In time that grows with their number: else the handler would be endless (max_handler_ms). */
static void very_many_timers_are_set_in_one_handler(void **unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        struct rh_semantics s = { .time = i ? RH_TIME_ORDERED : RH_TIME_FREE };
        uint32_t open;
        struct rh_world *w = open_test("many_timers", &s);
        for (int again = 0; again < 2; again++) { /* and what is undone can be done again */
            const struct rh_choice *choices = rh_world_enabled(w, &open);
            assert_int_equal(open, 1);
            assert_true(rh_world_step(w, &choices[0]));
            choices = rh_world_enabled(w, &open);
            assert_int_equal(open, i ? 1 : MANY - MANY / 10);
            struct rh_choice last = choices[open - 1];
            assert_true(rh_world_step(w, &last));
            assert_int_equal(rh_world_now_ns(w), (int64_t)1000000 * (1 + MANY / (i ? 10 : 5)));
            rh_world_reset(w);
        }
        rh_world_free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(free_time_fires_any_timer_that_is_set),
        WORLD_TEST(ordered_time_fires_the_earliest_timers),
        WORLD_TEST(logical_time_gives_each_actor_a_clock),
        WORLD_TEST(very_many_timers_are_set_in_one_handler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

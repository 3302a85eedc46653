/* Runs without end, made smaller: a ring of nodes hands a token on until a node that was told to stop has it.  The
 * message that tells so may be lost. */
#include "explore/support/oracle.h"
#include "findings/minimise.h"
#include "findings/story.h"
#include "findings/why.h"
#include "run/encode.h"

enum { NODES = 3, LIMIT = 12000 };

RH_MESSAGE(token, int hops;);
RH_MESSAGE(noise);
RH_MESSAGE(stop);
RH_ACTOR(node, rh_ref next; int hops; bool counts, stopped;);
RH_HANDLER(node, token)
{
    state->hops = state->counts ? msg->hops : 0;
    if (!state->stopped)
        rh_send(state->next, token, .hops = state->hops + 1);
}
RH_HANDLER(node, noise)
{
}
RH_HANDLER(node, stop)
{
    state->stopped = true;
}
RH_BEHAVIOUR(node, running, token, noise, stop);

static void ring(rh_ref self, bool counts)
{
    rh_ref first = { self.id + 1 };
    for (unsigned i = 1; i <= NODES; i++)
        rh_spawn(node, .next = { self.id + 1 + i % NODES }, .counts = counts);
    for (unsigned i = 1; i <= NODES; i++) {
        char name[16];
        snprintf(name, sizeof name, "noise %u", i);
        rh_send_from(rh_external(name), (rh_ref){ self.id + i }, noise);
    }
    rh_send_from(rh_external("starter"), first, token);
    rh_send_from(rh_external("stopper"), first, stop);
}
RH_TEST(a_ring)
{
    ring(self, false);
}
RH_TEST(a_ring_that_counts)
{
    ring(self, true);
}

struct again {
    const struct rh__finding *f;
    struct rh_outcome outcome;
    bool fits;
};

/* The choices of the finding, from the beginning. */
static void make_again(struct rh_world *w, void *arg)
{
    struct again *a = arg;
    for (uint32_t i = 0; i < a->f->pick_count; i++) {
        uint32_t count;
        const struct rh_choice *open = rh_world_enabled(w, &count);
        if (a->f->picks[i] >= count)
            return;
        rh_world_step(w, &open[a->f->picks[i]]);
    }
    a->fits = true;
    a->outcome = *rh_world_outcome(w);
}

static struct rh_exploration *found(struct rh_world *w)
{
    struct rh_exploration *x = explored(w, "random", 1, 40);
    assert_int_equal(x->results->finding_count, 1);
    assert_int_equal(x->results->findings[0].outcome.kind, RH_OUTCOME_ENDLESS_RUN);
    assert_int_equal(x->results->findings[0].pick_count, LIMIT);
    return x;
}

static struct rh_world *world_with_losses(const char *test, uint32_t losses)
{
    struct rh_semantics s = { .losses = losses, .max_steps = LIMIT };
    return world_of(test, &s, NULL, 0);
}

/* Only the loss stays, what starts the ring, and once round; it is a loop of states then. */
static void a_circle_becomes_a_loop(void **unused)
{
    (void)unused;
    char text[256], error[128];
    struct rh_world *w = world_with_losses("a_ring", 3);
    struct rh_exploration *x = found(w);
    struct rh__finding *f = &x->results->findings[0];
    assert_true(rh__minimise(w, f, NULL));
    assert_true(f->minimised.repeats && f->minimised.whole);
    assert_int_equal(f->minimised.before, LIMIT);
    assert_int_equal(f->minimised.faults_after, 1);
    struct rh__run *r = rh__run_decode(f->encoded, f->encoded_size, error, sizeof error);
    assert_non_null(r);
    assert_int_equal(r->event_count - r->loop, NODES);
    assert_in_range(f->pick_count, NODES + 2, 2 * NODES + NODES + 2);
    rh__run_free(r);
    assert_true(rh__why(w, f));
    assert_int_equal(f->why.differs, RH__WHY_FAULT);
    assert_true(f->why.known && f->why.exhaustive);
    assert_int_equal(f->why.decisive, f->why.first);
    assert_non_null(strstr(rh__minimised_text(f, text, sizeof text), "minimised from 12000 to"));
    rh__findings_describe(x->results, NULL, 0);
    assert_non_null(strstr(f->schedule, "\nthe loop begins: messages go in a circle\n"));
    assert_non_null(strstr(f->decided, "no continuation ends"));
    rh__exploration_free(x);
    rh_world_free(w);
}

/* No state comes back: the run stays as long, but the tail is fair, and is cut as the run was. */
static void a_run_without_a_loop_gets_a_fair_tail(void **unused)
{
    (void)unused;
    char text[256];
    struct rh_world *w = world_with_losses("a_ring_that_counts", 3);
    struct rh_exploration *x = found(w);
    struct rh__finding *f = &x->results->findings[0];
    assert_true(rh__minimise(w, f, NULL));
    assert_true(f->minimised.repeats);
    assert_int_equal(f->pick_count, LIMIT);
    assert_int_equal(f->minimised.faults_after, 1);
    assert_int_equal(f->minimised.tail, 1);
    assert_non_null(strstr(rh__minimised_text(f, text, sizeof text), "after event 1 whoever has waited longest moves"));
    struct again *a = rh_shared_new(sizeof *a);
    a->f = f;
    assert_int_equal(rh_sandbox_run(w, make_again, a), RH_SANDBOX_DONE);
    assert_true(a->fits);
    assert_int_equal(a->outcome.kind, RH_OUTCOME_ENDLESS_RUN);
    rh_shared_free(a, sizeof *a);
    rh__exploration_free(x);
    rh_world_free(w);
}

/* The token comes before everything else; the message that would end it waits for ever. */
static void keep_waiting(struct rh_world *w, void *arg)
{
    struct again *a = arg;
    uint32_t count;
    for (const struct rh_choice *open; (open = rh_world_enabled(w, &count)), count;) {
        uint32_t pick = 0;
        for (uint32_t i = 0; i < count; i++)
            if (open[i].kind == RH_CHOICE_DELIVER && strcmp(rh_world_message(w, open[i].what).type->name, "token") == 0)
                pick = i;
        rh_world_step(w, &open[pick]);
    }
    a->outcome = *rh_world_outcome(w);
}

static void a_run_that_is_kept_from_its_end_is_no_finding(void **unused)
{
    (void)unused;
    struct rh_world *w = world_with_losses("a_ring", 0);
    struct again *a = rh_shared_new(sizeof *a);
    assert_int_equal(rh_sandbox_run(w, keep_waiting, a), RH_SANDBOX_DONE);
    assert_int_equal(a->outcome.kind, RH_OUTCOME_CUT);
    rh_shared_free(a, sizeof *a);
    rh_world_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(a_circle_becomes_a_loop),
        EXPLORE_TEST(a_run_without_a_loop_gets_a_fair_tail),
        EXPLORE_TEST(a_run_that_is_kept_from_its_end_is_no_finding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

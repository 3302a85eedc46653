/* A run that was encoded and decoded is the same run: every accessor (run/run.h) gives the same, and so do all who read
 * runs: schedule, story, hash of distinct runs, identities and steps of coverage.
 *
 * Programs of every feature (explore/support/oracle_make.h) are run at random under every delivery model, time mode and
 * granularity, with and without faults, to their end or to a failing step.  Each run is compared in the process that
 * made it, where the tables are live. */
#include "explore/support/oracle_make.h"
#include "explore/support/runs.h"

#include "base/random.h"
#include "coverage/scratch.h"
#include "coverage/steps.h"
#include "findings/story.h"
#include "run/encode.h"
#include "run/identity.h"
#include "trace/schedule.h"

enum { VALUE = 64, TEXT = 1 << 20, MOST = 4096 };

/* In shared memory: runs are made in child processes. */
static struct {
    uint64_t runs, events, messages, accesses, lines, waits, values, failed, honest, refused;
    char different[1024];
} * seen;

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static bool differs(const char *what, uint32_t at)
{
    if (!*seen->different)
        snprintf(seen->different, sizeof seen->different, "%s %u", what, at);
    return true;
}

#define SAME(what, at, a, b)      ((a) == (b) ? false : differs(what, at))
#define SAME_TEXT(what, at, a, b) (strcmp(a, b) == 0 ? false : differs(what, at))

static bool actors_differ(const struct rh__run *a, const struct rh__run *b)
{
    bool bad = SAME("actors", 0, a->actor_count, b->actor_count);
    for (uint32_t i = 0; i < a->actor_count && !bad; i++) {
        const struct rh__run_actor *x = rh__run_actor(a, i), *y = rh__run_actor(b, i);
        char one[300], other[300];
        bad |= SAME_TEXT("type of actor", i, x->type->name, y->type->name);
        bad |= SAME("kind of actor", i, x->type->kind, y->type->kind);
        bad |= SAME("has a behaviour", i, !x->behaviour, !y->behaviour);
        bad |= x->behaviour && SAME_TEXT("behaviour", i, x->behaviour->name, y->behaviour->name);
        bad |= SAME("identity", i, x->identity, y->identity) || SAME("object", i, x->object, y->object);
        bad |= SAME("status", i, x->status, y->status) || SAME("flags", i, x->flags, y->flags);
        bad |= SAME("born", i, x->born, y->born) || SAME("born_behind", i, x->born_behind, y->born_behind);
        bad |= SAME("parent", i, x->parent, y->parent) || SAME("ordinal", i, x->ordinal, y->ordinal);
        bad |= SAME("node", i, x->node, y->node) || SAME("asking", i, x->asking, y->asking);
        bad |= SAME("restarts", i, x->restarts, y->restarts);
        bad |= SAME("outside", i, rh__run_is_outside(a, i), rh__run_is_outside(b, i));
        if (x->status == STATUS_ENDED)
            bad |= SAME_TEXT("reason", i, rh__run_text(a, x->reason), rh__run_text(b, y->reason));
        rh__run_actor_name(a, i, one, sizeof one);
        rh__run_actor_name(b, i, other, sizeof other);
        bad |= SAME_TEXT("name", i, one, other);
        bool waits = rh__run_waits(a, i, one, RH__RUN_WAIT_BYTES);
        bad |= SAME("waits", i, waits, rh__run_waits(b, i, other, RH__RUN_WAIT_BYTES));
        bad |= waits && SAME_TEXT("waits for", i, one, other);
        bad |= SAME("life", i, rh__run_object_of(a, RH__OBJECT_LIFE, i), rh__run_object_of(b, RH__OBJECT_LIFE, i));
        seen->waits += waits;
    }
    return bad;
}

static bool choice_has_text(const struct rh_choice *c)
{
    return c->kind == RH_CHOICE_TIMER || c->kind == RH_CHOICE_RESUME;
}

static bool events_differ(const struct rh__run *a, const struct rh__run *b)
{
    bool bad = SAME("events", 0, a->event_count, b->event_count);
    for (uint32_t i = 0; i < a->event_count && !bad; i++) {
        const struct rh_event *x = rh__run_event(a, i), *y = rh__run_event(b, i);
        const struct rh_choice *c = rh__run_choice(a, i), *d = rh__run_choice(b, i);
        bad |= SAME("kind", i, c->kind, d->kind) || SAME("actor", i, c->actor, d->actor);
        bad |= SAME("what", i, c->what, d->what);
        if (choice_has_text(c))
            bad |= SAME("has a text", i, !c->arg, !d->arg) ||
                   SAME_TEXT("text", i, rh__run_text(a, c->arg), rh__run_text(b, d->arg));
        else
            bad |= SAME("arg", i, c->arg, d->arg);
        bad |= SAME("number", i, x->number, y->number) || SAME("flags", i, x->flags, y->flags);
        bad |= SAME("first message", i, x->first_message, y->first_message);
        bad |= SAME("messages end", i, rh__run_messages_end(a, i), rh__run_messages_end(b, i));
        bad |= SAME("set_by", i, x->set_by, y->set_by) || SAME("site", i, x->site, y->site);
        bad |= SAME("clock", i, rh__run_is_clock(a, c), rh__run_is_clock(b, d));
        uint32_t n, k;
        const struct rh__access *p = rh__run_accesses(a, i, &n), *q = rh__run_accesses(b, i, &k);
        bad |= SAME("accesses", i, n, k);
        for (uint32_t j = 0; j < n && !bad; j++) /* values are known in live runs only */
            bad |= (p[j].object != q[j].object || p[j].event != q[j].event || p[j].ordinal != q[j].ordinal ||
                    p[j].wrote != q[j].wrote) &&
                   differs("access of", i);
        seen->accesses += n;
        bad |= SAME("hash", i, rh__event_hash(a, i), rh__event_hash(b, i));
    }
    seen->events += a->event_count;
    return bad;
}

static bool bytes_differ(const char *what, uint32_t i, const char *a, uint32_t a_kept, const char *b, uint32_t b_kept)
{
    bool bad = SAME(what, i, a_kept < VALUE ? a_kept : VALUE, b_kept);
    seen->values += b_kept;
    return bad || (memcmp(a, b, b_kept) != 0 && differs(what, i));
}

static bool messages_differ(const struct rh__run *a, const struct rh__run *b)
{
    bool bad = SAME("messages", 0, a->message_count, b->message_count);
    for (uint32_t i = 0; i < a->message_count && !bad; i++) {
        const struct rh__run_message *x = rh__run_message(a, i), *y = rh__run_message(b, i);
        bad |= SAME_TEXT("type", i, x->type->name, y->type->name);
        bad |= SAME("deferring", i, x->type->unhandled, y->type->unhandled);
        bad |= SAME("size", i, x->size, y->size) || SAME("tail", i, x->tail_size, y->tail_size);
        bad |= SAME("sender", i, x->sender, y->sender) || SAME("receiver", i, x->receiver, y->receiver);
        bad |= SAME("seen_as", i, x->seen_as, y->seen_as) || SAME("event", i, x->event, y->event);
        bad |= SAME("ordinal", i, x->ordinal, y->ordinal) || SAME("answers", i, x->answers, y->answers);
        bad |= SAME("taken_by", i, x->taken_by, y->taken_by) || SAME("copy_of", i, x->copy_of, y->copy_of);
        bad |= SAME("channel", i, x->channel, y->channel) || SAME("posted", i, x->posted, y->posted);
        bad |= SAME("wake", i, x->wake, y->wake) || SAME("life", i, x->life, y->life);
        bad |= SAME("behind", i, x->behind, y->behind) || SAME("timer", i, !x->timer, !y->timer);
        bad |= SAME_TEXT("timer's name", i, rh__run_text(a, x->timer), rh__run_text(b, y->timer));
        bad |= SAME("start", i, rh__is_start(x), rh__is_start(y)) || SAME("down", i, rh__is_down(x), rh__is_down(y));
        bad |= SAME("signal", i, rh__is_exit_signal(x), rh__is_exit_signal(y));
        bad |= SAME("may fail", i, rh__run_may_fail(a, x), rh__run_may_fail(b, y));
        uint32_t n, k;
        const char *p = rh__run_value(a, i, &n), *q = rh__run_value(b, i, &k);
        bad |= bytes_differ("value", i, p, n, q, k);
        p = rh__run_tail(a, i, &n), q = rh__run_tail(b, i, &k);
        bad |= bytes_differ("tail of", i, p, n, q, k);
    }
    seen->messages += a->message_count;
    return bad;
}

static bool rest_differs(const struct rh__run *a, const struct rh__run *b)
{
    bool bad = SAME_TEXT("test", 0, a->test, b->test) || SAME("parameters", 0, a->param_count, b->param_count);
    bad |= SAME("lines", 0, a->line_count, b->line_count) || SAME("monitors", 0, a->monitor_count, b->monitor_count);
    bad |= SAME("clock", 0, a->clock, b->clock) || SAME("clock_used", 0, a->clock_used, b->clock_used);
    bad |= SAME("own_clocks", 0, a->own_clocks, b->own_clocks) || SAME("over", 0, a->over, b->over);
    bad |= SAME("first_actors", 0, a->first_actors, b->first_actors);
    bad |= SAME("by object", 0, rh__run_by_object(a), rh__run_by_object(b));
    for (size_t i = 0; i < a->param_count && !bad; i++)
        bad |= SAME_TEXT("parameter", (uint32_t)i, a->params[i].name, b->params[i].name) ||
               SAME_TEXT("value of", (uint32_t)i, a->params[i].value, b->params[i].value);
    for (uint32_t i = 0; i < a->line_count && !bad; i++) {
        bad |= SAME("line's event", i, a->lines[i].event, b->lines[i].event);
        bad |= SAME("line's actor", i, a->lines[i].actor, b->lines[i].actor);
        bad |= SAME_TEXT("line", i, a->payload + a->lines[i].text, b->payload + b->lines[i].text);
    }
    seen->lines += a->line_count;
    for (uint32_t i = 0; i < a->monitor_count && !bad; i++)
        bad |= SAME("monitor", i, a->monitors[i], b->monitors[i]);
    return bad;
}

/* ---- those who read runs ----------------------------------------------------------------------------------------- */

static bool texts_differ(const struct rh__run *a, const struct rh__run *b)
{
    static char one[TEXT], other[TEXT];
    struct rh__text s, t;
    rh__text_init(&s, one, sizeof one);
    rh__text_init(&t, other, sizeof other);
    rh__schedule_write(a, &s);
    rh__schedule_write(b, &t);
    bool bad = SAME_TEXT("schedule", 0, one, other);
    rh__text_clear(&s);
    rh__text_clear(&t);
    struct rh__run view = *a; /* values that were not kept are not shown */
    view.most_value = b->most_value;
    rh__story_write(&view, NULL, NULL, 0, &s);
    rh__story_write(b, NULL, NULL, 0, &t);
    return bad || SAME_TEXT("story", 0, one, other);
}

/* All but the types, which are addresses. */
static bool steps_differ(const struct rh__run *a, const struct rh__run *b)
{
    static struct rh__coverage_step lists[2][MOST];
    static char memory[2][MOST * 160];
    struct rh__identities names[2];
    struct rh__steps steps[2];
    struct rh__run without = *a;
    const struct rh__run *runs[] = { &without, b };
    without.first_sets = NULL; /* a live run knows more: since when a timer is set */
    if (a->event_count > MOST || rh__identities_size(MOST, a->actor_count) > sizeof memory[0])
        return differs("a run is too long for this test", a->event_count);
    for (int i = 0; i < 2; i++) {
        uint32_t *scratch = rh__scratch(5, rh__steps_scratch(runs[i]) * sizeof *scratch);
        memset(memory[i], 0, sizeof memory[i]);
        rh__identities_init(&names[i], memory[i], MOST, a->actor_count);
        rh__identities_begin(&names[i]);
        rh__identities_follow(&names[i], runs[i]);
        rh__steps_of(runs[i], &names[i], &steps[i], lists[i], scratch);
    }
    bool bad = SAME("steps", 0, steps[0].count, steps[1].count);
    for (uint32_t i = 0; i < steps[0].count && !bad; i++) {
        lists[0][i].type = lists[1][i].type = 0;
        bad = memcmp(&lists[0][i], &lists[1][i], sizeof lists[0][i]) != 0 && differs("step", i);
    }
    return bad;
}

static void compare(const struct rh__run *live)
{
    char error[256];
    struct rh__writer bytes = rh__writer_new(), again = rh__writer_new();
    rh__run_encode(live, VALUE, &bytes);
    struct rh__run *decoded = rh__run_decode(bytes.at, bytes.len, error, sizeof error);
    if (!decoded) {
        differs(error, 0);
    } else if (!actors_differ(live, decoded) && !events_differ(live, decoded) && !messages_differ(live, decoded) &&
               !rest_differs(live, decoded) && !texts_differ(live, decoded) && !steps_differ(live, decoded)) {
        rh__run_encode(decoded, VALUE, &again);
        if (again.len != bytes.len || memcmp(again.at, bytes.at, bytes.len) != 0)
            differs("encoded again", 0);
    }
    rh__run_free(decoded);
    for (size_t cut = 0; cut < bytes.len; cut += 1 + bytes.len / 64)
        if (rh__run_decode(bytes.at, cut, error, sizeof error))
            differs("a part is taken for the whole, of", (uint32_t)cut);
    rh__writer_release(&bytes);
    rh__writer_release(&again);
    seen->runs++;
}

static void comparing_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct spy *s = state;
    if (!*seen->different)
        compare(rh__world_run(w));
    seen->failed += rh_outcome_failed(run->outcome);
    rh_inner_end(&s->inner, w, run);
}
SPY(comparing, "compares runs with themselves, encoded and decoded", comparing_end)

/* ---- a program with what the generated ones do not have ---------------------------------------------------------- */

RH_MESSAGE(word, char text[100]; int number;);
RH_MESSAGE(bell);
RH_MONITOR(counter, int words;);
RH_HANDLER(counter, word)
{
    state->words += msg->number;
}
RH_BEHAVIOUR(counter, counting, word);
RH_ACTOR(clerk, int words;);
RH_HANDLER(clerk, word)
{
    size_t size;
    const char *tail = rh_tail(&size);
    rh_log("%s (%d)\n and %.5s", msg->text, state->words++, size ? tail : "");
    rh_announce(word, .number = 1);
    rh_timer("bell \"#1\"", 5, bell);
}
RH_HANDLER(clerk, bell)
{
    rh_log("%s", "");
    rh_assert(state->words < 2, "too many words");
}
RH_BEHAVIOUR(clerk, working, word, bell);
RH_PROCESS(reader, rh_ref clerk;);
RH_BODY(reader)
{
    rh_receive(word, .from = state->clerk);
}
RH_TEST(words)
{
    static const char tail[300] = "tails and tails";
    rh_observe(counter);
    rh_ref c = rh_spawn(clerk);
    rh_spawn(reader, .clerk = c);
    rh_send_with(c, tail, sizeof tail, word, .text = "one", .number = 7);
    rh_send(c, word, .text = "another");
}

/* ---- a run that lies --------------------------------------------------------------------------------------------- */

/* Encodes the run with another number of channels and of first actors, and tells whether the decoder refuses it. */
static bool is_refused(const struct rh__run *honest, uint32_t channels, uint32_t first_actors)
{
    char error[200] = "";
    struct rh__run liar = *honest;
    struct rh__writer bytes = rh__writer_new();
    liar.channel_count = channels;
    liar.first_actors = first_actors;
    rh__run_encode(&liar, 64, &bytes);
    struct rh__run *r = rh__run_decode(bytes.at, bytes.len, error, sizeof error);
    bool refused = !r && strstr(error, "promises more than it has");
    rh__run_free(r);
    rh__writer_release(&bytes);
    return refused;
}

static void lying_end(void *state, const struct rh_world *w, const struct rh_run *run)
{
    struct spy *s = state;
    const struct rh__run *r = rh__world_run(w);
    seen->honest += !is_refused(r, r->channel_count, r->first_actors);
    seen->refused += is_refused(r, UINT32_MAX - 1, r->first_actors) + is_refused(r, 2 * r->message_count + 1, 0) +
                     is_refused(r, r->channel_count, r->actor_count + 1);
    rh_inner_end(&s->inner, w, run);
}
SPY(lying, "encodes runs with wrong counts", lying_end)

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void compare_all(const char *test, const struct rh_semantics *s, const char *explorer, uint64_t seed,
                        const char *what)
{
    static const struct rh_param params[] = { { "depth", "3" }, { "odd name", "#\n" } };
    struct rh_world *w = world_of(test, s, params, 2);
    rh__exploration_free(explored(w, explorer, seed, 3));
    rh_world_free(w);
    if (*seen->different)
        fail_msg("%s\n%s", what, seen->different);
}

static void a_decoded_run_is_the_same_run(void **unused)
{
    (void)unused;
#ifdef __SANITIZE_ADDRESS__
    enum { SEEDS = 24 };
#else
    enum { SEEDS = 60 };
#endif
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (int grain = RH_GRAIN_HANDLER; grain <= RH_GRAIN_OBJECT; grain++) {
            char what[2200];
            features_make(&program, seed);
            program.model = (uint32_t)(seed / 3 % 4);
            features_with_time(&program, (enum rh_time)(seed % 3));
            program.fails = seed % 2 ? 9 : 0;
            if (grain == RH_GRAIN_SEND)
                program.model = RH_MAILBOX;
            struct rh_semantics s = features_semantics(&program);
            s.granularity = (enum rh_granularity)grain;
            s.partitions = seed % 7 == 0;
            int n = snprintf(what, sizeof what, "granularity %d: ", grain);
            features_write(&program, what + n, sizeof what - (size_t)n);
            compare_all("features", &s, "comparing:random", seed + 1, what);
        }
    for (int grain = RH_GRAIN_HANDLER; grain <= RH_GRAIN_OBJECT; grain++)
        for (int time = RH_TIME_FREE; time <= RH_TIME_LOGICAL; time++) {
            struct rh_semantics s = { .granularity = (enum rh_granularity)grain, .time = (enum rh_time)time };
            s.model = grain == RH_GRAIN_SEND ? RH_MAILBOX : RH_CAUSAL;
            s.losses = 1;
            s.may_lose = RH_ACTORS(clerk);
            compare_all("words", &s, "comparing:random", 1, "words");
        }
    print_message("%llu runs, %llu failed; %llu events, %llu messages, %llu accesses, %llu lines, %llu waits\n",
                  (unsigned long long)seen->runs, (unsigned long long)seen->failed, (unsigned long long)seen->events,
                  (unsigned long long)seen->messages, (unsigned long long)seen->accesses,
                  (unsigned long long)seen->lines, (unsigned long long)seen->waits);
    assert_true(seen->runs && seen->failed && seen->messages && seen->accesses && seen->lines && seen->waits &&
                seen->values);
}

static int begin(void **unused)
{
    (void)unused;
    seen = rh_shared_new(sizeof *seen);
    return seen ? 0 : -1;
}

static void a_run_that_promises_more_than_it_has_is_refused(void **unused)
{
    (void)unused;
    struct rh_semantics s = { .model = RH_MAILBOX, .granularity = RH_GRAIN_SEND };
    compare_all("words", &s, "lying:random", 1, "words");
    assert_int_equal(seen->honest, 3);
    assert_int_equal(seen->refused, 9);
}

static int end(void **unused)
{
    (void)unused;
    rh_shared_free(seen, sizeof *seen);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_decoded_run_is_the_same_run),
                                        cmocka_unit_test(a_run_that_promises_more_than_it_has_is_refused) };
    return cmocka_run_group_tests(tests, begin, end);
}

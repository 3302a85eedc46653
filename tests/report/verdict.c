/* Every number in a verdict equals what was counted: by a spy around the explorer, which has its own sets of texts. */
#include "explore/support/runs.h"

#include "report/result.h"

RH_MESSAGE(a);
RH_MESSAGE(b);
RH_MESSAGE(c);
RH_ACTOR(box, int seen; char first;);

static void note(int *seen, char *first, char letter)
{
    if (!(*seen)++)
        *first = letter;
    if (letter == 'c' && *first == 'b')
        rh_cover("b before c");
    rh_sometimes("a came first", *first == 'a');
    rh_sometimes("nothing came", *seen == 0);
}
RH_HANDLER(box, a)
{
    note(&state->seen, &state->first, 'a');
}
RH_HANDLER(box, b)
{
    note(&state->seen, &state->first, 'b');
}
RH_HANDLER(box, c)
{
    note(&state->seen, &state->first, 'c');
}
RH_BEHAVIOUR(box, waiting, a, b, c);

static void play(int n)
{
    for (int i = 0; i < n; i++) {
        rh_ref to = rh_spawn(box);
        rh_send(to, a);
        rh_send(to, b);
        rh_send(to, c);
    }
}
RH_TEST(small, .model = RH_BAG, .losses = 1)
{
    play(1);
}
RH_TEST(large, .model = RH_BAG, .losses = 1)
{
    play(3);
}

/* ---- the spy ----------------------------------------------------------------------------------------------------- */

enum { MOST = 20000 };
static struct counted {
    uint64_t runs, steps, covered, came_first;
    uint64_t run[MOST]; /* one number for each distinct run: the texts that each actor has taken, in order */
    uint32_t runs_kept;
    uint64_t order[MOST], other_way[MOST]; /* of two texts at an actor, one directly after the other */
    bool of_two[MOST];                     /* two different texts */
    uint32_t orders;
    uint64_t last_new;
} * seen;

static uint64_t number_of(const char *text, uint64_t from)
{
    for (; *text; text++) {
        from = (from ^ (unsigned char)*text) * 0x9e3779b97f4a7c15u;
        from ^= from >> 29;
    }
    return from;
}

static bool keep(uint64_t *list, uint32_t *n, uint64_t what)
{
    for (uint32_t i = 0; i < *n; i++)
        if (list[i] == what)
            return false;
    assert_true(*n < MOST);
    list[(*n)++] = what;
    return true;
}

static uint32_t taken_by(const struct rh_world *w, uint32_t actor, uint64_t *run)
{
    uint32_t events, new_orders = 0;
    uint64_t lost = 0;
    const struct rh_event *e = rh_world_events(w, &events);
    char before[256] = "", text[256], both[600];
    for (uint32_t i = 1; i < events; i++) {
        if (e[i].choice.actor != actor || e[i].choice.kind == RH_CHOICE_RESUME)
            continue;
        if (e[i].choice.kind == RH_CHOICE_DELIVER)
            snprintf(text, sizeof text, "%s", rh_world_message(w, e[i].choice.what).type->name);
        else
            snprintf(text, sizeof text, "kind %d", (int)e[i].choice.kind);
        if (e[i].choice.kind == RH_CHOICE_LOSE) /* that it is lost counts, not when */
            lost += number_of(rh_world_message(w, e[i].choice.what).type->name, 7);
        else
            *run = number_of(text, *run);
        snprintf(both, sizeof both, "%u %s %s", actor, before, text);
        if (keep(seen->order, &seen->orders, number_of(both, 1469598103934665603u))) {
            snprintf(both, sizeof both, "%u %s %s", actor, text, before);
            seen->other_way[seen->orders - 1] = number_of(both, 1469598103934665603u);
            seen->of_two[seen->orders - 1] = *before && strcmp(before, text) != 0;
            new_orders++;
        }
        snprintf(before, sizeof before, "%s", text);
    }
    *run += lost;
    return new_orders;
}

static void count(void *state, const struct rh_world *w, const struct rh_run *run)
{
    uint64_t whole = 0;
    uint32_t new_orders = 0;
    seen->runs++;
    seen->steps += run->events;
    for (uint32_t actor = 0; actor < 16; actor++) {
        uint64_t own = number_of("actor", actor);
        new_orders += taken_by(w, actor, &own);
        whole = number_of("next", whole ^ own);
    }
    keep(seen->run, &seen->runs_kept, whole);
    if (new_orders)
        seen->last_new = seen->runs;
    rh_inner_end(&((struct spy *)state)->inner, w, run);
}
SPY(counting, "counts runs", count);

/* ---- a result ---------------------------------------------------------------------------------------------------- */

static void sentence(const char *test, const char *explorer, uint64_t most, char *text, size_t size, char *reached,
                     char *gaps)
{
    struct rh_semantics s = test_named(test)->semantics;
    s.granularity = RH_GRAIN_OBJECT;
    memset(seen, 0, sizeof *seen);
    struct rh_world *w = world_of(test, &s, NULL, 0);
    struct rh_exploration *x = explored(w, explorer, 1, most);
    x->explorer = ((struct spy *)x->explorer.state)->inner; /* the report does not see the spy */
    struct rh__result r = { .program = "p", .test = test, .explorer = explorer, .model = "bag", .x = x, .world = w };
    r.asked = s;
    struct rh__text t;
    rh__text_init(&t, text, size);
    rh__result_sentence(&r, &t);
    rh__text_init(&t, reached, size);
    rh__result_reached(&r, &t);
    rh__text_init(&t, gaps, size);
    rh__result_gaps(&r, &t);
    assert_int_equal(x->results->count.runs, seen->runs);
    rh__exploration_free(x);
    rh_world_free(w);
}

static uint64_t number_before(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    uint64_t n = 0, ten = 1;
    if (!at || at == text)
        fail_msg("\"%s\" has no \"%s\"", text, word);
    while (at > text && (at[-1] == ' ' || at[-1] == '`'))
        at--;
    for (; at > text && strchr("0123456789,", at[-1]); at--)
        if (at[-1] != ',') {
            n += ten * (uint64_t)(at[-1] - '0');
            ten *= 10;
        }
    return n;
}

/* Three messages in any order, one of which may be lost: 6 + 3 * 2 ways. */
static void an_exhaustive_verdict_counts_every_run(void **unused)
{
    (void)unused;
    char text[1024], reached[1024], gaps[1024];
    static const char *const explorers[] = { "counting(dfs)", "counting(dpor)", "counting(optimal)" };
    for (int i = 0; i < 3; i++) {
        sentence("small", explorers[i], 0, text, sizeof text, reached, gaps);
        print_message("%s: %s; reached %s; gaps %s\n", explorers[i], text, reached, gaps);
        assert_int_equal(number_before(text, " distinct runs"), 12);
        assert_int_equal(seen->runs_kept, 12);
        assert_non_null(strstr(text, "(bag, 1 loss)"));
        assert_non_null(strstr(gaps, "`nothing came`"));
        assert_null(strstr(reached, "nothing came"));
        if (i)
            continue;
        assert_true(seen->runs >= 12);
    }
    assert_int_equal(seen->runs, 12);
    /* a came first: abc acb, ab ac with one lost: 4 of 12.  b before c: first b, then c somewhere: bac bca bc: 3. */
    assert_non_null(strstr(reached, "`a came first` in 4 runs"));
    assert_non_null(strstr(reached, "`b before c` in 3 runs"));
}

static void a_sampled_verdict_counts_runs_distinct_ones_and_orders(void **unused)
{
    (void)unused;
    char text[1024], reached[1024], gaps[1024];
    static const uint64_t most[] = { 2, 50, 3000 };
    for (int i = 0; i < 3; i++) {
        sentence("large", "counting(random)", most[i], text, sizeof text, reached, gaps);
        print_message("%s\n", text);
        assert_int_equal(number_before(text, " runs of an"), most[i]);
        assert_int_equal(seen->runs, most[i]);
        assert_int_equal(number_before(text, " distinct"), seen->runs_kept);
    }
}

static void what_auto_says_of_orders_was_counted(void **unused)
{
    (void)unused;
    char text[1024], reached[1024], gaps[1024], wanted[256];
    uint32_t one_way = 0, both = 0;
    sentence("large", "counting(auto)", 3000, text, sizeof text, reached, gaps);
    print_message("%s\n", text);
    for (uint32_t i = 0; i < seen->orders; i++)
        for (uint32_t k = 0; seen->of_two[i] && k <= seen->orders; k++)
            if (k == seen->orders)
                one_way++;
            else if (seen->order[k] == seen->other_way[i]) {
                both++;
                break;
            }
    snprintf(wanted, sizeof wanted, "; %u of %u pairs of message types at an actor came in both orders", both / 2,
             one_way + both / 2);
    assert_non_null(strstr(text, wanted));
    assert_int_equal(number_before(text, " runs, "), 3000);
    assert_int_equal(number_before(strstr(text, "no new order"), " run"), 3000 - seen->last_new);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EXPLORE_TEST(an_exhaustive_verdict_counts_every_run),
        EXPLORE_TEST(a_sampled_verdict_counts_runs_distinct_ones_and_orders),
        EXPLORE_TEST(what_auto_says_of_orders_was_counted),
    };
    seen = rh_shared_new(sizeof *seen);
    return seen ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}

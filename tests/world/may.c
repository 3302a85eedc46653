/* Whom faults may befall: .may_crash and .may_lose of a test. */
#include <rehearse/explorer.h>
#include <rehearse/test.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

RH_MESSAGE(ask_for, rh_ref client;);
RH_MESSAGE(given);
RH_ACTOR(server);
RH_HANDLER(server, ask_for)
{
    rh_send(msg->client, given);
}
RH_BEHAVIOUR(server, open, ask_for);
RH_ACTOR(client, rh_ref server;);
RH_HANDLER(client, rh_start)
{
    rh_send(state->server, ask_for, .client = self);
}
RH_HANDLER(client, given)
{
}
RH_BEHAVIOUR(client, open, rh_start, given);
static void start(void)
{
    rh_spawn(client, .server = rh_spawn(server));
}

RH_TEST(all, .losses = 1, .duplicates = 1, .crashes = 1)
{
    start();
}
RH_TEST(servers_crash, .crashes = 1, .may_crash = RH_ACTORS(server))
{
    start();
}
RH_TEST(clients_and_servers_crash, .crashes = 1, .may_crash = RH_ACTORS(server, client))
{
    start();
}
RH_TEST(servers_lose, .losses = 1, .duplicates = 1, .may_lose = RH_ACTORS(server))
{
    start();
}

/* Which faults were offered to which type, in all runs. */
struct offered {
    uint32_t crash[2], lose[2], duplicate[2];
};

static void search(struct rh_world *w, struct offered *o)
{
    uint32_t n;
    const struct rh_choice *open = rh_world_enabled(w, &n);
    struct rh_choice copy[64];
    assert_in_range(n, 0, 64);
    memcpy(copy, open, n * sizeof *copy);
    for (uint32_t i = 0; i < n; i++) {
        bool is_client = copy[i].actor != RH_NONE && rh_world_actor_type(w, copy[i].actor) == &rh_actor_client;
        o->crash[is_client] += copy[i].kind == RH_CHOICE_CRASH;
        o->lose[is_client] += copy[i].kind == RH_CHOICE_LOSE;
        o->duplicate[is_client] += copy[i].kind == RH_CHOICE_DUPLICATE;
        assert_true(rh_world_step(w, &copy[i]));
        search(w, o);
        assert_true(rh_world_undo(w));
    }
}

static struct offered offered_in(const char *name, enum rh_granularity granularity)
{
    const struct rh_test *t = rh_test_first();
    char error[256];
    while (strcmp(t->name, name) != 0)
        t = t->next;
    struct rh_semantics s = t->semantics;
    s.granularity = granularity;
    struct rh_world_options options = { .test = t, .semantics = &s, .quiet = true };
    struct rh_world *w = rh_world_new(&options, error, sizeof error);
    assert_non_null(w);
    rh_world_begin(w);
    struct offered o = { 0 };
    search(w, &o);
    rh_world_free(w);
    return o;
}

static const enum rh_granularity granularities[] = { RH_GRAIN_HANDLER, RH_GRAIN_OBJECT };

static void faults_befall_all_where_nothing_is_said(void **unused)
{
    (void)unused;
    for (int g = 0; g < 2; g++) {
        struct offered o = offered_in("all", granularities[g]);
        assert_true(o.crash[0] && o.crash[1] && o.lose[0] && o.lose[1] && o.duplicate[0] && o.duplicate[1]);
    }
}

static void only_those_named_crash(void **unused)
{
    (void)unused;
    for (int g = 0; g < 2; g++) {
        struct offered one = offered_in("servers_crash", granularities[g]),
                       both = offered_in("clients_and_servers_crash", granularities[g]);
        assert_true(one.crash[0] && !one.crash[1]);
        assert_true(both.crash[0] && both.crash[1]);
    }
}

static void only_what_is_sent_to_those_named_is_lost_or_doubled(void **unused)
{
    (void)unused;
    for (int g = 0; g < 2; g++) {
        struct offered o = offered_in("servers_lose", granularities[g]);
        assert_true(o.lose[0] && !o.lose[1] && o.duplicate[0] && !o.duplicate[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_befall_all_where_nothing_is_said),
        cmocka_unit_test(only_those_named_crash),
        cmocka_unit_test(only_what_is_sent_to_those_named_is_lost_or_doubled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

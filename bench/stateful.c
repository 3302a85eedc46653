/* What the explorer stateful costs, over the protocols of bench/peers/spin: states, transitions, transitions a second,
 * bytes a state.  Each program has the messages and handlers of its Promela model; a handler is one step, and ghost
 * variables are monitors.  scripts/spin-table puts SPIN's figures beside these. */
#include <rehearse/test.h>
#include <rehearse/world.h>

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench.h"
#include "explore/engine/engine.h"

RH_MESSAGE(begin);

/* ---- two-phase commit (tpc.pml) ---------------------------------------------------------------------------------- */

RH_MESSAGE(can_you);
RH_MESSAGE(vote, bool yes;);
RH_MESSAGE(verdict, bool commit;);
RH_MESSAGE(understood);
RH_MESSAGE(give_up);
RH_MESSAGE(has_done, uint8_t who; bool commit;);
RH_MONITOR(atomicity, uint8_t committed; uint8_t aborted;);
RH_HANDLER(atomicity, has_done)
{
    *(msg->commit ? &state->committed : &state->aborted) |= (uint8_t)(1 << msg->who);
    rh_assert(!state->committed || !state->aborted);
}
RH_BEHAVIOUR(atomicity, watching, has_done);

RH_ACTOR(part, uint8_t me; bool agreed;);
RH_HANDLER(part, can_you)
{
    state->agreed = rh_choose(2) == 0;
    if (!state->agreed)
        rh_announce(has_done, .who = state->me, .commit = false);
    rh_send(rh_sender(), vote, .yes = state->agreed);
}
RH_HANDLER(part, verdict)
{
    rh_assert(state->agreed || !msg->commit);
    rh_announce(has_done, .who = state->me, .commit = msg->commit);
    rh_send(rh_sender(), understood);
}
RH_BEHAVIOUR(part, ready, can_you, verdict);

RH_ACTOR(chair, uint8_t parts; uint8_t votes; uint8_t heard; bool decided; rh_ref part[8];);
static void decide(struct chair *c, bool commit)
{
    c->decided = true;
    rh_timer_cancel("votes");
    for (uint8_t i = 0; i < c->parts; i++)
        rh_send(c->part[i], verdict, .commit = commit);
}
RH_HANDLER(chair, begin)
{
    for (uint8_t i = 0; i < state->parts; i++)
        rh_send(state->part[i], can_you);
    rh_timer("votes", 10, give_up);
}
RH_HANDLER(chair, vote)
{
    if (!state->decided && (!msg->yes || ++state->votes == state->parts))
        decide(state, msg->yes);
}
RH_HANDLER(chair, give_up)
{
    if (!state->decided)
        decide(state, false);
}
RH_HANDLER(chair, understood)
{
    state->heard++;
}
RH_BEHAVIOUR(chair, presiding, begin, vote, give_up, understood);
RH_TEST(tpc, .model = RH_MAILBOX)
{
    struct chair c = { .parts = 4 };
    rh_observe(atomicity);
    for (uint8_t i = 0; i < c.parts; i++)
        c.part[i] = rh_spawn(part, .me = i);
    rh_send(rh_spawn_value(chair, &c), begin);
}

/* ---- philosophers (philo.pml) ------------------------------------------------------------------------------------ */

RH_MESSAGE(take);
RH_MESSAGE(give_back);
RH_MESSAGE(yours);
RH_ACTOR(fork_, bool taken; rh_ref next;);
RH_HANDLER(fork_, take)
{
    if (state->taken)
        state->next = rh_sender();
    else
        rh_send(rh_sender(), yours);
    state->taken = true;
}
RH_HANDLER(fork_, give_back)
{
    state->taken = !rh_is_nobody(state->next);
    if (state->taken)
        rh_send(state->next, yours);
    state->next = rh_nobody();
}
RH_BEHAVIOUR(fork_, lying, take, give_back);
RH_ACTOR(philosopher, rh_ref first; rh_ref second; bool half;);
RH_HANDLER(philosopher, begin)
{
    rh_send(state->first, take);
}
RH_HANDLER(philosopher, yours)
{
    state->half = !state->half;
    if (state->half) {
        rh_send(state->second, take);
    } else {
        rh_send(state->first, give_back);
        rh_send(state->second, give_back);
    }
}
RH_BEHAVIOUR(philosopher, thinking, begin, yours);
RH_TEST(philo, .model = RH_MAILBOX)
{
    enum { SEATS = 5 };
    rh_ref forks[SEATS], all[SEATS];
    for (int i = 0; i < SEATS; i++)
        forks[i] = rh_spawn(fork_);
    for (int i = 0; i < SEATS; i++) {
        rh_ref left = forks[i], right = forks[(i + 1) % SEATS];
        bool last = i == SEATS - 1; /* takes them in the other order */
        all[i] = rh_spawn(philosopher, .first = last ? right : left, .second = last ? left : right);
    }
    for (int i = 0; i < SEATS; i++)
        rh_send(all[i], begin);
}

/* ---- senders (senders.pml) --------------------------------------------------------------------------------------- */

RH_MESSAGE(parcel, uint8_t from;);
RH_ACTOR(addressee, uint8_t count; uint8_t order[8];);
RH_HANDLER(addressee, parcel)
{
    state->order[state->count++] = msg->from;
}
RH_BEHAVIOUR(addressee, receiving, parcel);
RH_ACTOR(origin, rh_ref to; uint8_t me;);
RH_HANDLER(origin, begin)
{
    rh_send(state->to, parcel, .from = state->me);
}
RH_BEHAVIOUR(origin, sending, begin);
RH_TEST(senders, .model = RH_MAILBOX)
{
    rh_ref to = rh_spawn(addressee), all[8];
    for (uint8_t i = 0; i < 8; i++)
        all[i] = rh_spawn(origin, .to = to, .me = (uint8_t)(i + 1));
    for (int i = 0; i < 8; i++)
        rh_send(all[i], begin);
}

/* ---- writer (writer.pml) ----------------------------------------------------------------------------------------- */

RH_MESSAGE(line, uint8_t from;);
RH_MESSAGE(close_file);
RH_MESSAGE(finished);
RH_ACTOR(file, bool closed; uint8_t lines;);
RH_HANDLER(file, line)
{
    rh_assert(!state->closed);
    state->lines++;
}
RH_HANDLER(file, close_file)
{
    state->closed = true;
}
RH_BEHAVIOUR(file, open, line, close_file);
RH_ACTOR(closer, rh_ref file; uint8_t left;);
RH_HANDLER(closer, finished)
{
    if (--state->left == 0)
        rh_send(state->file, close_file);
}
RH_BEHAVIOUR(closer, waiting, finished);
RH_ACTOR(task, rh_ref file; rh_ref closer; uint8_t me; uint8_t left;);
RH_HANDLER(task, begin)
{
    if (!state->left) {
        rh_send(state->closer, finished);
        return;
    }
    state->left--;
    rh_send(state->file, line, .from = state->me);
    rh_send(self, begin);
}
RH_BEHAVIOUR(task, working, begin);
RH_TEST(writer, .model = RH_MAILBOX)
{
    rh_ref f = rh_spawn(file), c = rh_spawn(closer, .file = f, .left = 3), all[3];
    for (uint8_t i = 0; i < 3; i++)
        all[i] = rh_spawn(task, .file = f, .closer = c, .me = i, .left = 3);
    for (int i = 0; i < 3; i++)
        rh_send(all[i], begin);
}

/* ---- store (kv.pml) ---------------------------------------------------------------------------------------------- */

RH_MESSAGE(swap_in, rh_ref client; uint8_t key; uint8_t value;);
RH_MESSAGE(swap_here, rh_ref client; uint8_t key; uint8_t value;);
RH_MESSAGE(swapped_here, rh_ref client; uint8_t old;);
RH_MESSAGE(swapped, uint8_t old;);
RH_ACTOR(shelf, uint8_t value[2];);
RH_HANDLER(shelf, swap_here)
{
    rh_send(rh_sender(), swapped_here, .client = msg->client, .old = state->value[msg->key]);
    state->value[msg->key] = msg->value;
}
RH_BEHAVIOUR(shelf, keeping, swap_here);
RH_ACTOR(desk, rh_ref shelf[2];);
RH_HANDLER(desk, swap_in)
{
    rh_send(state->shelf[msg->key % 2], swap_here, .client = msg->client, .key = msg->key, .value = msg->value);
}
RH_HANDLER(desk, swapped_here)
{
    rh_send(msg->client, swapped, .old = msg->old);
}
RH_BEHAVIOUR(desk, serving, swap_in, swapped_here);
RH_ACTOR(customer, rh_ref desk; uint8_t me; uint8_t round;);
static void ask_desk(struct customer *c, rh_ref self)
{
    rh_send(c->desk, swap_in, .client = self, .key = c->round % 2, .value = (uint8_t)(c->round * 16 + c->me + 1));
}
RH_HANDLER(customer, begin)
{
    ask_desk(state, self);
}
RH_HANDLER(customer, swapped)
{
    if (++state->round < 2)
        ask_desk(state, self);
}
RH_BEHAVIOUR(customer, asking, begin, swapped);
RH_TEST(kv, .model = RH_MAILBOX)
{
    rh_ref desks[2], all[4], one = rh_spawn(shelf), two = rh_spawn(shelf);
    for (int i = 0; i < 2; i++)
        desks[i] = rh_spawn(desk, .shelf = { one, two });
    for (uint8_t i = 0; i < 4; i++)
        all[i] = rh_spawn(customer, .desk = desks[i % 2], .me = i);
    for (int i = 0; i < 4; i++)
        rh_send(all[i], begin);
}

/* ---- Paxos (paxos.pml, NET) -------------------------------------------------------------------------------------- */

enum { JURORS = 3, MAJORITY = 2 };
RH_MESSAGE(ballot, uint8_t number;);
RH_MESSAGE(promise, uint8_t number; uint8_t value;);
RH_MESSAGE(accept_it, uint8_t number; uint8_t value;);
RH_MESSAGE(accepted, uint8_t number; uint8_t value;);
RH_MONITOR(consensus, uint8_t votes[4]; uint8_t chosen;);
RH_HANDLER(consensus, accepted)
{
    if (++state->votes[msg->number] != MAJORITY)
        return;
    rh_assert(!state->chosen || state->chosen == msg->value);
    state->chosen = msg->value;
}
RH_BEHAVIOUR(consensus, watching, accepted);
RH_ACTOR(juror, uint8_t promised; uint8_t number; uint8_t value;);
RH_HANDLER(juror, ballot)
{
    if (msg->number <= state->promised)
        return;
    state->promised = msg->number;
    rh_send(rh_sender(), promise, .number = state->number, .value = state->value);
}
RH_HANDLER(juror, accept_it)
{
    if (msg->number < state->promised)
        return;
    state->promised = state->number = msg->number;
    state->value = msg->value;
    rh_announce(accepted, .number = msg->number, .value = msg->value);
}
RH_BEHAVIOUR(juror, voting, ballot, accept_it);
RH_ACTOR(candidate, uint8_t me; uint8_t promises; uint8_t highest; uint8_t value; rh_ref jury[JURORS];);
RH_HANDLER(candidate, begin)
{
    state->value = state->me;
    for (int i = 0; i < JURORS; i++)
        rh_send(state->jury[i], ballot, .number = state->me);
}
RH_HANDLER(candidate, promise)
{
    if (state->promises == MAJORITY)
        return;
    if (msg->number > state->highest) {
        state->highest = msg->number;
        state->value = msg->value;
    }
    if (++state->promises < MAJORITY)
        return;
    for (int i = 0; i < JURORS; i++)
        rh_send(state->jury[i], accept_it, .number = state->me, .value = state->value);
    state->highest = state->value = 0;
}
RH_BEHAVIOUR(candidate, running, begin, promise);
RH_TEST(paxos)
{
    struct candidate c = { .me = 1 };
    uint32_t n = (uint32_t)rh_param("n", 2);
    rh_ref all[3];
    rh_observe(consensus);
    for (int i = 0; i < JURORS; i++)
        c.jury[i] = rh_spawn(juror);
    for (uint32_t i = 0; i < n; i++, c.me++)
        all[i] = rh_spawn_value(candidate, &c);
    for (uint32_t i = 0; i < n; i++)
        rh_send(all[i], begin);
}

/* ---- chain replication (chain.pml) ------------------------------------------------------------------------------- */

RH_MESSAGE(update, rh_ref client; uint8_t version;);
RH_MESSAGE(look_up, rh_ref client;);
RH_MESSAGE(version_is, uint8_t version;);
RH_MESSAGE(at_the_tail, uint8_t version;);
RH_MESSAGE(was_seen, uint8_t version;);
RH_MONITOR(freshness, uint8_t version;);
RH_HANDLER(freshness, at_the_tail)
{
    state->version = msg->version;
}
RH_HANDLER(freshness, was_seen)
{
    rh_assert(msg->version <= state->version);
}
RH_BEHAVIOUR(freshness, watching, at_the_tail, was_seen);
RH_ACTOR(link_, rh_ref next; bool head; uint8_t version;);
RH_HANDLER(link_, update)
{
    rh_assert(state->head || msg->version == state->version + 1);
    state->version++;
    if (!rh_is_nobody(state->next)) {
        rh_send(state->next, update, .client = msg->client, .version = state->version);
        return;
    }
    rh_announce(at_the_tail, .version = state->version);
    rh_send(msg->client, version_is, .version = state->version);
}
RH_HANDLER(link_, look_up)
{
    rh_send(msg->client, version_is, .version = state->version);
}
RH_BEHAVIOUR(link_, linked, update, look_up);
RH_ACTOR(user, rh_ref head; rh_ref tail; uint8_t writes; uint8_t last;);
RH_HANDLER(user, begin)
{
    rh_send(state->head, update, .client = self);
}
RH_HANDLER(user, version_is)
{
    rh_assert(msg->version >= state->last);
    rh_announce(was_seen, .version = msg->version);
    state->last = msg->version;
    state->writes++;
    if (state->writes < 3)
        rh_send(state->head, update, .client = self);
    else if (state->writes == 3)
        rh_send(state->tail, look_up, .client = self);
}
RH_BEHAVIOUR(user, writing, begin, version_is);
RH_TEST(chain, .model = RH_MAILBOX)
{
    rh_ref tail = rh_spawn(link_), middle = rh_spawn(link_, .next = tail);
    rh_ref head = rh_spawn(link_, .next = middle, .head = true), all[3];
    rh_observe(freshness);
    for (int i = 0; i < 3; i++)
        all[i] = rh_spawn(user, .head = head, .tail = tail);
    for (int i = 0; i < 3; i++)
        rh_send(all[i], begin);
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

static double children_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* Processor seconds of one whole search; `notes` are its notes. */
static double search(const char *explorer, const char *test, const char *n, char *notes, size_t size)
{
    char error[256];
    struct rh_param params[] = { { "n", n } };
    const struct rh_test *t = rh_test_first();
    while (t && strcmp(t->name, test) != 0)
        t = t->next;
    struct rh_world_options o = { .test = t, .params = params, .param_count = *n != 0, .quiet = true };
    struct rh__limits limits = { 0 };
    struct rh_world *w = rh_world_new(&o, error, sizeof error);
    struct rh_exploration *x = w ? rh__exploration_new(w, explorer, 1, &limits, error, sizeof error) : NULL;
    if (!x) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    double from = children_seconds();
    if (!rh__explore(x) || x->results->finding_count || rh__exploration_verdict(x) != RH_VERDICT_EXHAUSTIVE) {
        fprintf(stderr, "%s: %s\n", test,
                x->results->finding_count ? x->results->findings[0].outcome.text : "the search is not exhaustive");
        exit(1);
    }
    double seconds = children_seconds() - from;
    rh_inner_notes(&x->explorer, notes, size);
    rh__exploration_free(x);
    rh_world_free(w);
    return seconds;
}

static void measure(const char *explorer, const char *test, const char *n)
{
    char notes[1024], name[32];
    unsigned long long states, transitions;
    double best = search(explorer, test, n, notes, sizeof notes),
           second = search(explorer, test, n, notes, sizeof notes);
    const char *bytes = strstr(notes, "depth ");
    best = second < best ? second : best;
    snprintf(name, sizeof name, "%s%s%s", test, *n ? "-" : "", n);
    if (sscanf(notes, "%llu states, %llu transitions", &states, &transitions) != 2 || !bytes)
        exit(1);
    printf("%-10s %10llu %12llu %8.3f %8.2f %8.1f\n", name, states, transitions, best,
           (double)transitions / best * 1e-6, strtod(strchr(bytes, ',') + 2, NULL));
    fflush(stdout);
}

/* stateful [EXPLORER [PROGRAM]]: all programs, or one; with `stateful`, or another explorer that reports states. */
int main(int count, char **arguments)
{
    static const char *const rows[][3] = {
        { "tpc", "tpc", "" }, { "philo", "philo", "" },    { "senders", "senders", "" }, { "writer", "writer", "" },
        { "kv", "kv", "" },   { "paxos-2", "paxos", "2" }, { "paxos-3", "paxos", "3" },  { "chain", "chain", "" },
    };
    const char *explorer = count > 1 ? arguments[1] : "stateful", *only = count > 2 ? arguments[2] : NULL;
    printf("%-10s %10s %12s %8s %8s %8s\n", "stateful", "states", "transitions", "cpu s", "M/s", "B/state");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!only || strcmp(only, rows[i][0]) == 0)
            measure(explorer, rows[i][1], rows[i][2]);
    return 0;
}

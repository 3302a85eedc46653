/* All replicas apply the same commands in the same order, whatever crashes, is lost or comes twice. */
#include <rehearse/test.h>

#include "multipaxos.h"

RH_PARAM(replicas, "3", "how many replicas there are");
RH_PARAM(clients, "2", "how many clients append commands");
RH_PARAM(commands, "1", "how many commands each of them appends");
RH_PARAM(elections, "2", "how often a replica wants to lead at most");
RH_PARAM(tries, "3", "how often a client asks for a command at most");
RH_BUG(own_log, "a new leader does not know of slots that others have accepted, and uses them again");
RH_BUG(keeps_promise, "a replica that has accepted a ballot accepts an older one");
RH_BUG(mixed_ballots, "acceptances of two ballots make a majority");

/* ---- the specification ------------------------------------------------------------------------------------------- */
enum { MOST_BALLOTS = 64, SEEN_SLOTS = 12 };
struct seen_slot {
    uint32_t votes[MOST_BALLOTS];
    struct command commands[MOST_BALLOTS], chosen;
    bool is_chosen;
    uint32_t latest[MOST_REPLICAS]; /* the ballot of each replica's last vote */
};
RH_MONITOR(one_log, int replicas; struct seen_slot slots[SEEN_SLOTS]; int next[MOST_REPLICAS];);

static bool same_command(struct command a, struct command b)
{
    return a.key == b.key && a.value == b.value;
}

RH_HANDLER(one_log, mp_voted)
{
    rh_assert(msg->slot < SEEN_SLOTS && msg->ballot < MOST_BALLOTS, "slot %d, ballot %u: too many", msg->slot,
              msg->ballot);
    struct seen_slot *s = &state->slots[msg->slot];
    struct command *c = &s->commands[msg->ballot];
    rh_assert(!s->votes[msg->ballot] || same_command(*c, msg->command), "ballot %u has two commands for slot %d",
              msg->ballot, msg->slot);
    rh_assert(msg->ballot >= s->latest[msg->replica], "replica %d votes in ballot %u for slot %d, after ballot %u",
              msg->replica, msg->ballot, msg->slot, s->latest[msg->replica]);
    *c = msg->command;
    s->latest[msg->replica] = msg->ballot;
    s->votes[msg->ballot] |= 1u << msg->replica;
    if (2 * __builtin_popcount(s->votes[msg->ballot]) <= state->replicas)
        return;
    rh_assert(!s->is_chosen || same_command(s->chosen, *c),
              "slot %d: %d = %d was chosen, and %d = %d is chosen in "
              "ballot %u",
              msg->slot, s->chosen.key, s->chosen.value, c->key, c->value, msg->ballot);
    s->is_chosen = true;
    s->chosen = *c;
}
RH_HANDLER(one_log, mp_learned)
{
    const struct seen_slot *s = &state->slots[msg->slot];
    rh_assert(s->is_chosen, "replica %d takes %d = %d for chosen in slot %d, and no majority has voted for it",
              msg->replica, msg->command.key, msg->command.value, msg->slot);
    rh_assert(same_command(s->chosen, msg->command), "replica %d learns %d = %d for slot %d, which has %d = %d",
              msg->replica, msg->command.key, msg->command.value, msg->slot, s->chosen.key, s->chosen.value);
}
/* A replica that has crashed applies its log again from the beginning. */
RH_HANDLER(one_log, mp_applied)
{
    rh_assert(msg->slot == 0 || msg->slot == state->next[msg->replica], "replica %d applies slot %d instead of %d",
              msg->replica, msg->slot, state->next[msg->replica]);
    state->next[msg->replica] = msg->slot + 1;
}
RH_BEHAVIOUR(one_log, watching, mp_voted, mp_learned, mp_applied);

/* ---- tests ------------------------------------------------------------------------------------------------------- */
static int within(const char *name, int otherwise, int least, int most)
{
    int64_t value = rh_param(name, otherwise);
    rh_assert(value >= least && value <= most, "%d to %d %s, not %d", least, most, name, (int)value);
    return (int)value;
}

static void start_log(void)
{
    struct mp_flaws flaws = { .own_log = rh_bug("own_log"),
                              .keeps_promise = rh_bug("keeps_promise"),
                              .mixed_ballots = rh_bug("mixed_ballots") };
    int replicas = within("replicas", 3, 1, MOST_REPLICAS), clients = within("clients", 2, 1, 4);
    int commands = within("commands", 1, 1, 2);
    rh_observe(one_log, .replicas = replicas);
    for (int i = 0; i < replicas; i++)
        rh_spawn(replica, .number = i, .count = replicas, .timeout_ms = 50,
                 .most_elections = within("elections", 2, 1, 2), .flaws = flaws);
    for (int i = 0; i < clients; i++)
        rh_spawn(mp_client, .first = 1 + i * commands, .commands = commands, .replicas = replicas, .value = 100 + i,
                 .timeout_ms = 200, .tries = within("tries", 3, 1, 8));
}

RH_TEST(leaders_change, .model = RH_BAG)
{
    start_log();
}
RH_TEST(a_replica_fails, .model = RH_BAG, .crashes = 1, .restarts = 1, .may_crash = RH_ACTORS(replica))
{
    start_log();
}
RH_TEST(the_network_fails, .model = RH_BAG, .losses = 1, .duplicates = 1, .may_lose = RH_ACTORS(replica))
{
    start_log();
}

RH_MAIN()

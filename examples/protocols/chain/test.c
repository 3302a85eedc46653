/* An answered update is at every server of the chain, each update is applied once and in the same order, queries never
 * go back in time, and every request is answered, as long as one server is left. */
#include <rehearse/test.h>

#include "chain.h"

RH_PARAM(servers, "by test", "how many servers the chain has");
RH_PARAM(spares, "by test", "how many servers join it");
RH_PARAM(clients, "2", "how many clients there are");
RH_PARAM(requests, "by test", "how many requests each of them makes");
RH_BUG(no_resend, "a server does not send its new successor what that lacks");
RH_BUG(applies_twice, "a server applies an update that it already has");
RH_BUG(mute_tail, "a server that becomes the tail does not answer what the old tail may have left");
RH_BUG(counts_acks, "a server counts acknowledgements, and two may be for the same update");
RH_BUG(answers_again, "the head answers a repeated update before the tail has it");
RH_BUG(old_tail_answers, "a tail that has handed over goes on answering queries");
RH_BUG(forgets_requests, "a new head does not know the requests that the old one has taken");
RH_BUG(two_neighbours, "two neighbours fail after start-up, and the chain is repaired for one of them");
RH_BUG(stale_report, "what a server has answered to an earlier order is taken for its answer to the latest");
RH_BUG(tells_clients_first, "clients hear of a new tail before that one knows");

/* ---- the specification ------------------------------------------------------------------------------------------- */
enum { MOST_SEEN = 32 };
struct seen_server {
    bool in_chain;
    uint32_t last;
    struct {
        int client;
        uint32_t request;
    } history[MOST_SEEN];
};
RH_MONITOR(linear, struct seen_server servers[MOST_SERVERS]; uint32_t stable; uint32_t floor[MOST_CLIENTS];);

RH_HANDLER(linear, ch_in_chain)
{
    state->servers[msg->server].in_chain = true;
}
RH_HANDLER(linear, ch_failed)
{
    state->servers[msg->server].in_chain = false;
}
RH_HANDLER(linear, ch_copied)
{
    state->servers[msg->server] = state->servers[msg->from];
    state->servers[msg->server].in_chain = false;
    state->servers[msg->server].last = msg->last; /* when the copy was made */
}
RH_HANDLER(linear, ch_applied)
{
    struct seen_server *s = &state->servers[msg->server];
    rh_assert(msg->update.sequence == s->last + 1, "server %d applies update %u after update %u", msg->server,
              msg->update.sequence, s->last);
    rh_assert(msg->update.sequence < MOST_SEEN, "more than %d updates", MOST_SEEN - 1);
    for (uint32_t i = 1; i <= s->last; i++)
        rh_assert(s->history[i].client != msg->update.client || s->history[i].request != msg->update.request,
                  "server %d applies request %u of client %d twice", msg->server, msg->update.request,
                  msg->update.client);
    s->last = msg->update.sequence;
    s->history[s->last].client = msg->update.client;
    s->history[s->last].request = msg->update.request;
}
RH_HANDLER(linear, ch_replied)
{
    for (int i = 0; i < MOST_SERVERS; i++) {
        const struct seen_server *s = &state->servers[i];
        rh_assert(!s->in_chain || (msg->sequence <= s->last && s->history[msg->sequence].client == msg->client &&
                                   s->history[msg->sequence].request == msg->request),
                  "request %u of client %d is answered as update %u, but server %d does not have it", msg->request,
                  msg->client, msg->sequence, i);
    }
    state->stable = msg->sequence > state->stable ? msg->sequence : state->stable;
}
RH_HANDLER(linear, ch_read_begins)
{
    state->floor[msg->client] = state->stable;
}
RH_HANDLER(linear, ch_read_ends)
{
    rh_assert(msg->sequence >= state->floor[msg->client],
              "client %d reads update %u; update %u was there before it asked", msg->client, msg->sequence,
              state->floor[msg->client]);
    state->stable = msg->sequence > state->stable ? msg->sequence : state->stable;
}
RH_BEHAVIOUR(linear, watching, ch_in_chain, ch_failed, ch_copied, ch_applied, ch_replied, ch_read_begins, ch_read_ends);

/* ---- tests ------------------------------------------------------------------------------------------------------- */
static int within(const char *name, int otherwise, int least, int most)
{
    int64_t value = rh_param(name, otherwise);
    rh_assert(value >= least && value <= most, "%d to %d %s, not %d", least, most, name, (int)value);
    return (int)value;
}

static void start_chain(int servers, int spares, int requests, bool reads)
{
    struct ch_flaws flaws = { .no_resend = rh_bug("no_resend"),
                              .applies_twice = rh_bug("applies_twice"),
                              .mute_tail = rh_bug("mute_tail"),
                              .counts_acks = rh_bug("counts_acks"),
                              .answers_again = rh_bug("answers_again"),
                              .old_tail_answers = rh_bug("old_tail_answers"),
                              .forgets_requests = rh_bug("forgets_requests"),
                              .two_neighbours = rh_bug("two_neighbours"),
                              .stale_report = rh_bug("stale_report"),
                              .tells_clients_first = rh_bug("tells_clients_first") };
    struct master m = { .count = within("servers", servers, 1, MOST_SERVERS), .flaws = flaws };
    m.spare_count = within("spares", spares, 0, MOST_SERVERS - m.count);
    int clients = within("clients", 2, 1, MOST_CLIENTS);
    rh_observe(linear);
    for (int i = 0; i < m.count; i++)
        m.chain[i] = (struct member){ .number = i, .server = rh_spawn(server, .number = i, .flaws = flaws) };
    for (int i = 0; i < m.spare_count; i++)
        m.spares[i] =
            (struct member){ .number = m.count + i, .server = rh_spawn(server, .number = m.count + i, .flaws = flaws) };
    rh_ref master = rh_spawn_value(master, &m);
    for (int i = 0; i < clients; i++)
        rh_spawn(ch_client, .number = i, .master = master, .requests = within("requests", requests, 1, 8),
                 .reads = reads && i % 2);
}

RH_TEST(servers_fail, .crashes = 2, .may_crash = RH_ACTORS(server))
{
    start_chain(4, 0, 2, false);
}
RH_TEST(a_server_joins, .crashes = 1, .may_crash = RH_ACTORS(server))
{
    start_chain(2, 1, 2, true);
}
RH_TEST(messages_come_twice, .duplicates = 1, .crashes = 1, .may_crash = RH_ACTORS(server),
        .may_lose = RH_ACTORS(server))
{
    start_chain(3, 0, 2, false);
}

RH_MAIN()

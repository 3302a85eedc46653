/* See messenger.h.  Users find the server by its name, "messenger".  The server monitors its users and logs off a user
 * who ends without logging off.
 *
 * Bug hasty: a listener ends as soon as it has asked to be logged off; lines on their way to it are lost.
 * Bug by_name: when a user has ended, the server closes the session of that name, which may be a newer session. */
#include "messenger.h"

#include <string.h>

/* ---- server ------------------------------------------------------------------------------------------------------ */
struct session {
    struct name name;
    rh_ref user;
    bool open;
};

static struct session *open_session(struct session *sessions, int count, const struct name *name)
{
    for (int i = 0; i < count; i++)
        if (sessions[i].open && strcmp(sessions[i].name.text, name->text) == 0)
            return &sessions[i];
    return NULL;
}

static void close_sessions(struct session *sessions, int count, rh_ref user, bool by_name)
{
    for (int i = 0; i < count; i++)
        if (rh_same(sessions[i].user, user)) {
            struct session *s = by_name ? open_session(sessions, count, &sessions[i].name) : &sessions[i];
            if (s)
                s->open = false;
        }
}

RH_BODY(server)
{
    struct session sessions[MOST_SESSIONS] = { { .open = false } };
    int count = 0;
    for (;;) {
        const struct rh_envelope *e = rh_receive_any(.types = RH_TYPES(logon, logoff, say, rh_down), .idle = true);
        const struct logon *on = rh_as(e, logon);
        const struct say *line = rh_as(e, say);
        const struct rh_down *down = rh_as(e, rh_down);
        if (on) {
            bool yes = !open_session(sessions, count, &on->name) && count < MOST_SESSIONS;
            if (yes) {
                sessions[count++] = (struct session){ .name = on->name, .user = e->sender, .open = true };
                rh_monitor(e->sender);
            }
            rh_reply(answer, .yes = yes);
        } else if (line) {
            const struct session *to = open_session(sessions, count, &line->to);
            if (to) {
                rh_announce(promised, .line = line->line);
                rh_send(to->user, said, .line = line->line);
            }
            rh_reply(answer, .yes = to != NULL);
        } else if (down) {
            close_sessions(sessions, count, down->who, state->by_name);
        } else {
            close_sessions(sessions, count, e->sender, false);
            rh_reply(answer, .yes = true);
        }
    }
}

/* ---- users ------------------------------------------------------------------------------------------------------- */
static rh_ref log_on(struct name name)
{
    rh_ref server = rh_whereis("messenger");
    rh_assert(rh_ask(server, logon, answer, .name = name)->yes, "%s cannot log on", name.text);
    return server;
}

/* Logs on and off again, and reads every line that comes before the answer to logoff. */
RH_BODY(listener)
{
    rh_ref server = log_on(state->name);
    rh_send(server, logoff);
    while (!state->hasty) {
        const struct rh_envelope *e = rh_receive_any(.types = RH_TYPES(said, answer));
        if (rh_as(e, answer))
            break;
        rh_announce(was_read, .line = rh_as(e, said)->line);
    }
}

RH_BODY(talker)
{
    rh_ref server = log_on(state->name);
    for (int line = 1; line <= state->lines; line++)
        rh_ask(server, say, answer, .to = state->to, .line = line);
    rh_ask(server, logoff, answer);
}

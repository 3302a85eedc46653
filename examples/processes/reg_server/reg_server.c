/* See reg_server.h. */
#include "reg_server.h"

static int place_of(const struct reg_server *s, rh_ref who)
{
    int i = 0;
    while (i < MOST_ATTACHED && !rh_same(s->attached[i], who))
        i++;
    return i;
}

static int attach(struct reg_server *s, rh_ref who)
{
    int i = place_of(s, who);
    if (i < MOST_ATTACHED)
        return i;
    i = place_of(s, rh_nobody());
    if (i == MOST_ATTACHED)
        return SERVER_FULL;
    s->attached[i] = who;
    rh_monitor(who);
    return i;
}

RH_BODY(reg_server)
{
    for (;;) {
        const struct rh_envelope *e = rh_receive_any(.types = RH_TYPES(request, rh_down, never_mind));
        const struct request *r = rh_as(e, request);
        if (rh_as(e, never_mind))
            return;
        if (!r) {
            int i = place_of(state, rh_as(e, rh_down)->who);
            if (i < MOST_ATTACHED)
                state->attached[i] = rh_nobody();
        } else if (r->what == ATTACH) {
            rh_reply(reply, .number = attach(state, e->sender));
        } else if (r->what == PING) {
            int i = place_of(state, e->sender);
            rh_reply(reply, .number = i < MOST_ATTACHED ? i : NOT_ATTACHED);
        } else {
            rh_unregister("reg_server");
            rh_reply(reply, .number = DONE);
            return;
        }
    }
}

bool start_server(void)
{
    if (!rh_is_nobody(rh_whereis("reg_server")))
        return false;
    rh_ref s = rh_spawn(reg_server);
    if (rh_register("reg_server", s))
        return true;
    rh_send(s, never_mind);
    return false;
}

int ask_server(int what)
{
    rh_ref s = rh_whereis("reg_server");
    if (rh_is_nobody(s))
        return SERVER_DOWN;
    rh_monitor(s);
    rh_send(s, request, .what = what);
    const struct rh_envelope *e = rh_receive_any(.types = RH_TYPES(reply, rh_down), .from = s);
    const struct reply *answer = rh_as(e, reply);
    if (!answer)
        return SERVER_DOWN;
    int number = answer->number;
    rh_demonitor(s);
    return number;
}

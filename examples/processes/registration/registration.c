/* See registration.h.
 *
 * A request looks the server up, monitors it, sends, and waits for the answer or for the end of the server: the
 * server may end between any two of these steps.  A start does not look first: of several servers one gets the name,
 * and the others go. */
#include "registration.h"

#include <string.h>

struct reg_bugs reg_bugs;

/* ---- the server -------------------------------------------------------------------------------------------------- */
static int place_of(const struct server *s, rh_ref who)
{
    int i = 0;
    while (i < REG_PLACES && !rh_same(s->attached[i], who))
        i++;
    return i;
}

static int attach_process(struct server *s, rh_ref who)
{
    int i = place_of(s, who);
    if (i < REG_PLACES)
        return i;
    i = place_of(s, rh_nobody());
    if (i == REG_PLACES)
        return REG_FULL;
    s->attached[i] = who;
    if (!reg_bugs.no_monitor)
        rh_monitor(who);
    return i;
}

static void free_place(struct server *s, int i)
{
    s->attached[i] = rh_nobody();
    for (int k = 0; k < REG_PLACES; k++)
        if (!rh_is_nobody(s->attached[k]))
            return;
    for (; s->waiting > 0; s->waiting--)
        rh_reply_to(s->drains[s->waiting - 1], answer);
}

static int detach_process(struct server *s, rh_ref who, int i)
{
    if (i < 0 || i >= REG_PLACES || rh_is_nobody(s->attached[i]) ||
        (!reg_bugs.stranger && !rh_same(s->attached[i], who)))
        return REG_UNKNOWN;
    rh_demonitor(s->attached[i]);
    free_place(s, i);
    return i;
}

static void drain_later(struct server *s)
{
    if (place_of(s, rh_nobody()) == 0 && REG_PLACES > 1 && rh_is_nobody(s->attached[1]))
        rh_reply(answer);
    else if (s->waiting < (int)(sizeof s->drains / sizeof *s->drains))
        s->drains[s->waiting++] = rh_keep_request();
    else
        rh_reply(answer, .number = REG_FULL);
}

RH_BODY(server)
{
    for (;;) {
        const struct rh_envelope *e =
            rh_receive_any(.types = RH_TYPES(attach, detach, ping, drain, stop, rh_down), .idle = true);
        if (rh_as(e, stop)) {
            return;
        } else if (rh_as(e, rh_down)) {
            int i = place_of(state, rh_as(e, rh_down)->who);
            bool never_was = reg_bugs.noproc && !strcmp(rh_as(e, rh_down)->reason, "noproc");
            if (i < REG_PLACES && !never_was)
                free_place(state, i);
        } else if (rh_as(e, attach)) {
            rh_reply(answer, .number = attach_process(state, e->sender));
        } else if (rh_as(e, detach)) {
            rh_reply(answer, .number = detach_process(state, e->sender, rh_as(e, detach)->number));
        } else if (rh_as(e, ping)) {
            int i = place_of(state, e->sender);
            rh_reply(answer, .number = i < REG_PLACES ? i : REG_UNKNOWN);
        } else {
            drain_later(state);
        }
    }
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */
bool reg_start(void)
{
    if (reg_bugs.start_twice && !rh_is_nobody(rh_whereis("registration")))
        return false;
    rh_ref s = rh_spawn(server);
    bool first = rh_register("registration", s);
    rh_assert(first || !reg_bugs.start_twice, "the name was free a moment ago");
    if (!first)
        rh_send(s, stop);
    return first;
}

bool reg_stop(void)
{
    rh_ref s = rh_whereis("registration");
    if (rh_is_nobody(s))
        return false;
    if (!reg_bugs.hasty_stop)
        rh_monitor(s);
    rh_send(s, stop);
    if (!reg_bugs.hasty_stop)
        rh_join(s);
    return true;
}

/* The answer's number; REG_STOPPED if the server ends before it answers. */
static int number_from(rh_ref s)
{
    const struct rh_envelope *e = rh_receive_any(.types = RH_TYPES(answer, rh_down), .from = s);
    if (rh_as(e, rh_down))
        return REG_STOPPED;
    int number = rh_as(e, answer)->number;
    if (!reg_bugs.unwatched)
        rh_demonitor(s);
    return number;
}

static rh_ref server_to_ask(void)
{
    rh_ref s = rh_whereis("registration");
    if (!rh_is_nobody(s) && !reg_bugs.unwatched)
        rh_monitor(s);
    return s;
}

int reg_attach(void)
{
    rh_ref s = server_to_ask();
    if (rh_is_nobody(s))
        return REG_STOPPED;
    rh_send(s, attach);
    return number_from(s);
}

void reg_attach_async(void)
{
    rh_send_to_name("registration", attach);
}

bool reg_detach(int number)
{
    rh_ref s = server_to_ask();
    if (rh_is_nobody(s))
        return false;
    rh_send(s, detach, .number = number);
    return number_from(s) >= 0;
}

int reg_ping(void)
{
    rh_ref s = server_to_ask();
    if (rh_is_nobody(s))
        return REG_STOPPED;
    rh_send(s, ping);
    return number_from(s);
}

bool reg_drain(void)
{
    rh_ref s = server_to_ask();
    if (rh_is_nobody(s))
        return false;
    rh_send(s, drain);
    return number_from(s) >= 0;
}

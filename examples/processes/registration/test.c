/* The registration server, used by two or three processes at once.  The first two tests are those of [Concuerror
 * 2013, VII]. */
#include <rehearse/test.h>

#include "registration.h"

RH_BUG(start_twice, "start looks for the name first, and trusts what it saw");
RH_BUG(noproc, "a process that ends before it is attached keeps its place");
RH_BUG(no_monitor, "a process that ends keeps its place");
RH_BUG(stranger, "a process may detach another one");
RH_BUG(hasty_stop, "stop does not wait for the end of the server");
RH_BUG(unwatched, "a request does not notice that the server has ended");

/* What a helper of a test does; it tells the test when it is done. */
enum role { ATTACH, ATTACH_AND_PING, ATTACH_AND_GO, ATTACH_UNHEARD, DETACH_TWICE, START, STOP };
RH_MESSAGE(done, int number;);
RH_PROCESS(helper, enum role role; rh_ref test;);

RH_BODY(helper)
{
    int number = REG_UNKNOWN;
    switch (state->role) {
    case ATTACH:
    case ATTACH_AND_GO:
        number = reg_attach();
        break;
    case ATTACH_AND_PING:
        number = reg_attach();
        rh_assert(number < 0 || reg_ping() == number, "attached, but not known");
        break;
    case ATTACH_UNHEARD:
        reg_attach_async();
        break;
    case DETACH_TWICE:
        number = reg_attach();
        rh_assert(reg_detach(number), "attached, but cannot detach");
        reg_detach(number);
        break;
    case START:
        number = reg_start();
        break;
    case STOP:
        number = reg_stop();
        break;
    }
    rh_send(state->test, done, .number = number);
    if (state->role == ATTACH || state->role == ATTACH_AND_PING)
        rh_receive(done); /* stays attached */
}

static rh_ref start_helper(enum role role)
{
    return rh_spawn(helper, .role = role, .test = rh_self());
}

static void begin(void)
{
    reg_bugs = (struct reg_bugs){ rh_bug("start_twice"), rh_bug("noproc"),     rh_bug("no_monitor"),
                                  rh_bug("stranger"),    rh_bug("hasty_stop"), rh_bug("unwatched") };
}

RH_TEST(attach_noping)
{
    begin();
    reg_start();
    rh_ref h = start_helper(ATTACH);
    int mine = reg_attach(), other = rh_receive(done)->number;
    rh_assert(mine >= 0 && other >= 0 && mine != other, "numbers %d and %d", mine, other);
    rh_send(h, done);
    reg_stop();
}

RH_TEST(attach_with_ping)
{
    begin();
    reg_start();
    rh_ref h = start_helper(ATTACH_AND_PING);
    int mine = reg_attach();
    rh_assert(reg_ping() == mine, "attached, but not known");
    int other = rh_receive(done)->number;
    rh_assert(mine >= 0 && other >= 0 && mine != other, "numbers %d and %d", mine, other);
    rh_send(h, done);
    reg_stop();
}

RH_TEST(at_most_two_are_attached)
{
    begin();
    reg_start();
    rh_ref a = start_helper(ATTACH), b = start_helper(ATTACH);
    int attached = reg_attach() >= 0;
    attached += rh_receive(done)->number >= 0;
    attached += rh_receive(done)->number >= 0;
    rh_assert(attached == REG_PLACES, "%d are attached", attached);
    rh_send(a, done);
    rh_send(b, done);
}

RH_TEST(a_place_is_given_again)
{
    begin();
    reg_start();
    int mine = reg_attach();
    rh_assert(reg_attach() == mine, "attached twice");
    rh_assert(reg_detach(mine) && !reg_detach(mine) && reg_ping() == REG_UNKNOWN, "detached, but still known");
    rh_assert(reg_attach() >= 0, "no place");
}

RH_TEST(only_the_owner_detaches)
{
    begin();
    reg_start();
    start_helper(DETACH_TWICE);
    int mine = reg_attach();
    rh_receive(done);
    rh_assert(reg_ping() == mine, "detached by another process");
}

RH_TEST(who_ends_is_detached)
{
    begin();
    reg_start();
    start_helper(ATTACH_AND_GO);
    start_helper(ATTACH_UNHEARD);
    rh_receive(done);
    rh_receive(done);
    rh_assert(reg_drain(), "the server has gone");
}

RH_TEST(a_server_is_started_once)
{
    begin();
    start_helper(START);
    bool mine = reg_start(), other = rh_receive(done)->number;
    rh_assert(mine != other, "started %s", mine ? "twice" : "by nobody");
    rh_assert(reg_attach() == 0, "there is no server");
    rh_assert(reg_stop() && !reg_stop(), "cannot be stopped once");
}

RH_TEST(a_stopped_server_is_started_again)
{
    begin();
    reg_start();
    reg_stop();
    rh_assert(reg_start(), "the name is not free");
    rh_assert(reg_attach() == 0, "there is no server");
}

RH_TEST(a_request_outlives_the_server)
{
    begin();
    reg_start();
    start_helper(STOP);
    int mine = reg_attach();
    rh_assert(mine == 0 || mine == REG_STOPPED, "number %d", mine);
    rh_receive(done);
}

RH_MAIN()

/* Names of actors, seen by all. */
#include "conformance/support/harness.h"

RH_MESSAGE(go);
RH_MESSAGE(done);

RH_ACTOR(named);
RH_HANDLER(named, go)
{
    say("%s", rh_same(rh_whereis("printer"), self) ? "finds itself" : "is not it");
    rh_reply(done);
}
RH_HANDLER(named, done)
{
    rh_stop();
}
RH_BEHAVIOUR(named, open, go, done);

RH_PROCESS(clerk);
RH_BODY(clerk)
{
    rh_ref a = rh_spawn(named), b = rh_spawn(named);
    say("%d", rh_is_nobody(rh_whereis("printer")));
    say("%d", rh_unregister("printer"));
    say("%d", rh_register("printer", a));
    say("%d", rh_register("printer", b)); /* taken */
    say("%d", rh_register("printer", a));
    say("%d", rh_register("second", a)); /* one may have several */
    say("%d", rh_same(rh_whereis("printer"), a) && rh_same(rh_whereis("second"), a));
    rh_ask(rh_whereis("printer"), go, done);
    say("%d", rh_unregister("printer"));
    say("%d", rh_is_nobody(rh_whereis("printer")) && rh_same(rh_whereis("second"), a));
    say("%d", rh_register("printer", b));
    say("%d", rh_same(rh_whereis("printer"), b));
    rh_ask(a, go, done);
}
PROGRAM(a_name_is_taken_once_and_can_be_given_again,
        .allowed = { "clerk#1: 1 0 1 0 0 1 1 1 1 1 1 | clerk#1/named#1: finds itself is not it" })
{
    rh_spawn(clerk);
}

RH_PROCESS(heir);
RH_BODY(heir)
{
    rh_ref a = rh_spawn(named), b = rh_spawn(named);
    rh_register("printer", a);
    rh_register("second", a);
    rh_monitor(a);
    rh_send(a, done);
    rh_receive(rh_down);
    say("%d %d", rh_is_nobody(rh_whereis("printer")), rh_is_nobody(rh_whereis("second")));
    say("%d", rh_register("printer", a)); /* it has ended */
    say("%d", rh_register("printer", b));
    say("%d", rh_register("me", self));
    say("%d", rh_same(rh_whereis("me"), self));
}
PROGRAM(one_that_ends_loses_its_names, .allowed = { "heir#1: 1 1 0 1 1 1" })
{
    rh_spawn(heir);
}

RH_ACTOR(rival);
RH_HANDLER(rival, go)
{
    say(rh_register("throne", self) ? "reigns" : "serves");
}
RH_BEHAVIOUR(rival, open, go);
PROGRAM(of_two_that_want_a_name_one_gets_it,
        .allowed = { "rival#1: reigns | rival#2: serves", "rival#1: serves | rival#2: reigns" })
{
    rh_ref a = rh_spawn(rival), b = rh_spawn(rival);
    rh_send(a, go);
    rh_send(b, go);
}

RH_ACTOR(found);
RH_HANDLER(found, go)
{
    say("found");
}
RH_BEHAVIOUR(found, open, go);
RH_PROCESS(finder);
RH_BODY(finder)
{
    rh_send(rh_whereis("service"), go);
}
PROGRAM(names_are_given_and_found_from_outside_too, .allowed = { "found#1: found found" })
{
    rh_register("service", rh_spawn(found));
    rh_send(rh_whereis("service"), go);
    rh_spawn(finder);
}

MAIN()

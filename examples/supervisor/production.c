/* The supervisor in production: a counter that breaks at every third number is started again, twice. */
#include <stdio.h>

#include <rehearse/runtime.h>

#include "supervisor.h"

RH_MESSAGE(add);
RH_MESSAGE(sum, int value;);

RH_ACTOR(counter, int value;);
RH_HANDLER(counter, add)
{
    if (++state->value == 3)
        rh_exit("broken");
    rh_reply(sum, .value = state->value);
}
RH_BEHAVIOUR(counter, counting, add);

static rh_ref start_counter(const void *argument)
{
    (void)argument;
    return rh_spawn_link(counter);
}
static const struct sup_child children[] = { { "counter", start_counter, NULL, SUP_PERMANENT, 0 } };

RH_PROCESS(user);
RH_BODY(user)
{
    rh_ref s = rh_spawn(supervisor, .children = children, .count = 1, .intensity = 2, .period_ms = 60000);
    rh_ref gone = rh_nobody();
    for (int life = 0; life < 3; life++) {
        rh_ref c = rh_ask(s, sup_where, sup_is, .child = 0, .gone = gone)->who;
        int value = 0;
        for (int i = 0; i < 2; i++)
            value = rh_ask(c, add, sum)->value;
        printf("life %d counts to %d\n", life + 1, value);
        if (life == 2)
            break;
        rh_monitor(c);
        rh_send(c, add);
        rh_join(c);
        gone = c;
    }
    rh_monitor(s);
    rh_send(s, sup_stop);
    printf("the supervisor ends: %s\n", rh_join(s)->reason);
}

int main(void)
{
    if (!rh_runtime_start(NULL))
        return 1;
    rh_spawn(user);
    rh_runtime_wait();
    rh_runtime_stop();
    return 0;
}

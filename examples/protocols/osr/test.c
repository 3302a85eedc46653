/* A request that succeeds has set the LEDs, each request is answered once, and the device is touched only while it is
 * on. */
#include <rehearse/test.h>

#include "osr.h"

RH_PARAM(cycles, "1", "how often the device is switched off and on again");
RH_PARAM(shows, "2", "how many applications set the LEDs");
RH_PARAM(values, "1", "how many values each of them sets");
RH_PARAM(flips, "1", "how often somebody flips switches");
RH_BUG(late_completion, "the completion of a transfer that has timed out is taken for that of a later one");
RH_BUG(late_interrupt, "the device is switched off during a transfer while it may still interrupt");

/* ---- the specification ------------------------------------------------------------------------------------------- */
RH_MONITOR(board, bool on; int leds; int asked;);
RH_HANDLER(board, osr_power)
{
    state->on = msg->on;
}
RH_HANDLER(board, osr_touched)
{
    rh_assert(state->on, "the driver touches the device, which is off");
}
RH_HANDLER(board, osr_shows)
{
    state->leds = msg->value;
}
RH_HANDLER(board, osr_asked)
{
    rh_assert(!state->asked, "the driver begins with %d before it has answered %d", msg->value, state->asked);
    state->asked = msg->value;
}
RH_HANDLER(board, osr_answered)
{
    rh_assert(state->asked == msg->value, "%d is answered twice", msg->value);
    rh_assert(msg->status != IO_OK || state->leds == msg->value,
              "the LEDs show %d, and the driver says that they show %d", state->leds, msg->value);
    state->asked = 0;
}
RH_BEHAVIOUR(board, watching, osr_power, osr_touched, osr_shows, osr_asked, osr_answered);

/* ---- the test ---------------------------------------------------------------------------------------------------- */
static int within(const char *name, int otherwise, int least, int most)
{
    int64_t value = rh_param(name, otherwise);
    rh_assert(value >= least && value <= most, "%d to %d %s, not %d", least, most, name, (int)value);
    return (int)value;
}

RH_TEST(the_board_shows_what_was_asked)
{
    struct osr_flaws flaws = { .late_completion = rh_bug("late_completion"),
                               .late_interrupt = rh_bug("late_interrupt") };
    rh_observe(board);
    rh_ref d = rh_spawn(device, .work_ms = 5);
    rh_ref driver = rh_spawn(driver, .device = d, .timeout_ms = 100, .flaws = flaws);
    rh_spawn(power_manager, .driver = driver, .cycles = within("cycles", 1, 0, 8));
    int shows = within("shows", 2, 0, 4), values = within("values", 1, 1, 8);
    for (int i = 0; i < shows; i++)
        rh_spawn(light_show, .driver = driver, .first = 1 + 10 * i, .values = values, .tries = 2);
    rh_spawn(switch_reader, .driver = driver);
    rh_ref person = rh_external("person");
    for (int i = 0; i < within("flips", 1, 0, 8); i++)
        rh_send_from(person, d, flip, .switches = 1 + i);
}

RH_MAIN()

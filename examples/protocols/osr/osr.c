/* See osr.h.
 *
 *     off --d0_entry--> starting --usb_started--> ready --d0_exit--> stopping --usb_reader_stopped--> off
 *     ready --set_leds--> transferring --usb_completed--> ready
 *     transferring --transfer_timeout, d0_exit--> cancelling --usb_completed--> ready, stopping
 *
 * In each state the driver takes only the requests that it can begin; others stay in its queue.  It leaves no transfer
 * behind: a cancelled transfer is awaited, because its completion may already be under way.
 *
 * Flaws (bugs of test.c):
 *   late_completion  a transfer that has timed out is not awaited; its completion is taken for that of the next but
 *                    one, which has the same transfer block
 *   late_interrupt   when the device is switched off during a transfer, interrupts are not stopped first */
#include "osr.h"

/* ---- driver ------------------------------------------------------------------------------------------------------ */
static void answer(struct driver *state, enum io_status status)
{
    rh_announce(osr_answered, .value = state->value, .status = status);
    rh_send(state->application, io_done, .status = status);
}

static void stop_reader(const struct driver *state)
{
    rh_send(state->device, usb_stop_reader);
    rh_become(driver, stopping);
}

static void switch_off(struct driver *state)
{
    rh_send(state->device, usb_power_off);
    rh_send(state->power, d0_exited);
    state->exiting = false;
    rh_become(driver, off);
}

static void cancel_transfer(struct driver *state)
{
    rh_timer_cancel("transfer");
    rh_send(state->device, usb_cancel, .transfer = state->transfer);
    rh_become(driver, cancelling);
}

RH_HANDLER(driver, d0_entry)
{
    state->power = rh_sender();
    rh_send(state->device, usb_power_on);
    rh_become(driver, starting);
}
RH_HANDLER(driver, usb_started)
{
    rh_send(state->power, d0_entered);
    rh_become(driver, ready);
}
RH_HANDLER(driver, set_leds)
{
    state->application = rh_sender();
    state->value = msg->value;
    state->timed_out = false;
    rh_announce(osr_asked, .value = msg->value);
    rh_send(state->device, usb_control, .transfer = ++state->transfer, .value = msg->value);
    rh_timer("transfer", state->timeout_ms, transfer_timeout, .transfer = state->transfer);
    rh_become(driver, transferring);
}
RH_HANDLER(driver, watch_switches)
{
    if (state->watchers < MOST_WATCHERS)
        state->watcher[state->watchers++] = rh_sender();
    else
        rh_reply(switches_are, .value = -1);
}
RH_HANDLER(driver, usb_interrupt)
{
    for (int i = 0; i < state->watchers; i++)
        rh_send(state->watcher[i], switches_are, .value = msg->switches);
    state->watchers = 0;
}
/* The flawed driver has two transfer blocks, used in turn, and knows a transfer by its block. */
static bool is_current(const struct driver *state, uint32_t transfer)
{
    return state->flaws.late_completion ? (transfer & 1) == (state->transfer & 1) : transfer == state->transfer;
}

RH_HANDLER(driver, usb_completed)
{
    if (is_current(state, msg->transfer))
        rh_timer_cancel("transfer");
    if (state->exiting && is_current(state, msg->transfer)) {
        answer(state, msg->ok ? IO_OK : IO_TIMEOUT);
        if (state->flaws.late_interrupt)
            switch_off(state);
        else
            stop_reader(state);
        return;
    }
    if (!is_current(state, msg->transfer))
        return;
    answer(state, msg->ok ? IO_OK : IO_TIMEOUT);
    rh_become(driver, ready);
}
RH_HANDLER(driver, transfer_timeout)
{
    cancel_transfer(state);
    if (!state->flaws.late_completion)
        return;
    answer(state, IO_TIMEOUT);
    rh_become(driver, ready);
}
RH_HANDLER(driver, d0_exit)
{
    state->exiting = true;
    stop_reader(state);
}
RH_HANDLER_AS(driver, d0_exit, exit_during_transfer)
{
    state->exiting = true;
    cancel_transfer(state);
}
RH_HANDLER_AS(driver, d0_exit, exit_during_cancellation)
{
    state->exiting = true;
}
RH_HANDLER(driver, usb_reader_stopped)
{
    switch_off(state);
}
RH_HANDLER_AS(driver, usb_completed, stale_completion)
{
    rh_assert(state->flaws.late_completion, "transfer %u is completed, and there is none", msg->transfer);
}
RH_BEHAVIOUR(driver, off, d0_entry, watch_switches, RH_DEFER(set_leds), RH_ON(usb_completed, stale_completion));
RH_BEHAVIOUR(driver, starting, usb_started, watch_switches, usb_interrupt, RH_DEFER(set_leds), RH_DEFER(d0_exit),
             RH_ON(usb_completed, stale_completion));
RH_BEHAVIOUR(driver, ready, set_leds, watch_switches, usb_interrupt, d0_exit, RH_ON(usb_completed, stale_completion));
RH_BEHAVIOUR(driver, transferring, usb_completed, transfer_timeout, watch_switches, usb_interrupt, RH_DEFER(set_leds),
             RH_ON(d0_exit, exit_during_transfer));
RH_BEHAVIOUR(driver, cancelling, usb_completed, watch_switches, usb_interrupt, RH_DEFER(set_leds),
             RH_ON(d0_exit, exit_during_cancellation));
RH_BEHAVIOUR(driver, stopping, usb_reader_stopped, watch_switches, usb_interrupt, RH_DEFER(set_leds),
             RH_ON(usb_completed, stale_completion));

/* ---- device ------------------------------------------------------------------------------------------------------ */
static void complete(struct device *state, bool ok)
{
    rh_timer_cancel("leds");
    state->busy = false;
    rh_send(state->driver, usb_completed, .transfer = state->transfer, .ok = ok);
}

RH_HANDLER(device, usb_power_on)
{
    state->driver = rh_sender();
    state->on = state->reading = true;
    rh_announce(osr_power, .on = true);
    rh_reply(usb_started);
}
RH_HANDLER(device, usb_power_off)
{
    state->on = state->reading = state->busy = false;
    rh_timer_cancel("leds");
    rh_announce(osr_power);
}
RH_HANDLER(device, usb_control)
{
    rh_announce(osr_touched);
    if (state->busy)
        complete(state, false); /* the bus has one transfer at a time; the older one is aborted */
    state->busy = true;
    state->transfer = msg->transfer;
    state->value = msg->value;
    rh_timer("leds", state->work_ms, leds_are_set);
}
RH_HANDLER(device, leds_are_set)
{
    state->leds = state->value;
    rh_announce(osr_shows, .value = state->leds);
    complete(state, true);
}
RH_HANDLER(device, usb_cancel)
{
    if (state->busy && state->transfer == msg->transfer)
        complete(state, false);
}
RH_HANDLER(device, usb_stop_reader)
{
    rh_announce(osr_touched);
    state->reading = false;
    rh_reply(usb_reader_stopped);
}
RH_HANDLER(device, flip)
{
    state->switches = msg->switches;
    if (state->reading)
        rh_send(state->driver, usb_interrupt, .switches = state->switches);
}
RH_BEHAVIOUR(device, attached, usb_power_on, usb_power_off, usb_control, leds_are_set, usb_cancel, usb_stop_reader,
             flip);

/* ---- who uses it ------------------------------------------------------------------------------------------------- */
RH_BODY(power_manager)
{
    for (int i = 0; i <= state->cycles; i++) {
        rh_send(state->driver, d0_entry);
        rh_receive(d0_entered);
        if (i == state->cycles)
            break;
        rh_send(state->driver, d0_exit);
        rh_receive(d0_exited);
    }
}
RH_BODY(light_show)
{
    for (int i = 0; i < state->values; i++) {
        bool shown = false;
        for (int k = 0; k < state->tries && !shown; k++) {
            rh_send(state->driver, set_leds, .value = state->first + i);
            shown = rh_receive(io_done)->status == IO_OK;
        }
    }
}
RH_BODY(switch_reader)
{
    rh_send(state->driver, watch_switches);
    const struct switches_are *s = rh_receive_any(.types = RH_TYPES(switches_are), .idle = true)->value;
    state->value = s->value;
}

/* A driver in the manner of that for OSR's USB learning kit: a board with a row of LEDs and a row of switches.  The
 * power manager switches the device on and off; applications set LEDs and wait for switches; the device interrupts when
 * somebody flips a switch. */
#ifndef OSR_H
#define OSR_H

#include <rehearse.h>

enum { MOST_WATCHERS = 4 };

/* Power manager and driver: on (D0) and off (D3). */
RH_MESSAGE(d0_entry);
RH_MESSAGE(d0_entered);
RH_MESSAGE(d0_exit);
RH_MESSAGE(d0_exited);

/* Application and driver.  Requests wait in the driver's queue while the device is off or busy. */
enum io_status { IO_OK, IO_TIMEOUT };
RH_MESSAGE(set_leds, int value;);
RH_MESSAGE(io_done, enum io_status status;);
RH_MESSAGE(watch_switches);
RH_MESSAGE(switches_are, int value;);

/* Driver and device.  Each transfer is completed once, also when it was cancelled: the cancellation may be too late. */
RH_MESSAGE(usb_power_on);
RH_MESSAGE(usb_started);
RH_MESSAGE(usb_power_off);
RH_MESSAGE(usb_control, uint32_t transfer; int value;);
RH_MESSAGE(usb_cancel, uint32_t transfer;);
RH_MESSAGE(usb_completed, uint32_t transfer; bool ok;);
RH_MESSAGE(usb_interrupt, int switches;);
RH_MESSAGE(usb_stop_reader); /* no more interrupts */
RH_MESSAGE(usb_reader_stopped);

/* Somebody and the device. */
RH_MESSAGE(flip, int switches;);

/* Timers: of the driver, of the device. */
RH_MESSAGE(transfer_timeout, uint32_t transfer;);
RH_MESSAGE(leds_are_set);

/* Announced, for the specification. */
RH_MESSAGE(osr_asked, int value;);
RH_MESSAGE(osr_answered, int value; enum io_status status;);
RH_MESSAGE(osr_shows, int value;);
RH_MESSAGE(osr_power, bool on;);
RH_MESSAGE(osr_touched);

/* Flaws: the bugs of test.c; see osr.c. */
struct osr_flaws {
    bool late_completion, late_interrupt;
};

RH_ACTOR(driver, rh_ref device; int timeout_ms; struct osr_flaws flaws; rh_ref power; bool exiting; uint32_t transfer;
         int value; bool timed_out; rh_ref application; int watchers; rh_ref watcher[MOST_WATCHERS];);
RH_ACTOR(device, rh_ref driver; int work_ms; bool on; bool reading; bool busy; uint32_t transfer; int value; int leds;
         int switches;);

/* Switches the device on and off `cycles` times, and on at the end. */
RH_PROCESS(power_manager, rh_ref driver; int cycles;);
/* Sets the LEDs to first, first + 1, ... and tries each again after a timeout, at most `tries` times. */
RH_PROCESS(light_show, rh_ref driver; int first; int values; int tries;);
/* Reads the switches once. */
RH_PROCESS(switch_reader, rh_ref driver; int value;);

#endif

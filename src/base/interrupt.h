/* Requests to end: SIGINT (Ctrl-C), SIGTERM and SIGHUP all mean the same.
 *
 * The first signal sets a number that the working code checks; the results so far are reported and saved.  A second
 * signal ends the process at once, as it does by default.  A signal that was ignored when the tool started (nohup)
 * stays ignored. */
#ifndef RH_BASE_INTERRUPT_H
#define RH_BASE_INTERRUPT_H

struct rh__interrupts {
    volatile int *outer;
};

/* From now on the first signal is stored in *number, which may be in memory shared with child processes.  Calls may be
 * nested: a signal that was stored before is passed down, and up again at the end. */
void rh__interrupts_begin(struct rh__interrupts *i, volatile int *number);
void rh__interrupts_end(struct rh__interrupts *i);
/* For a process that another process ends. */
void rh__interrupts_ignore(void);

#endif

/* Requests to end: SIGINT (Ctrl-C), SIGTERM and SIGHUP all mean the same.
 *
 * The first one sets a number that whoever works looks at; what was done so far is reported and kept.  A second one ends the
 * process at once, as the signal does by itself.  A signal that was ignored when the tool was started (nohup) stays so. */
#ifndef RH_BASE_INTERRUPT_H
#define RH_BASE_INTERRUPT_H

struct rh__interrupts {
    volatile int *outer;
};

/* From now on the first signal is noted in *number, which may be in memory that child processes share.  May be nested: what
 * was noted before is handed down, and up again at the end. */
void rh__interrupts_begin(struct rh__interrupts *i, volatile int *number);
void rh__interrupts_end(struct rh__interrupts *i);
/* In a process that somebody else ends. */
void rh__interrupts_ignore(void);

#endif

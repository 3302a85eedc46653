/* Failures of a program, reported to the hook of the options. */
#ifndef RH_RUNTIME_FAILURE_H
#define RH_RUNTIME_FAILURE_H

/* Calls the hook, or prints; without a hook an assertion aborts.  `here` is "" if the place is unknown. */
void rh__rt_fail(const char *kind, const char *here, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Reports an invalid call; the caller continues. */
void rh__misuse(const char *here, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
/* Reports a call before the start or after the end of the runtime. */
void rh__no_runtime(const char *call, const char *here) __attribute__((cold));
void rh__log(const char *text);
_Noreturn void rh__out_of_memory(void);

#endif

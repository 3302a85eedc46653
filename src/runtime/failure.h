/* What goes wrong in a program, told to the hook of the options. */
#ifndef RH_RUNTIME_FAILURE_H
#define RH_RUNTIME_FAILURE_H

/* Calls the hook, or prints; aborts after an assertion where there is no hook.  `here` is "" where no place is known. */
void rh__fail(const char *kind, const char *here, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A call that makes no sense; the caller goes on. */
void rh__misuse(const char *here, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
/* A call after the end of the runtime, or before its start. */
void rh__no_runtime(const char *call, const char *here) __attribute__((cold));
void rh__log(const char *text);
_Noreturn void rh__out_of_memory(void);

#endif

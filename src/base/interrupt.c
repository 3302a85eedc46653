/* See interrupt.h. */
#include "base/interrupt.h"

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
enum { COUNT = sizeof signals / sizeof *signals };

static struct {
    volatile int *number;
    volatile sig_atomic_t before; /* this process has already received one */
    pid_t owner;                  /* children inherit the handler; in a child it only records the signal */
    struct sigaction actions[COUNT];
} state;

static void on_signal(int number)
{
    if (getpid() == state.owner && state.before++) {
        signal(number, SIG_DFL);
        raise(number);
    }
    if (!*state.number)
        *state.number = number;
}

void rh__interrupts_begin(struct rh__interrupts *i, volatile int *number)
{
    i->outer = state.number;
    if (i->outer && *i->outer)
        *number = *i->outer;
    state.number = number;
    if (i->outer)
        return;
    state.before = 0;
    state.owner = getpid();
    for (int k = 0; k < COUNT; k++) {
        struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
        sigaction(signals[k], NULL, &state.actions[k]);
        if (state.actions[k].sa_handler != SIG_IGN)
            sigaction(signals[k], &action, NULL);
    }
}

void rh__interrupts_end(struct rh__interrupts *i)
{
    if (i->outer && *state.number)
        *i->outer = *state.number;
    state.number = i->outer;
    for (int k = 0; k < COUNT && !i->outer; k++)
        sigaction(signals[k], &state.actions[k], NULL);
}

void rh__interrupts_ignore(void)
{
    for (int k = 0; k < COUNT; k++)
        signal(signals[k], SIG_IGN);
}

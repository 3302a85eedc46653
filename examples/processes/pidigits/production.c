/* The same two processes in production; the argument is the number of digits. */
#include <stdio.h>
#include <stdlib.h>

#include <rehearse/runtime.h>

#include "pidigits.h"

RH_PROCESS(computer, int digits;);
RH_BODY(computer)
{
    char text[MOST_DIGITS + 1];
    pidigits(state->digits, text);
    printf("%s\n", text);
}

static void say_nothing(const char *actor, const char *text, void *arg)
{
    (void)actor, (void)text, (void)arg;
}

int main(int argc, char **argv)
{
    int digits = argc > 1 ? atoi(argv[1]) : 8;
    if (argc > 2 || digits < 1 || digits > MOST_DIGITS) {
        fprintf(stderr, "usage: pidigits [DIGITS]   1 to %d\n", MOST_DIGITS);
        return 2;
    }
    struct rh_runtime_options options = { .on_log = say_nothing };
    if (!rh_runtime_start(&options))
        return 1;
    rh_spawn(computer, .digits = digits);
    rh_runtime_wait();
    rh_runtime_stop();
    return 0;
}

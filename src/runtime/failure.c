/* See failure.h. */
#include "runtime/failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/actor.h"
#include "runtime/rt_names.h"
#include "runtime/rt_tape.h"

static void report(const char *kind, const char *here, const char *format, va_list list)
{
    char text[640], actor[256] = "";
    struct rh__worker *worker = rh__worker();
    vsnprintf(text, sizeof text, format, list);
    if (worker && worker->actor)
        rh__name_text(worker->actor->name, actor, sizeof actor);
    if (rh__recording())
        rh__tape_failure(worker ? worker->actor : NULL, kind);
    struct rh_failure failure = { .kind = kind, .actor = actor, .place = here ? here : "", .text = text };
    if (rh__rt.options.on_failure) {
        rh__rt.options.on_failure(&failure, rh__rt.options.arg);
        return;
    }
    fprintf(stderr, "rehearse: %s%s%s%s%s: %s\n", failure.place, *failure.place ? ": " : "", actor, *actor ? ": " : "",
            kind, text);
    if (strcmp(kind, "assertion") == 0)
        abort();
}

void rh__rt_fail(const char *kind, const char *here, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    report(kind, here, format, list);
    va_end(list);
}

void rh__misuse(const char *here, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    report("misuse", here, format, list);
    va_end(list);
}

void rh__no_runtime(const char *call, const char *here)
{
    fprintf(stderr, "rehearse: %s%s%s was called while no runtime runs (rh_runtime_start)\n", here ? here : "",
            here ? ": " : "", call);
}

void rh__log(const char *text)
{
    char actor[256] = "";
    struct rh__worker *worker = rh__worker();
    if (worker && worker->actor)
        rh__name_text(worker->actor->name, actor, sizeof actor);
    if (rh__rt.options.on_log)
        rh__rt.options.on_log(actor, text, rh__rt.options.arg);
    else
        fprintf(stderr, "%s%s%s\n", actor, *actor ? ": " : "", text);
}

_Noreturn void rh__out_of_memory(void)
{
    fprintf(stderr, "rehearse: out of memory\n");
    abort();
}

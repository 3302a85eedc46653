/* The register in production, with its history recorded and checked at the end.
 *
 *     build/examples/register-production [writes] */
#include <rehearse/runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include "register.h"

static void on_failure(const struct rh_failure *failure, void *arg)
{
    printf("%s: %s\n", failure->kind, failure->text);
    *(bool *)arg = true;
}

RH_ACTOR(starter, int writes;);
RH_HANDLER(starter, rh_start)
{
    struct group g = { .count = 3 };
    for (int i = 0; i < g.count; i++)
        g.at[i] = rh_spawn(replica);
    rh_spawn(writer, .group = g, .writes = state->writes);
    for (int i = 0; i < 3; i++)
        rh_spawn(reader, .group = g, .reads = state->writes);
}
RH_BEHAVIOUR(starter, starting, rh_start);

int main(int argc, char **argv)
{
    bool failed = false;
    int writes = argc > 1 ? atoi(argv[1]) : 1000;
    struct rh_runtime_options options = { .history_operations = 1000000, .on_failure = on_failure, .arg = &failed };
    if (!rh_runtime_start(&options))
        return 1;
    rh_spawn(starter, .writes = writes);
    rh_runtime_wait_quiet();
    rh_runtime_stop();
    printf("%d operations, %s\n", 4 * writes, failed ? "NOT linearizable" : "linearizable");
    return failed;
}

/* Part of every build: a build without the cluster says so (cli_cluster_none.c). */
#include <string.h>

#include "cli/cli_cluster.h"

bool rh__cli_wants_cluster(int argc, char **argv)
{
    bool agent = strcmp(argv[0], "agent") == 0;
    if (!agent && strcmp(argv[0], "test") != 0)
        return false;
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], "--cluster") == 0 || strncmp(argv[i], "--cluster=", 10) == 0)
            return true;
    return agent;
}

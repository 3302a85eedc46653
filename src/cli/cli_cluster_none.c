/* In the place of cli_cluster.c and cli_jobs.c in a build without hiredis and OpenSSL. */
#include "base/visible.h"
#include "cli/cli_cluster.h"

static int refuse(void)
{
    rh__complain("this build of rehearse cannot share work over a server: it needs the Debian packages libhiredis-dev "
                 "and libssl-dev when rehearse is built");
    return 2;
}

int rh__cli_cluster(int argc, char **argv)
{
    (void)argc, (void)argv;
    return refuse();
}

int rh__cli_jobs(int argc, char **argv)
{
    (void)argc, (void)argv;
    return refuse();
}

/* In the place of cli_serve_jobs.c in a build without libmicrohttpd, or without hiredis and OpenSSL. */
#include "base/visible.h"
#include "cli/cli_serve_jobs.h"

int rh__cli_serve_jobs(int argc, char **argv)
{
    (void)argc, (void)argv;
    rh__complain("this build of rehearse cannot show jobs in a page: it needs the Debian packages libmicrohttpd-dev, "
                 "libhiredis-dev and libssl-dev when rehearse is built");
    return 2;
}

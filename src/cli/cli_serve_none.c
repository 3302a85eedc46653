/* In the place of cli_serve.c in a build without libmicrohttpd. */
#include "base/visible.h"
#include "cli/cli_serve.h"

int rh__cli_serve(int argc, char **argv)
{
    (void)argc, (void)argv;
    rh__complain("this build of rehearse has no command serve: it needs the Debian package libmicrohttpd-dev when "
                 "rehearse is built");
    return 2;
}

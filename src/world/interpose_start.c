/* Makes libc allocate before the first run what it would otherwise allocate at first use, while an actor runs, and
 * keep. */
#include "world/interpose_next.h"

#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "world/interpose.h"
#include "world/symbol.h"

/* Leaves a stream alone that was already used, or to which the program gave a buffer or none.  The buffer is not a
 * static array: that would be in pages that are restored when a run goes back, while the stream is not. */
static void give_buffer(FILE *stream, bool lines)
{
    if (__fbufsize(stream) > 0)
        return;
    setvbuf(stream, NULL, _IOFBF, 0);
    if (lines)
        setvbuf(stream, NULL, _IOLBF, 0);
}

void rh__interpose_start(void)
{
    int saved = errno;
    time_t now = 0;
    struct tm parts;
    char text[32];

    rh__outside_push();
    give_buffer(stdin, false);
    give_buffer(stdout, isatty(STDOUT_FILENO)); /* stderr has no buffer */
    tzset();
    if (localtime_r(&now, &parts))
        strftime(text, sizeof text, "%c %Z", &parts);
    (void)strerror(-1);
    rh__symbol_start();
    rh__outside_pop();
    errno = saved;
}

/* The option --record FILE of the production programs: the run is written to FILE, as a schedule
 * (rehearse/runtime.h). */
#ifndef PROTOCOLS_RECORD_H
#define PROTOCOLS_RECORD_H

#include <string.h>

/* Takes the option off the end of the arguments; NULL: it is not there. */
static inline const char *take_record(int *argc, char **argv)
{
    if (*argc < 3 || strcmp(argv[*argc - 2], "--record") != 0)
        return NULL;
    *argc -= 2;
    return argv[*argc + 1];
}

#endif

/* How wide lines may be, and whether colours are wanted. */
#ifndef RH_BASE_COLUMNS_H
#define RH_BASE_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The columns that lines on this file may have: those that COLUMNS says, or those of the terminal, but at least 40.  It
 * is 0 if there is no terminal and COLUMNS says nothing. */
static inline uint32_t rh__columns(int fd)
{
    const char *said = getenv("COLUMNS");
    struct winsize size;
    long columns = said ? strtol(said, NULL, 10) : 0;
    if (columns <= 0 || columns > 10000)
        columns = ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
    return columns <= 0 ? 0 : columns < 40 ? 40 : (uint32_t)columns;
}

/* On a terminal, unless NO_COLOR is set (no-color.org). */
static inline bool rh__has_colours(int fd)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(fd) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

#endif

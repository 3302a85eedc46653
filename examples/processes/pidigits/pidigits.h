/* pidigits: one process computes the digits of pi, another one prints them as they come; after the program of
 * [Concuerror 2013, VII]. */
#ifndef PIDIGITS_H
#define PIDIGITS_H

#include <rehearse.h>

enum { MOST_DIGITS = 64 };

RH_MESSAGE(digit, int value;);
RH_MESSAGE(printed, char text[MOST_DIGITS + 1];);
RH_PROCESS(printer, int digits; rh_ref reader;);

/* Computes the first digits, at most MOST_DIGITS, has a printer print them, and waits for it; `text` becomes what was
 * printed. */
void pidigits(int digits, char text[MOST_DIGITS + 1]);

#endif

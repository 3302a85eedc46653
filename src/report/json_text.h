/* Texts in JSON: quoted; bytes that are no UTF-8 become U+FFFD, control characters are escaped.  The program's texts
 * may hold anything. */
#ifndef RH_REPORT_JSON_TEXT_H
#define RH_REPORT_JSON_TEXT_H

#include <stdio.h>

#include "base/visible.h"

extern const char rh__no_character[];

void rh__json_text(FILE *f, const char *text);

#endif

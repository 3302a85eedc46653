/* Texts in JSON: quoted; bytes that are no UTF-8 become U+FFFD. */
#ifndef RH_REPORT_JSON_TEXT_H
#define RH_REPORT_JSON_TEXT_H

#include <stdio.h>

/* How many bytes of well-formed UTF-8 begin here; 0 for none.  The program's texts may hold anything. */
int rh__utf8_length(const unsigned char *c);
extern const char rh__no_character[];

void rh__json_text(FILE *f, const char *text);

#endif

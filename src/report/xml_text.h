/* Texts in XML, SVG and HTML, between tags or in quoted attributes.  The program's texts may hold anything: markup is
 * escaped, and bytes that are no UTF-8, control characters and invisible characters, for which XML has no place, become
 * U+FFFD. */
#ifndef RH_REPORT_XML_TEXT_H
#define RH_REPORT_XML_TEXT_H

#include <stdio.h>

void rh__xml_text(FILE *f, const char *text);

#endif

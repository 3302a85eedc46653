/* The rows of options (option_rows.h) as text: for --help, for the manual, and for the completions of shells. */
#ifndef RH_RUNNER_OPTION_PRINT_H
#define RH_RUNNER_OPTION_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The options that one of the commands takes (bits of command_rows.h), group by group, each with its line of help. */
void rh__options_print_help(FILE *to, uint32_t commands);

/* Copies a template.  A line that holds nothing but @LIST@ is replaced by lists made from the rows, with its
 * indentation:
 *
 *     @bash commands@       a line of words
 *     @bash options@        an arm of `case COMMAND` for each command: options="--..."
 *     @bash values@         arms of `case OPTION`: what to offer behind it
 *     @zsh options@         an arm of `case COMMAND` for each command: options=('--...[help]:argument:action')
 *     @C help@              rows { "COMMAND", "its options with their help" }
 *     @man runs@            items of a mdoc list; also semantics, reports, replay
 *
 * False with a sentence that names the line: there is no such list. */
bool rh__options_fill(FILE *to, const char *template_text, char *error, size_t error_size);

#endif

/* The options of each command with their help (runner/option_rows.h), as texts: the command `rehearse` is not linked
 * with the rows, which lead to all that they are options of. */
#ifndef RH_CLI_OPTION_HELP_H
#define RH_CLI_OPTION_HELP_H

struct rh__option_help {
    const char *command, *text;
};
extern const struct rh__option_help rh__option_help[]; /* the last has no command */

#endif

/* The options of all commands as rows.  Parsing (options.h), help, manual and completions (option_print.h) read them.
 *
 * Three tables make the list: the options of commands (option_rows.c), the settings of the semantics (trace/settings.c)
 * and the reporters (report/reporters.c).  A new option is one row in one of them, and its use. */
#ifndef RH_RUNNER_OPTION_ROWS_H
#define RH_RUNNER_OPTION_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/option.h"
#include "runner/command_rows.h"

/* What an option does with its value. */
enum rh__option_kind {
    RH__OPTION_FLAG,      /* bool at offset */
    RH__OPTION_TEXT,      /* const char * at offset, "" without an argument */
    RH__OPTION_NUMBER,    /* uint64_t at offset */
    RH__OPTION_SMALL,     /* uint32_t at offset */
    RH__OPTION_SECONDS,   /* double at offset */
    RH__OPTION_SETTING,   /* sets the field `setting` of the semantics */
    RH__OPTION_SET,       /* NAME=VALUE, likewise of any field */
    RH__OPTION_WEIGHT,    /* CLASS=WEIGHT, of the explorer */
    RH__OPTION_PARAMETER, /* NAME=VALUE, a parameter of the test */
    RH__OPTION_CRITERIA,  /* of coverage, with commas */
    RH__OPTION_VERDICT,
    RH__OPTION_WORKERS,   /* a number that may be missing */
    RH__OPTION_SETTINGS,  /* no option: the settings of its group have their place here in the list */
    RH__OPTION_REPORTERS, /* likewise the options of reporters */
};

struct rh__option_row {
    struct rh__option option;
    enum rh__option_kind kind;
    size_t offset;       /* in struct rh__options */
    const char *setting; /* RH__OPTION_SETTING: the field */
    size_t given;        /* offset of a bool that is set when the option is given; 0: none */
    uint32_t commands;   /* that take it */
};

/* Goes through all rows, group by group.  `walk` is zero at first; false behind the last row. */
struct rh__option_walk {
    size_t row, inner;
};
bool rh__option_next(struct rh__option_walk *walk, struct rh__option_row *row);

/* "-p", "--model". */
static inline const char *rh__option_dashes(const struct rh__option *option)
{
    return option->name[1] ? "--" : "-";
}

extern const char *const rh__group_titles[RH__GROUP_COUNT];

#endif

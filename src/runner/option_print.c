/* See option_print.h. */
#include "runner/option_print.h"

#include <stdlib.h>
#include <string.h>

#include "runner/option_rows.h"

/* ---- help -------------------------------------------------------------------------------------------------------- */

/* The i-th word that the option takes; NULL behind the last. */
static const char *choice_of(const struct rh__option *option, size_t i)
{
    size_t n = 0;
    while (option->choices && option->choices[n])
        n++;
    return i < n ? option->choices[i] : i == n ? option->also : NULL;
}

/* "fifo, bag or all" */
static void put_choices(FILE *to, const struct rh__option *option, const char *comma, const char *last)
{
    const char *choice;
    for (size_t i = 0; (choice = choice_of(option, i)); i++)
        fprintf(to, "%s%s", !i ? "" : choice_of(option, i + 1) ? comma : last, choice);
}

static void put_help(FILE *to, const struct rh__option *option)
{
    fputs(option->help, to);
    if (option->complete == RH__COMPLETE_CHOICES) {
        fputs(": ", to);
        put_choices(to, option, ", ", " or ");
    }
}

void rh__options_print_help(FILE *to, uint32_t commands)
{
    struct rh__option_walk walk = { 0 };
    struct rh__option_row row;
    int group = -1;
    while (rh__option_next(&walk, &row)) {
        char left[64];
        if (!(row.commands & commands))
            continue;
        if ((int)row.option.group != group)
            fprintf(to, "\n%s:\n", rh__group_titles[row.option.group]);
        group = (int)row.option.group;
        snprintf(left, sizeof left, "%s%s %s", rh__option_dashes(&row.option), row.option.name,
                 row.option.argument ? row.option.argument : "");
        fprintf(to, "    %-24s ", left);
        put_help(to, &row.option);
        fputc('\n', to);
    }
}

/* ---- bash -------------------------------------------------------------------------------------------------------- */

static void bash_commands(FILE *to, const char *indent, int group)
{
    (void)group;
    fputs(indent, to);
    for (const struct rh__command_row *c = rh__command_rows; c->name; c++)
        fprintf(to, "%s%s", c == rh__command_rows ? "" : " ", c->name);
    fputc('\n', to);
}

static void bash_options(FILE *to, const char *indent, int group)
{
    (void)group;
    for (const struct rh__command_row *c = rh__command_rows; c->name; c++) {
        struct rh__option_walk walk = { 0 };
        struct rh__option_row row;
        fprintf(to, "%s%s)\n%s    options=\"", indent, c->name, indent);
        for (const char *space = ""; rh__option_next(&walk, &row);)
            if (row.commands & c->bit) {
                fprintf(to, "%s%s%s", space, rh__option_dashes(&row.option), row.option.name);
                space = " ";
            }
        fprintf(to, "\"\n%s    ;;\n", indent);
    }
}

/* What the shell functions of the template are called with. */
static void bash_offer(FILE *to, const struct rh__option *option)
{
    switch (option->complete) {
    case RH__COMPLETE_NOTHING:
        fputs(":", to);
        break;
    case RH__COMPLETE_FILE:
    case RH__COMPLETE_STREAM:
        fputs("_rehearse_files", to);
        break;
    case RH__COMPLETE_FOLDER:
        fputs("_rehearse_folders", to);
        break;
    case RH__COMPLETE_CHOICES:
        fputs("_rehearse_words \"", to);
        put_choices(to, option, " ", " ");
        fputs("\"", to);
        break;
    case RH__COMPLETE_EXPLORER:
        fputs("_rehearse_words \"$(_rehearse_list explorers)\"", to);
        break;
    case RH__COMPLETE_PARAMETER:
        fputs("_rehearse_parameters", to);
        break;
    }
}

static void bash_values(FILE *to, const char *indent, int group)
{
    struct rh__option_walk walk = { 0 };
    struct rh__option_row row;
    (void)group;
    while (rh__option_next(&walk, &row)) {
        if (!row.option.argument)
            continue;
        fprintf(to, "%s%s%s) ", indent, rh__option_dashes(&row.option), row.option.name);
        bash_offer(to, &row.option);
        fputs(" ;;\n", to);
    }
}

/* ---- zsh --------------------------------------------------------------------------------------------------------- */

/* In single quotes, inside of brackets. */
static void zsh_text(FILE *to, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", to);
        else if (strchr("[]:\\", *text))
            fprintf(to, "\\%c", *text);
        else
            fputc(*text, to);
    }
}

static void zsh_option(FILE *to, const struct rh__option_row *row)
{
    const struct rh__option *option = &row->option;
    bool repeats = row->kind == RH__OPTION_PARAMETER || row->kind == RH__OPTION_SET;
    fprintf(to, "'%s%s%s[", repeats ? "*" : "", rh__option_dashes(option), option->name);
    zsh_text(to, option->help);
    fputc(']', to);
    if (option->argument) {
        fputc(':', to);
        zsh_text(to, option->argument);
        fputc(':', to);
    }
    switch (option->complete) {
    case RH__COMPLETE_NOTHING:
        break;
    case RH__COMPLETE_FILE:
    case RH__COMPLETE_STREAM:
        fputs("_files", to);
        break;
    case RH__COMPLETE_FOLDER:
        fputs("_files -/", to);
        break;
    case RH__COMPLETE_CHOICES:
        fputc('(', to);
        put_choices(to, option, " ", " ");
        fputc(')', to);
        break;
    case RH__COMPLETE_EXPLORER:
        fputs("_rehearse_names explorers", to);
        break;
    case RH__COMPLETE_PARAMETER:
        fputs("_rehearse_names parameters", to);
        break;
    }
    fputs("'\n", to);
}

static void zsh_options(FILE *to, const char *indent, int group)
{
    (void)group;
    for (const struct rh__command_row *c = rh__command_rows; c->name; c++) {
        struct rh__option_walk walk = { 0 };
        struct rh__option_row row;
        fprintf(to, "%s%s)\n%s    options=(\n", indent, c->name, indent);
        while (rh__option_next(&walk, &row))
            if (row.commands & c->bit) {
                fprintf(to, "%s        ", indent);
                zsh_option(to, &row);
            }
        fprintf(to, "%s    )\n%s    ;;\n", indent, indent);
    }
}

/* ---- manual ------------------------------------------------------------------------------------------------------ */

/* A paragraph as roff: `code` in bold, nothing that roff takes for a request, and no empty line at its end. */
static void man_text(FILE *to, const char *text)
{
    bool bold = false;
    for (char before = '\n'; *text; before = *text++) {
        if (before == '\n' && (*text == '.' || *text == '\''))
            fputs("\\&", to);
        if (*text == '`')
            fputs((bold = !bold) ? "\\fB" : "\\fP", to);
        else if (*text == '\\')
            fputs("\\e", to);
        else if (*text == '-' && bold)
            fputs("\\-", to);
        else if (*text != '\n' || text[1])
            fputc(*text, to);
    }
}

/* The argument in lower case, as mdoc pages have it: "n", "name Ns = Ns Ar value", "Op Ar n". */
static void man_argument(FILE *to, const char *argument)
{
    fputs(*argument == '[' ? " Op Ar " : " Ar ", to);
    for (argument += *argument == '['; *argument && strcmp(argument, "]") != 0; argument++) {
        if (*argument == '=')
            fputs(" Ns = Ns Ar ", to);
        else if (*argument == '[')
            fputs(" Ns Op ", to);
        else if (*argument == ':')
            fputs(": Ns Ar ", to);
        else if (*argument != ']')
            fputc(*argument >= 'A' && *argument <= 'Z' ? *argument - 'A' + 'a' : *argument, to);
    }
}

static void man_options(FILE *to, const char *indent, int group)
{
    struct rh__option_walk walk = { 0 };
    struct rh__option_row row;
    (void)indent;
    while (rh__option_next(&walk, &row)) {
        const char *help = row.option.help;
        if ((int)row.option.group != group)
            continue;
        fprintf(to, ".It Fl %s%s", row.option.name[1] ? "-" : "", row.option.name);
        if (row.option.argument)
            man_argument(to, row.option.argument);
        fprintf(to, "\n%c", *help >= 'a' && *help <= 'z' ? *help - 'a' + 'A' : *help);
        man_text(to, help + 1);
        if (row.option.complete == RH__COMPLETE_CHOICES) {
            fputs(": ", to);
            put_choices(to, &row.option, ", ", " or ");
        }
        fputs(".\n", to);
        if (row.option.manual) {
            man_text(to, row.option.manual);
            fputc('\n', to);
        }
    }
}

/* ---- C ----------------------------------------------------------------------------------------------------------- */

/* A row { "COMMAND", "HELP" } for each command. */
static void c_help(FILE *to, const char *indent, int group)
{
    (void)group;
    for (const struct rh__command_row *c = rh__command_rows; c->name; c++) {
        char *text = NULL;
        size_t size;
        FILE *memory = open_memstream(&text, &size);
        if (memory) {
            rh__options_print_help(memory, c->bit);
            fclose(memory);
        }
        fprintf(to, "%s{ \"%s\",\n%s  \"", indent, c->name, indent);
        for (const char *at = text; at && *at; at++) {
            if (*at == '"' || *at == '\\')
                fputc('\\', to);
            if (*at == '\n')
                fprintf(to, "\\n\"\n%s  \"", indent);
            else
                fputc(*at, to);
        }
        fputs("\" },\n", to);
        free(text);
    }
}

/* ---- templates --------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*print)(FILE *to, const char *indent, int group);
    int group;
} lists[] = {
    { "bash commands", bash_commands, 0 },
    { "bash options", bash_options, 0 },
    { "bash values", bash_values, 0 },
    { "zsh options", zsh_options, 0 },
    { "C help", c_help, 0 },
    { "man runs", man_options, RH__GROUP_RUNS },
    { "man semantics", man_options, RH__GROUP_SEMANTICS },
    { "man reports", man_options, RH__GROUP_REPORTS },
    { "man replay", man_options, RH__GROUP_REPLAY },
};

/* True for a line `@LIST@`: then whether it is known. */
static bool fill_line(FILE *to, const char *line, size_t length, bool *known)
{
    char indent[64];
    size_t n = strspn(line, " ");
    if (n >= sizeof indent || length < n + 2 || line[n] != '@' || line[length - 1] != '@')
        return false;
    snprintf(indent, sizeof indent, "%.*s", (int)n, line);
    *known = false;
    for (size_t i = 0; i < sizeof lists / sizeof *lists && !*known; i++)
        if (strlen(lists[i].name) == length - n - 2 && strncmp(lists[i].name, line + n + 1, length - n - 2) == 0) {
            lists[i].print(to, indent, lists[i].group);
            *known = true;
        }
    return true;
}

bool rh__options_fill(FILE *to, const char *text, char *error, size_t error_size)
{
    for (unsigned number = 1; *text; number++) {
        size_t length = strcspn(text, "\n");
        bool known = true;
        if (!fill_line(to, text, length, &known)) {
            fwrite(text, 1, length, to);
            fputc('\n', to);
        }
        if (!known) {
            snprintf(error, error_size, "line %u: there is no list %.*s", number, (int)length, text);
            return false;
        }
        text += length + (text[length] == '\n');
    }
    return true;
}

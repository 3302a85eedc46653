/* See option_rows.h. */
#include "runner/option_rows.h"

#include "runner/options.h"
#include "trace/schedule.h"

const char *const rh__group_titles[RH__GROUP_COUNT] = { "Which runs", "Semantics", "Reports", "Replay" };

#define AT(field) offsetof(struct rh__options, field)

static const char *const criteria[] = { "pr", "pcr", "pmr", "all", NULL };
static const char *const verdicts[] = { "exhaustive", "bounded", NULL };

static const struct rh__option_row rows[] = {
    /* ---- which runs ---------------------------------------------------------------------------------------------- */
    { .option = { .name = "explorer",
                  .argument = "EXPRESSION",
                  .help = "the explorer: it decides which runs to make; `rehearse list` shows them",
                  .manual = "See EXPLORERS.",
                  .complete = RH__COMPLETE_EXPLORER },
      .kind = RH__OPTION_TEXT,
      .offset = AT(explorer),
      .commands = RH__FOR_TEST | RH__FOR_LIST | RH__FOR_EMBEDDED },
    { .option = { .name = "weight",
                  .argument = "CLASS=W",
                  .help = "the weight of a class of choices, for weighted, swarm and phases",
                  .manual = "As `CLASS=W` in the arguments of the explorer; may be given several times." },
      .kind = RH__OPTION_WEIGHT,
      .commands = RH__FOR_TEST | RH__FOR_EMBEDDED },
    { .option = { .name = "seed",
                  .argument = "N",
                  .help = "seed of the explorer and of rh_random (1)",
                  .manual = "The same seed gives the same runs." },
      .kind = RH__OPTION_NUMBER,
      .offset = AT(seed),
      .given = AT(seed_given),
      .commands = RH__FOR_RUNS },
    { .option = { .name = "p",
                  .argument = "NAME=VALUE",
                  .help = "a parameter of the test",
                  .manual = "`-p bug=NAME` switches a bug on.",
                  .complete = RH__COMPLETE_PARAMETER },
      .kind = RH__OPTION_PARAMETER,
      .commands = RH__FOR_RUNS | RH__FOR_SCHEDULES },
    { .option = { .name = "max-runs", .argument = "N", .help = "stop after N runs" },
      .kind = RH__OPTION_NUMBER,
      .offset = AT(limits.max_runs),
      .commands = RH__FOR_RUNS | RH__FOR_MINIMISE },
    { .option = { .name = "max-seconds",
                  .argument = "S",
                  .help = "stop after S seconds of processor time, of each worker (default 10; with auto 60, and "
                          "10,000,000 steps)",
                  .manual = "The load of the machine changes nothing.\n"
                            "The exploration also stops after 100 times S seconds of wall-clock time.\n"
                            "`estimate` takes 1 second if no limit is given." },
      .kind = RH__OPTION_SECONDS,
      .offset = AT(limits.max_seconds),
      .commands = RH__FOR_RUNS },
    { .option.group = RH__GROUP_RUNS, .kind = RH__OPTION_SETTINGS },
    { .option = { .name = "max-all-steps", .argument = "N", .help = "stop after N events in all runs" },
      .kind = RH__OPTION_NUMBER,
      .offset = AT(limits.max_all_steps),
      .commands = RH__FOR_RUNS | RH__FOR_MINIMISE },
    { .option = { .name = "keep-going",
                  .help = "go on after the first finding",
                  .manual = "Equal findings are counted, not repeated." },
      .kind = RH__OPTION_FLAG,
      .offset = AT(limits.keep_going),
      .commands = RH__FOR_TEST | RH__FOR_EMBEDDED },
    { .option = { .name = "no-determinism-check",
                  .help = "do not repeat runs to check that the program is deterministic",
                  .manual = "Without this option the first run is made twice, and some later ones.\n"
                            "With it the report says that determinism was not checked." },
      .kind = RH__OPTION_FLAG,
      .offset = AT(limits.unchecked),
      .commands = RH__FOR_TEST | RH__FOR_EMBEDDED | RH__FOR_SCHEDULES },
    { .option = { .name = "j",
                  .argument = "[N]",
                  .help = "with N workers; 0 or no number: one on each processor",
                  .manual = "Totals and findings are those of one process.\n"
                            "Limits hold for the sum.\n"
                            "Explorers that cannot share their work are refused." },
      .kind = RH__OPTION_WORKERS,
      .offset = AT(workers),
      .commands = RH__FOR_TEST | RH__FOR_EMBEDDED | RH__FOR_AGENT },
    { .option = { .name = "checkpoint",
                  .argument = "FILE",
                  .help = "keep in FILE what is done and what is left",
                  .manual = "The file is written every few seconds, at the end, and after an interrupt.\n"
                            "It is for one test under one model.\n"
                            "A file that exists is refused without `--resume`, and while another exploration uses it.",
                  .complete = RH__COMPLETE_FILE },
      .kind = RH__OPTION_TEXT,
      .offset = AT(checkpoint),
      .commands = RH__FOR_TEST },
    { .option = { .name = "resume",
                  .help = "go on from the checkpoint",
                  .manual = "The checkpoint must be of the same program, test, explorer, seed, settings and "
                            "parameters." },
      .kind = RH__OPTION_FLAG,
      .offset = AT(resume),
      .commands = RH__FOR_TEST },
    { .option = { .name = "cluster",
                  .argument = "URL",
                  .help = "share the work with agents on other machines, over a Redis server",
                  .manual =
                      "`redis://HOST[:PORT][/JOB]`, `rediss://` for TLS, `redis+unix:///PATH[?JOB]` for a Unix "
                      "socket.\n"
                      "`rehearse agent` lends workers, `rehearse jobs` shows jobs.\n"
                      "Totals and findings are those of one process.\n"
                      "The password is in the environment (REHEARSE_CLUSTER_PASSWORD) or in a file, never here." },
      .kind = RH__OPTION_TEXT,
      .offset = AT(cluster),
      .commands = RH__FOR_TEST | RH__FOR_AGENT },
    { .option = { .name = "lease",
                  .argument = "S",
                  .help = "with --cluster: after S silent seconds the work of an agent goes to another (30)" },
      .kind = RH__OPTION_SECONDS,
      .offset = AT(lease),
      .commands = RH__FOR_TEST },
    { .option = { .name = "insecure",
                  .help = "with --cluster: plain redis:// also to other machines, which others can read and change" },
      .kind = RH__OPTION_FLAG,
      .offset = AT(insecure),
      .commands = RH__FOR_TEST | RH__FOR_AGENT },
    { .option = { .name = "cluster-password-file",
                  .argument = "FILE",
                  .help = "with --cluster: the password of the server, in a file that only its owner may read",
                  .complete = RH__COMPLETE_FILE },
      .kind = RH__OPTION_TEXT,
      .offset = AT(cluster_file[0]),
      .commands = RH__FOR_TEST | RH__FOR_AGENT },
    { .option = { .name = "cluster-ca",
                  .argument = "FILE",
                  .help = "with rediss://: who may sign the certificate of the server (those of the system)",
                  .complete = RH__COMPLETE_FILE },
      .kind = RH__OPTION_TEXT,
      .offset = AT(cluster_file[1]),
      .commands = RH__FOR_TEST | RH__FOR_AGENT },
    { .option = { .name = "cluster-cert",
                  .argument = "FILE",
                  .help = "with rediss://: the certificate of this side, if the server asks for one",
                  .complete = RH__COMPLETE_FILE },
      .kind = RH__OPTION_TEXT,
      .offset = AT(cluster_file[2]),
      .commands = RH__FOR_TEST | RH__FOR_AGENT },
    { .option = { .name = "cluster-key",
                  .argument = "FILE",
                  .help = "with rediss://: the key of --cluster-cert (the same file)",
                  .complete = RH__COMPLETE_FILE },
      .kind = RH__OPTION_TEXT,
      .offset = AT(cluster_file[3]),
      .commands = RH__FOR_TEST | RH__FOR_AGENT },

    /* ---- semantics ----------------------------------------------------------------------------------------------- */
    { .option.group = RH__GROUP_SEMANTICS, .kind = RH__OPTION_SETTINGS },
    { .option = { .group = RH__GROUP_SEMANTICS,
                  .name = "set",
                  .argument = "NAME=VALUE",
                  .help = "any number or word of struct rh_semantics, by name" },
      .kind = RH__OPTION_SET,
      .commands = RH__FOR_ALL },

    /* ---- reports ------------------------------------------------------------------------------------------------- */
    { .option = { .group = RH__GROUP_REPORTS,
                  .name = "save",
                  .argument = "DIR",
                  .help = "keep schedules of findings in DIR (rehearse-findings)",
                  .manual = "With an empty name none are kept.",
                  .complete = RH__COMPLETE_FOLDER },
      .kind = RH__OPTION_TEXT,
      .offset = AT(save),
      .commands = RH__FOR_TEST | RH__FOR_MINIMISE },
    { .option = { .group = RH__GROUP_REPORTS,
                  .name = "no-minimise",
                  .help = "show the run of a finding as it was found",
                  .manual = "Without this option it is made smaller while it fails in the same way." },
      .kind = RH__OPTION_FLAG,
      .offset = AT(no_minimise),
      .commands = RH__FOR_TEST | RH__FOR_EMBEDDED },
    { .option = { .group = RH__GROUP_REPORTS,
                  .name = "no-explain",
                  .help = "do not look for the reasons why a finding fails",
                  .manual = "Without this option further runs find out which order of events matters." },
      .kind = RH__OPTION_FLAG,
      .offset = AT(no_explain),
      .commands = RH__FOR_TEST | RH__FOR_EMBEDDED },
    { .option = { .group = RH__GROUP_REPORTS,
                  .name = "coverage",
                  .argument = "C",
                  .help = "measure coverage of ordering goals, several criteria with commas",
                  .manual = "A goal is an order of two receives of one actor.\n"
                            "`pr`: one before the other.\n"
                            "`pcr`: with no receive between them.\n"
                            "`pmr`: one of them changes what the actor handles, and no other such change is between "
                            "them.\n"
                            "The report lists pairs of which one order was seen, and whether the other one is "
                            "impossible, or something has forced the order in every run.",
                  .complete = RH__COMPLETE_CHOICES,
                  .choices = criteria },
      .kind = RH__OPTION_CRITERIA,
      .offset = AT(criteria),
      .commands = RH__FOR_TEST },
    { .option = { .group = RH__GROUP_REPORTS,
                  .name = "suite",
                  .argument = "DIR",
                  .help = "keep the schedules of runs that covered a new goal in DIR, as a corpus",
                  .complete = RH__COMPLETE_FOLDER },
      .kind = RH__OPTION_TEXT,
      .offset = AT(suite),
      .commands = RH__FOR_TEST },
    { .option = { .group = RH__GROUP_REPORTS,
                  .name = "require",
                  .argument = "VERDICT",
                  .help = "exit 5 if nothing is found but the verdict is less than that",
                  .manual = "If every run was cut, neither verdict is reached.\n"
                            "Calls that are not controlled, such as threads, do not go with `exhaustive`.",
                  .complete = RH__COMPLETE_CHOICES,
                  .choices = verdicts },
      .kind = RH__OPTION_VERDICT,
      .offset = AT(require),
      .given = AT(required),
      .commands = RH__FOR_TEST | RH__FOR_EMBEDDED },
    { .option.group = RH__GROUP_REPORTS, .kind = RH__OPTION_REPORTERS },
    { .option = { .group = RH__GROUP_REPORTS,
                  .name = "words",
                  .help = "tell the story of a finding as sentences, each operation with its file and line",
                  .manual = "P1 is the test, P1.1 the first actor that it spawns, P1.1.1 the first one that this one "
                            "spawns." },
      .kind = RH__OPTION_FLAG,
      .offset = AT(in_words),
      .commands = RH__FOR_TEST | RH__FOR_REPLAY },
    { .option = { .group = RH__GROUP_REPORTS,
                  .name = "whole-story",
                  .help = "tell every event of a finding, with whole values",
                  .manual =
                      "Without it equal rows are one (`4x beat`), rows of an actor that only goes on are left out, "
                      "and so is the middle of a long run." },
      .kind = RH__OPTION_FLAG,
      .offset = AT(whole_story),
      .commands = RH__FOR_TEST | RH__FOR_REPLAY },
    { .option = { .group = RH__GROUP_REPORTS,
                  .name = "curve",
                  .help = "JSON and pages also say how the exploration went on: new runs and estimate over time",
                  .manual =
                      "At most 512 points. Pages (--html) draw them in any case, but for the number of different "
                      "sequences of choices (up to 3 million), which costs time and is counted without -j only." },
      .kind = RH__OPTION_FLAG,
      .offset = AT(curve),
      .commands = RH__FOR_TEST },
    { .option = { .group = RH__GROUP_REPORTS,
                  .name = "quiet",
                  .help = "findings and verdicts only: no progress, no story" },
      .kind = RH__OPTION_FLAG,
      .offset = AT(quiet),
      .commands = RH__FOR_EVERY },
    { .option = { .group = RH__GROUP_REPORTS, .name = "verbose", .help = "also what the program logs and prints" },
      .kind = RH__OPTION_FLAG,
      .offset = AT(verbose),
      .commands = RH__FOR_RUNS },
    { .option = { .group = RH__GROUP_REPORTS, .name = "help", .help = "list all options" },
      .kind = RH__OPTION_FLAG,
      .offset = AT(help),
      .commands = RH__FOR_EVERY & ~RH__FOR_EMBEDDED },

    /* ---- replay -------------------------------------------------------------------------------------------------- */
    { .option = { .group = RH__GROUP_REPLAY, .name = "step", .argument = "N", .help = "stop after event N" },
      .kind = RH__OPTION_SMALL,
      .offset = AT(step),
      .commands = RH__FOR_REPLAY },
    { .option = { .group = RH__GROUP_REPLAY,
                  .name = "gdb",
                  .help = "run under gdb, and stop before event N of --step (the last)",
                  .manual = "There, `call (void)rh_step_look()` shows actors, messages under way and open choices.\n"
                            "`rh_step_back()`, `rh_step_forward()` and `rh_step_choose(N)` move over the run, "
                            "and `continue` goes on from where it is then." },
      .kind = RH__OPTION_FLAG,
      .offset = AT(gdb),
      .commands = RH__FOR_REPLAY },
    { .option = { .group = RH__GROUP_REPLAY,
                  .name = "svg",
                  .argument = "FILE",
                  .help = "the sequence chart of the run as a picture",
                  .manual = "Lifelines, messages with their fields, what they changed, timers, faults, time.\n"
                            "It follows light and dark, and `-` is standard output.",
                  .complete = RH__COMPLETE_STREAM },
      .kind = RH__OPTION_TEXT,
      .offset = AT(svg),
      .commands = RH__FOR_SHOW },
    { .option = { .group = RH__GROUP_REPLAY,
                  .name = "beside",
                  .argument = "SCHEDULE",
                  .help = "another run in the page, side by side",
                  .complete = RH__COMPLETE_FILE },
      .kind = RH__OPTION_TEXT,
      .offset = AT(beside),
      .commands = RH__FOR_SHOW },
};

/* The next setting of the group that has an option. */
static bool next_setting(struct rh__option_walk *walk, enum rh__option_group group, struct rh__option_row *row)
{
    const char *field;
    for (const struct rh__option *option; (option = rh__semantics_option(walk->inner, &field)); walk->inner++)
        if (option->name && option->group == group) {
            *row = (struct rh__option_row){
                .option = *option, .kind = RH__OPTION_SETTING, .setting = field, .commands = RH__FOR_ALL
            };
            walk->inner++;
            return true;
        }
    return false;
}

static bool next_reporter(struct rh__option_walk *walk, struct rh__option_row *row)
{
    for (const struct rh__reporter *reporter; (reporter = rh__reporters[walk->inner]); walk->inner++)
        if (reporter->option.name) {
            *row = (struct rh__option_row){ .option = reporter->option,
                                            .kind = RH__OPTION_TEXT,
                                            .offset = AT(reports) + walk->inner * sizeof(const char *),
                                            .commands = RH__FOR_TEST };
            row->option.group = RH__GROUP_REPORTS;
            row->commands |= (reporter->estimate ? RH__FOR_ESTIMATE : 0) | (reporter->of_runs ? RH__FOR_SHOW : 0);
            walk->inner++;
            return true;
        }
    return false;
}

bool rh__option_next(struct rh__option_walk *walk, struct rh__option_row *row)
{
    for (; walk->row < sizeof rows / sizeof *rows; walk->row++, walk->inner = 0) {
        const struct rh__option_row *here = &rows[walk->row];
        if (here->kind == RH__OPTION_SETTINGS ? next_setting(walk, here->option.group, row)
                                              : here->kind == RH__OPTION_REPORTERS && next_reporter(walk, row))
            return true;
        if (here->option.name) {
            *row = *here;
            walk->row++;
            return true;
        }
    }
    return false;
}

/* See command_rows.h.  This file refers to nothing else, so that the command `rehearse` can be linked without a
 * world. */
#include "runner/command_rows.h"

const struct rh__command_row rh__command_rows[] = {
    { "test", "[TEST...]", "explore all tests, or these: find message-ordering bugs", RH__FOR_TEST, RH__WORDS_TESTS },
    { "estimate", "[TEST...]", "how many distinct runs there are, before any search", RH__FOR_ESTIMATE,
      RH__WORDS_TESTS },
    { "list", "", "tests, their semantics, parameters, explorers", RH__FOR_LIST, RH__WORDS_NONE },
    { "replay", "SCHEDULE", "run one schedule and tell what happens", RH__FOR_REPLAY, RH__WORDS_SCHEDULE },
    { "show", "SCHEDULE", "run one schedule and draw it (--svg, --html)", RH__FOR_SHOW, RH__WORDS_SCHEDULE },
    { "minimise", "SCHEDULE", "make the failing run of a schedule smaller", RH__FOR_MINIMISE, RH__WORDS_SCHEDULE },
    { "step", "TEST [SCHEDULE]", "walk over runs by hand: choose, undo, look, search, save", RH__FOR_STEP,
      RH__WORDS_TESTS },
    { "corpus", "DIR", "replay every schedule in DIR, as a regression suite", RH__FOR_CORPUS, RH__WORDS_FOLDER },
    { "agent", "--cluster URL", "lend workers to an exploration that `test --cluster` began", RH__FOR_AGENT,
      RH__WORDS_NONE },
    { .name = NULL },
};

const char rh__exit_text[] =
    "\nexit: 0 nothing found, 1 something found, 2 wrong use, 3 the tool failed, 4 not reproducible, 5 less than "
    "--require wants, 128+N ended by signal N\n";

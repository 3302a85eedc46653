/* A build without Z3: see solve.h. */
#include "target/plan_goals.h"
#include "target/solve.h"
#include "target/target_commands.h"

bool rh__solve_possible(void)
{
    return false;
}

void rh__solve_goals(struct rh__concrete *c, struct rh__goals *g, double seconds)
{
    (void)c, (void)g, (void)seconds;
}

bool rh__search_possible(void)
{
    return false;
}

void rh__search_goals(struct rh__concrete *c, struct rh__goals *g, const struct rh__search_options *o)
{
    (void)c, (void)g, (void)o;
}

int rh__command_summaries(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return 77; /* there are none */
}

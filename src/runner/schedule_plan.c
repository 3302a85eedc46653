/* See schedule_plan.h. */
#include "runner/schedule_plan.h"

#include <stdio.h>
#include <string.h>

#include "runner/commands.h"

static bool test_of(const struct rh__schedule *s, const struct rh_test **test, char *text, size_t size)
{
    *test = s->test ? rh__test_named(s->test) : rh_test_first();
    if (!*test)
        snprintf(text, size, "it is for test %s, which this program does not have", s->test);
    return *test != NULL;
}

bool rh__schedule_plan(const struct rh__schedule *s, const struct rh__options *o, struct rh__plan *plan,
                       struct rh_param params[2 * RH__MOST_PARAMS], char *text, size_t size)
{
    memcpy(params, o->params, o->param_count * sizeof *params); /* the first of a name counts */
    plan->params = params;
    plan->param_count = o->param_count;
    if (!test_of(s, &plan->test, text, size))
        return false;
    plan->semantics = plan->test->semantics;
    if (!rh__schedule_settings(s, &plan->semantics, params, &plan->param_count, 2 * RH__MOST_PARAMS, text, size))
        return false;
    size_t given = o->param_count;
    if (!rh__params_known(params, given, "-p ", text, size) ||
        !rh__params_known(params + given, plan->param_count - given, "set param.", text, size))
        return false;
    for (size_t i = 0; i < o->setting_count; i++)
        if (!rh__semantics_set(&plan->semantics, o->settings[i].name, o->settings[i].value, text, size))
            return false;
    plan->asked = plan->semantics;
    return true;
}

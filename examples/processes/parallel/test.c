#include <rehearse/test.h>

#include "parallel.h"

RH_PARAM(components, "11", "of the analysed program, a worker for each; 1 to 64");
RH_PARAM(phases, "2", "of the analysis");
RH_PARAM(turns, "4", "how many workers compute at once");
RH_BUG(lost_wakeup, "a worker looks for a result, and then says that it waits for it");

static int64_t expected(int components, int phase, int component)
{
    int64_t sum = component + 1;
    for (int uses = 2 * component + 1; uses <= 2 * component + 2 && uses < components; uses++)
        sum += expected(components, phase, uses);
    return sum * (phase + 1);
}

RH_TEST(an_analysis_comes_to_its_end)
{
    int components = (int)rh_param("components", 11), phases = (int)rh_param("phases", 2);
    int turns = (int)rh_param("turns", 4);
    rh_assert(components >= 1 && components <= MOST_COMPONENTS && phases >= 1 && turns >= 1, "parameters");
    rh_spawn(coordinator, .components = components, .phases = phases, .at_once = turns, .hasty = rh_bug("lost_wakeup"),
             .asker = self);
    int64_t result = rh_receive(analysed)->result;
    rh_assert(result == expected(components, phases - 1, 0), "the analysis gives %lld", (long long)result);
}

RH_MAIN()

/* The register is linearizable: see docs/linearizability.md. */
#include <rehearse/test.h>

#include "register.h"

RH_PARAM(replicas, "3", "how many replicas there are");
RH_PARAM(writes, "1", "how many values are written");
RH_PARAM(readers, "1", "how many readers there are");
RH_PARAM(reads, "2", "how often each of them reads");
RH_BUG(inversion, "a reader returns what it found, without storing it: a later read may find an older value");
RH_BUG(minority, "a write returns when one replica has stored the value: a later read may miss it");

RH_TEST(the_register_is_linearizable)
{
    struct group g = { .count = (int)rh_param("replicas", 3) };
    rh_assert(g.count >= 1 && g.count <= MOST_REPLICAS, "1 to %d replicas", MOST_REPLICAS);
    for (int i = 0; i < g.count; i++)
        g.at[i] = rh_spawn(replica);
    rh_spawn(writer, .group = g, .writes = (int)rh_param("writes", 1), .hasty = rh_bug("minority"));
    for (int i = 0; i < rh_param("readers", 1); i++)
        rh_spawn(reader, .group = g, .reads = (int)rh_param("reads", 2), .lazy = rh_bug("inversion"));
}

RH_MAIN()

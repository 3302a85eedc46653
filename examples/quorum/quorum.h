/* An election: candidates ask voters, who each vote once; a candidate with a majority leads. */
#ifndef EXAMPLES_QUORUM_H
#define EXAMPLES_QUORUM_H

#include <rehearse.h>

enum { MOST_VOTERS = 32 };

RH_MESSAGE(campaign, rh_ref voters[MOST_VOTERS]; uint32_t count;);
RH_MESSAGE(request);
RH_MESSAGE(vote);
RH_MESSAGE(refusal);
RH_MESSAGE(leads, rh_ref who;);

RH_ACTOR(voter, bool voted;);
/* A candidate tells `registrar` that it leads.  It counts votes; the order in which they come does not matter to it. */
RH_ACTOR(candidate, uint32_t quorum; uint32_t votes, refusals; bool names_first; rh_ref first, registrar;);
RH_ACTOR(registrar, rh_ref leader;);

#endif

/* See senders.h. */
#include "senders.h"

RH_HANDLER(collector, item)
{
    for (int i = 0; i < state->count; i++)
        rh_assert(state->tags[i] != msg->tag, "item %d came twice", msg->tag);
    if (state->orderly)
        rh_assert(msg->tag == state->count + 1, "item %d came as number %d", msg->tag, state->count + 1);
    state->tags[state->count++] = msg->tag;
}
RH_BEHAVIOUR(collector, collecting, item);

static bool has_tag(const struct rh_envelope *m, const void *tag)
{
    return rh_as(m, item)->tag == *(const int *)tag;
}

RH_BODY(sorter)
{
    for (int tag = 1; tag <= state->count; tag++) {
        /* An orderly sorter takes the next item that has arrived. */
        const struct item *got = state->orderly ? rh_receive(item) : rh_receive(item, .match = has_tag, .arg = &tag);
        rh_assert(got->tag == tag, "item %d was taken for item %d", got->tag, tag);
    }
}

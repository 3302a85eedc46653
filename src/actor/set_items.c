/* See set_items.h. */
#include "actor/set_items.h"

#include <string.h>

const struct rh_entry *rh__set_entry(const struct rh_behaviour *b)
{
    for (size_t i = 0; i < b->entry_count; i++)
        if (rh__is_set_entry(&b->entries[i]))
            return &b->entries[i];
    return NULL;
}

uint32_t rh__set_number(const struct rh_entry *e, const void *state)
{
    uint32_t n = e->set;
    if (e->set_at)
        memcpy(&n, (const char *)state + e->set_at - 1, sizeof n);
    return n;
}

const char *rh__set_misuse(const struct rh_behaviour *b)
{
    uint32_t count = 0;
    for (size_t i = 0; i < b->entry_count; i++) {
        const struct rh_message_type *type = b->entries[i].type;
        if (!rh__is_set_entry(&b->entries[i]))
            continue;
        count++;
        if (type == &rh_message_rh_start || type == &rh_message_rh_exited)
            return "rh_start and rh_exited cannot be taken in sets (RH_SETS)";
        if (b->actor->kind == RH_KIND_MONITOR)
            return "a monitor cannot take messages in sets (RH_SETS)";
    }
    return count > 1 ? "a behaviour takes one type of messages in sets, not several (RH_SETS)" : NULL;
}

void rh__handle_set(rh_ref self, void *state, const void *msg)
{
    const struct rh__set_call set = *(const struct rh__set_call *)msg;
    for (uint32_t i = 0; i < set.count; i++) {
        const struct rh_envelope *e = &set.envelopes[set.backwards ? set.count - 1 - i : i];
        if (set.before)
            set.before();
        rh_turn_to(e);
        set.call(self, state, e->value);
    }
}

/* See seam_info.h.
 *
 * In production an actor that waits has seen all messages in its mailbox, and takes none of them.  So here an actor to
 * which a message may be delivered counts as one that is about to run, and its mailbox is what it would leave. */
#include "world/seam_info.h"

#include "world/actors.h"
#include "world/network.h"
#include "world/objects.h"
#include "world/seam.h"
#include "world/seam_lives.h"

void rh__seam_yield(const char *here)
{
    struct rh_world *w = inside_actor("rh_yield", here);
    if (w)
        rh__yield(w, here);
}

static enum rh_doing doing(const struct rh_world *w, uint32_t actor)
{
    const struct world_actor *a = &w->actors[actor];
    if (has_ended(a) || (actor == 0 && rh__test_is_over(w)))
        return RH_DOING_ENDED;
    switch ((enum world_status)a->status) {
    case STATUS_WAITING:
        return a->asking != RH_NONE ? RH_DOING_ASKING : RH_DOING_RECEIVING;
    case STATUS_SLEEPING:
        return RH_DOING_SLEEPING;
    case STATUS_SYNCING:
        return RH_DOING_SYNCING;
    case STATUS_IDLE:
    case STATUS_OUTSIDE:
        return a->start == RH_NONE ? RH_DOING_IDLE : RH_DOING_RUNNING;
    default:
        return RH_DOING_RUNNING;
    }
}

/* How many messages the actor leaves in its mailbox; -1: it takes one of them. */
static int64_t left_alone(struct rh_world *w, uint32_t actor)
{
    int64_t n = 0;
    for (uint32_t c = w->actors[actor].channels; c != RH_NONE; c = w->channels[c].next)
        for (uint32_t m = w->channels[c].first; m != RH_NONE; m = w->messages[m].next) {
            if (rh__message_deliverable(w, m))
                return -1;
            n += w->messages[m].type != &rh__exit_signal && !w->messages[m].wake;
        }
    return n;
}

struct rh_actor_info rh__seam_info(rh_ref who, const char *here)
{
    struct rh_actor_info info = { .doing = RH_DOING_ENDED };
    struct rh_world *w = inside_actor("rh_info", here);
    if (!w)
        return info;
    uint32_t actor = rh__known(w, who, "rh_info", here);
    if (actor != w->current) {
        w->looked_around = true;
        rh__look_around(w, here);
    }
    info.doing = doing(w, actor);
    if (info.doing == RH_DOING_ENDED)
        return info;
    info.mailbox = info.doing == RH_DOING_RUNNING ? -1 : left_alone(w, actor);
    if (info.mailbox < 0) {
        info.doing = RH_DOING_RUNNING;
        info.mailbox = RH_MAILBOX_UNKNOWN;
    } else if (info.doing == RH_DOING_RECEIVING) {
        info.type = w->actors[actor].filter->type;
        info.from = w->actors[actor].filter->from;
    }
    return info;
}

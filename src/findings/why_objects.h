/* Which operations an order is about: the two events of a finding's reason use one shared object (a table, a name, a
 * store, the life of an actor), and the run is made again to note what each of them does to it, and where. */
/* Private to src/findings. */
#ifndef RH_FINDINGS_WHY_OBJECTS_H
#define RH_FINDINGS_WHY_OBJECTS_H

#include <rehearse/world.h>

#include "results/finding.h"

/* The first accesses of the two events that concern one object, one of them a change; false if there are none. */
bool rh__why_shared_uses(const struct rh__run *r, uint32_t first, uint32_t second, uint32_t *use, uint32_t *other);

/* True if the event uses an object. */
bool rh__why_uses(const struct rh__run *r, uint32_t event);
/* Whether the same actor uses the same object in `other` behind a change that another actor makes, and that the event
 * does not find in `r`: the access in `r`, and the change in `other`. */
bool rh__why_later_use(const struct rh__run *r, uint32_t event, const struct rh__run *other, uint32_t *use,
                       uint32_t *change);

/* Fills f->why.uses for an order that is about an object.  Nothing if the operations are not known.  False if the tool
 * failed. */
bool rh__why_name_uses(struct rh_world *w, struct rh__finding *f, const struct rh__run *r);

#endif

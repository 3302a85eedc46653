/* Properties (rh_always, rh_sometimes, rh_eventually): their evaluations, and what a run has seen of each.  Abstract
 * states (rh_abstract, announcements): what a run has shown, for explorers that learn.  They are no part of the
 * state. */
/* Private to src/world. */
#ifndef RH_WORLD_PROPERTIES_H
#define RH_WORLD_PROPERTIES_H

#include <rehearse/seam.h>

struct rh_world;

/* For the seam. */
void rh__seam_property(enum rh_property kind, const char *name, bool holds, const char *here);
void rh__seam_abstract(const char *key, uint64_t value, const char *here);

/* An announcement shows its type, and the type that was announced before it.  Values do not count: they may be any, and
 * have padding. */
void rh__show_announcement(struct rh_world *w, const struct rh_message_type *type);

#endif

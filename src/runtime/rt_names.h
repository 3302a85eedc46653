/* The names of actors: `type#k`, where k counts the spawns of that type by the same creator, after the creator's name
 * and a slash if the creator is an actor.  So an actor has the same name in every run, here and under test.
 *
 * A name is a node that refers to the creator's name; the text is built on demand. */
#ifndef RH_RUNTIME_NAMES_H
#define RH_RUNTIME_NAMES_H

#include <rehearse.h>

struct rh__name;

struct rh__name *rh__name_new(struct rh__name *parent, const char *type, uint32_t number);
struct rh__name *rh__name_keep(struct rh__name *name);
void rh__name_drop(struct rh__name *name); /* NULL is allowed */
uint64_t rh__name_hash(const struct rh__name *name);
/* Ends in dots if the buffer is too small. */
void rh__name_text(const struct rh__name *name, char *buffer, size_t size);

/* The number of the next spawn of this type outside of actors. */
uint32_t rh__name_count_root(const struct rh_actor_type *type);
void rh__name_forget_root(void);

/* The name of a reference; the text stays valid until the next call on the same thread. */
const char *rh__name_of(rh_ref who);
/* False for an actor that has ended and whose name is lost. */
bool rh__name_is_known(rh_ref who);

#endif

/* Durable stores: keys and bytes under a name, in memory and in one journal for all of them (journal.h).
 *
 * An actor opens a store by its name and has it until the actor ends.  One thread writes the puts of all actors to the
 * journal, in their order: it takes all that are there, syncs once, and tells the actors. */
#ifndef RH_RUNTIME_STORE_H
#define RH_RUNTIME_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh__actor;
struct rh__store;

/* Opens the journal of the options' store_folder, if one is given.  False after a sentence on standard error. */
bool rh__store_start(void);
/* Writes what is under way, then closes the journal. */
void rh__store_stop(void);
/* Frees what is in memory; nobody has a store any more. */
void rh__store_release(void);

/* Where a call makes no sense or the store is not to be had, this is told and the actor ends: it does not return. */
void rh__store_open(struct rh__actor *actor, const char *name, const char *here);
uint32_t rh__store_put(struct rh__actor *actor, const char *key, const void *bytes, size_t size, const char *here);
int64_t rh__store_get(struct rh__actor *actor, const char *key, void *buffer, size_t capacity, const char *here);
void rh__store_sync(struct rh__actor *actor, const char *here);

/* The actor has taken note that all writes up to this ticket are durable. */
void rh__store_durable(struct rh__store *store, uint32_t ticket);
bool rh__store_all_durable(const struct rh__store *store);
/* From now on others may open it. */
void rh__store_close(struct rh__store *store); /* NULL is fine */

#endif

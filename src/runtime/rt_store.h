/* Durable stores: keys and bytes under a name, in memory and in one journal for all stores (journal.h).
 *
 * An actor opens a store by its name and owns it until the actor ends.  One thread writes the puts of all actors to the
 * journal, in their order: it takes all pending puts, syncs once, and tells the actors. */
#ifndef RH_RUNTIME_STORE_H
#define RH_RUNTIME_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rh__actor;
struct rh__store;

/* Opens the journal in store_folder of the options, if that is given.  Returns false after a sentence on standard
 * error. */
bool rh__store_start(void);
/* Writes the pending puts, then closes the journal. */
void rh__store_stop(void);
/* Frees the memory; no actor may have a store any more. */
void rh__rt_store_release(void);

/* If the call is invalid or the store cannot be opened, this is reported, the actor ends, and the call does not
 * return. */
void rh__rt_store_open(struct rh__actor *actor, const char *name, const char *here);
/* `call` is the function that the program called, for messages. */
uint32_t rh__rt_store_put(struct rh__actor *actor, const char *call, const char *key, const void *bytes, size_t size,
                          const char *here);
int64_t rh__store_get(struct rh__actor *actor, const char *key, void *buffer, size_t capacity, const char *here);
void rh__rt_store_sync(struct rh__actor *actor, const char *here);

/* The actor has heard that all puts up to this ticket are durable. */
void rh__store_durable(struct rh__store *store, uint32_t ticket);
bool rh__store_all_durable(const struct rh__store *store);
/* Allows others to open the store. */
void rh__store_close(struct rh__store *store); /* NULL is allowed */

#endif

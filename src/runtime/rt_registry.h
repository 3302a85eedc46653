/* Names that the program gives: the table of rh_register, and external senders. */
#ifndef RH_RUNTIME_REGISTRY_H
#define RH_RUNTIME_REGISTRY_H

#include "runtime/mailbox.h"

/* Returns false if the name is taken; with `who` nobody, if it was not set. */
bool rh__registry_set(const char *name, rh_ref who);
rh_ref rh__registry_find(const char *name);
/* Removes the names of an actor that has ended. */
void rh__registry_forget(struct rh__slot *slot, rh_ref who);

/* The external sender with this name: always the same reference. */
rh_ref rh__external(const char *name);
void rh__external_text(rh_ref who, char *buffer, size_t size);

void rh__registry_release(void);

#endif

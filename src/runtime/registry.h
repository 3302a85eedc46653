/* Names given by the program: rh_register's table, and external senders. */
#ifndef RH_RUNTIME_REGISTRY_H
#define RH_RUNTIME_REGISTRY_H

#include "runtime/mailbox.h"

/* False where the name is taken (who nobody: where it was not set). */
bool rh__registry_set(const char *name, rh_ref who);
rh_ref rh__registry_find(const char *name);
/* An actor that has names has ended. */
void rh__registry_forget(struct rh__slot *slot, rh_ref who);

/* The external sender of this name: always the same reference. */
rh_ref rh__external(const char *name);
void rh__external_text(rh_ref who, char *buffer, size_t size);

void rh__registry_release(void);

#endif

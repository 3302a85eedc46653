/* The part of the controlled world's seam that concerns durable stores; seam.c names these functions in its struct. */
/* Private to src/world. */
#ifndef RH_WORLD_SEAM_STORE_H
#define RH_WORLD_SEAM_STORE_H

#include <rehearse/seam.h>

void rh__seam_store_open(const char *name, const char *here);
uint32_t rh__seam_store_put(const char *key, const void *bytes, size_t size, const char *here);
void rh__seam_store_put_sync(const char *key, const void *bytes, size_t size, const char *here);
int64_t rh__seam_store_get(const char *key, void *buffer, size_t capacity, const char *here);
void rh__seam_store_sync(const char *here);

#endif

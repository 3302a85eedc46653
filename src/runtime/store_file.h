/* The file behind a store: eight bytes that say what it is, then records, appended.
 *
 *   record   uint32 bytes of the value, or UINT32_MAX where the key is removed; uint32 bytes of the key;
 *            uint64 checksum of the two numbers, key and value; key; value
 *
 * A record counts only whole and with the right checksum: reading stops before the first one that is not, and what
 * stands from there on, the rest of a write that a crash cut short, is cut off. */
#ifndef RH_RUNTIME_STORE_FILE_H
#define RH_RUNTIME_STORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RH__RECORD_HEAD = 16 };
#define RH__RECORD_REMOVES UINT32_MAX

/* Called for each record in order; value NULL where the key is removed. */
typedef void rh__record_fn(void *arg, const char *key, size_t key_size, const void *value, size_t value_size);

/* Opens or makes the file, reads it, cuts a torn end: a descriptor to append with, or -1 and a sentence. */
int rh__store_file_open(const char *path, rh__record_fn *each, void *arg, size_t *size, size_t *cut, char *text,
                        size_t text_size);
size_t rh__record_size(size_t key_size, const void *value, size_t value_size);
void rh__record_write(char *to, const char *key, size_t key_size, const void *value, size_t value_size);
/* Replaces the file by one with the records in `bytes`; a descriptor as above, or -1 and the old file is as it was. */
int rh__store_file_replace(const char *path, const char *bytes, size_t size);

#endif

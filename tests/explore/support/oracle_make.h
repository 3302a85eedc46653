/* Making programs (oracle_program.h) from seeds, making them smaller, and writing them down. */
#ifndef RH_TESTS_EXPLORE_SUPPORT_ORACLE_MAKE_H
#define RH_TESTS_EXPLORE_SUPPORT_ORACLE_MAKE_H

#include "explore/support/oracle_program.h"

void features_make(struct features *p, uint64_t seed);
/* Actors that do little but operations on the same few shared objects. */
void features_make_crowd(struct features *p, uint64_t seed);
/* Stores that several want to have: a misuse, unless one ends before the other comes. */
void features_share(struct features *p);
/* With what makes a difference then. */
void features_with_time(struct features *p, enum rh_time time);
/* With processes that wait for sets of messages, and enough messages for that. */
void features_with_sets(struct features *p);
/* Small programs whose actors crash, and compete for fewer restarts. */
void features_make_scarce(struct features *p, uint64_t seed);
/* Actors that end, and dead letters that fail. */
void features_make_mortal(struct features *p, uint64_t seed);
/* Actors that link to each other, trap exits and end. */
void features_make_linked(struct features *p, uint64_t seed);
/* Actors that take messages in sets (RH_SETS), and others alone. */
void features_make_gathering(struct features *p, uint64_t seed);
/* Actors that record calls and returns of a history, with results that some orders explain. */
void features_make_clients(struct features *p, uint64_t seed);
/* Processes that use every operation that there is for them; with `fails` some of them fail. */
void features_make_processes(struct features *p, uint64_t seed);
/* The same with less of it, where it is too large; false where there is no less. */
bool features_shrink(struct features *p);
struct rh_semantics features_semantics(const struct features *p);

/* As text, and back. */
void features_write(const struct features *p, char *text, size_t size);
/* False where a word is not known. */
bool features_read(struct features *p, const char *text);

#endif

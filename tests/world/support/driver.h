/* What tests of the controlled world share: opening worlds, walking all choices, and digests.
 *
 * A digest is a text of everything there is to a state of a world, made by looking at every table, without hashes that
 * the world itself keeps; two digests that differ can be shown to people.  A state before a step and after undoing it
 * must have one digest. */
#ifndef RH_TESTS_WORLD_SUPPORT_DRIVER_H
#define RH_TESTS_WORLD_SUPPORT_DRIVER_H

#include <rehearse/world.h>

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/copy.h"
#include "world/fiber.h"
#include "world/network.h"
#include "world/pages.h"
#include "world/state.h"
#include "world/tables.h"

/* ---- worlds ---------------------------------------------------------------------------------------------------- */

const struct rh_test *find_test(const char *name);
/* A world of that test, begun; with these semantics instead of its own unless NULL. */
struct rh_world *open_test(const char *name, const struct rh_semantics *semantics);
/* For cmocka_unit_test_teardown: a test that failed leaves its world behind, without its signal handlers, since cmocka
 * has put back those from before the test. */
int close_world(void **unused);
#define WORLD_TEST(name) cmocka_unit_test_teardown(name, close_world)

/* Copies the open choices; the caller frees them. */
struct rh_choice *copy_choices(struct rh_world *w, uint32_t *n);
/* Every sequence of choices, by undo; `each` is called at the end of each of them.  Gives their number, or more than
 * `limit` where there are more. */
uint64_t every_run(struct rh_world *w, uint64_t limit, void (*each)(struct rh_world *w, void *arg), void *arg);
void step_by_text(struct rh_world *w, const char *text);
bool is_open(struct rh_world *w, const char *text);

/* ---- counting outcomes ----------------------------------------------------------------------------------------- */

/* Texts and how often each came. */
struct tally {
    char text[256][96];
    uint64_t times[256];
    uint32_t count;
};

void tally_add(struct tally *t, const char *text);
uint64_t tally_of(const struct tally *t, const char *text);
void tally_print(const struct tally *t);

/* ---- digests --------------------------------------------------------------------------------------------------- */

struct digest {
    char *text;
    size_t length, capacity;
};

__attribute__((format(printf, 2, 3))) void digest_add(struct digest *d, const char *format, ...);
void digest_free(struct digest *d);
/* Of bytes, and not one of the world's own functions. */
uint64_t digest_hash(const void *bytes, size_t size);
/* Everything.  `globals` are bytes of the test's own that handlers write. */
void digest_world(struct digest *d, struct rh_world *w, const void *globals, size_t size);
/* The same but for the bytes on stacks?  Dead words between the live ones hold what functions of the world left there,
 * and that may depend on whether fingerprints are kept up: a step that is taken again need not leave the same. */
bool digest_same_but_stacks(const struct digest *left, const struct digest *right);
/* Shows the first line in which two digests differ. */
void digest_show(const struct digest *was, const struct digest *is);

#endif

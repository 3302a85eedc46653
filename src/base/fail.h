/* When the tool itself is at fault, and the tool's own memory.
 *
 * A mistake of ours is never taken for a bug of the program under test: it says "internal error" and ends the
 * process with status 3. The checks stay on in release builds.
 *
 * The memory functions are malloc's for everything that belongs to the tool. They pass by malloc itself, which test
 * builds replace by one that serves from the region of the running actor. They return NULL when there is no memory,
 * and a test can ask for that (SQLite's fault loop):
 *
 *     for (long k = 1;; k++) {
 *         rh__alloc_fail_after(k);
 *         ... do the work; it succeeds or says that memory ran out, and leaks nothing ...
 *         if (!rh__alloc_has_failed())
 *             break;
 *     }
 */
#ifndef RH_BASE_FAIL_H
#define RH_BASE_FAIL_H

#include <stdbool.h>
#include <stddef.h>

#define RH__BUG_EXIT 3

#define RH__STRING_OF_(x) #x
#define RH__STRING_OF(x)  RH__STRING_OF_(x)
/* The name without folders: the same wherever the tool was built. */
#ifdef __FILE_NAME__
#define RH__PLACE __FILE_NAME__ ":" RH__STRING_OF(__LINE__)
#else
#define RH__PLACE __FILE__ ":" RH__STRING_OF(__LINE__)
#endif

/* RH__ASSERT(left > 0, "%d left", left): our own mistake unless the condition holds. */
#define RH__ASSERT(condition, ...)                                                                                     \
    (__builtin_expect(!!(condition), 1) ? (void)0 : rh__bug(RH__PLACE " (" #condition ")", __VA_ARGS__))

/* Says on standard error what went wrong and where, then ends the process with RH__BUG_EXIT. Allocates nothing and
 * runs no exit handlers: those may be the program's. */
_Noreturn void rh__bug(const char *place, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* The command that replays the run under way, for rh__bug to print; NULL when there is none. */
void rh__bug_set_replay(const char *command_kept);

void *rh__alloc(size_t size) __attribute__((malloc, warn_unused_result));
/* Zero-filled; NULL as well when count * size does not fit a size_t. */
void *rh__alloc_array(size_t count, size_t size) __attribute__((malloc, warn_unused_result));
/* On failure the old block is untouched. */
void *rh__realloc(void *p, size_t size) __attribute__((warn_unused_result));
void rh__free(void *p);

/* Lets the k-th allocation from now on fail, once; 0 lets none fail. */
void rh__alloc_fail_after(long k);
/* Whether the failure asked for last has happened. */
bool rh__alloc_has_failed(void);
/* Blocks allocated and not freed. */
long rh__alloc_live(void);

#endif

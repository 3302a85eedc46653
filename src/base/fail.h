/* Internal errors, and the tool's own memory.
 *
 * An internal error is a defect of rehearse, never of the program under test. The process prints "internal error" and
 * exits with status 3. RH__ASSERT stays on in release builds. RH__CHECK is for checks that cost more than the code
 * around them: it is compiled in the hostile build only (cmake -DRH_HOSTILE=ON, preset `hostile`).
 *
 * The tool uses these memory functions in place of malloc, because test programs replace malloc with an allocator that
 * serves from the region of the running actor. The functions return NULL when memory runs out. A test can request that
 * (SQLite's fault loop):
 *
 *     for (long k = 1;; k++) {
 *         rh__alloc_fail_after(k);
 *         ... do the work; it succeeds or says that memory ran out, and leaks nothing ...
 *         if (!rh__alloc_has_failed())
 *             break;
 *     }
 *
 * In the hostile build new memory is filled with junk, freed memory is overwritten, rh__realloc always moves the block,
 * and rh__free finds a block that is freed twice, not ours, or written past its end.
 */
#ifndef RH_BASE_FAIL_H
#define RH_BASE_FAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RH__BUG_EXIT 3

#define RH__STRING_OF_(x) #x
#define RH__STRING_OF(x)  RH__STRING_OF_(x)
/* The name without folders: the same wherever the tool was built. */
#ifdef __FILE_NAME__
#define RH__PLACE __FILE_NAME__ ":" RH__STRING_OF(__LINE__)
#else
#define RH__PLACE __FILE__ ":" RH__STRING_OF(__LINE__)
#endif

/* RH__ASSERT(left > 0, "%d left", left): an internal error unless the condition holds. */
#define RH__ASSERT(condition, ...)                                                                                     \
    (__builtin_expect(!!(condition), 1) ? (void)0 : rh__bug(RH__PLACE " (" #condition ")", __VA_ARGS__))

/* RH__CHECK(rh__graph_is_acyclic(g), "after event %u", event): RH__ASSERT in the hostile build. Other builds compile
 * the condition, so that it cannot rot, and do not evaluate it. `if (RH__IS_HOSTILE)` encloses what a check must
 * remember. */
#ifdef RH__HOSTILE
#define RH__IS_HOSTILE 1
#else
#define RH__IS_HOSTILE 0
#endif
#define RH__CHECK(condition, ...)                                                                                      \
    (!RH__IS_HOSTILE || (condition) ? (void)0 : rh__bug(RH__PLACE " (" #condition ")", __VA_ARGS__))

/* Writes to standard error what went wrong, where, and how to replay it, then ends the process with RH__BUG_EXIT.
 * Allocates nothing, runs no exit handlers, and passes by every interposed function: in the middle of a handler those
 * would blame the program. */
_Noreturn void rh__bug(const char *place, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* What rh__bug prints and does besides. Each setter is called before the fork of the process that the value is for, and
 * with NULL at the end. What the pointers point to is kept until then. */

/* The command that explores the same runs again. */
void rh__bug_set_replay(const char *command_kept);
/* Counters: runs that are over, and events of the run under way. */
void rh__bug_set_run(const uint64_t *runs_kept, const uint32_t *events_kept);
/* Becomes true: tells a parent process, in shared memory, that status RH__BUG_EXIT came from here. */
void rh__bug_set_mark(bool *mark_kept);
/* Writes the lines that follow the message of an internal error, each after a line break: for a process that reports
 * the death of another. */
void rh__bug_context(char *buffer, size_t size);

/* RH__PLANT("run", x->runs): fails in the hostile build if the environment has REHEARSE_PLANT=run=17 and the value is
 * 17.  Tests plant internal errors that way. */
#define RH__PLANT(name, value)                                                                                         \
    (RH__IS_HOSTILE && rh__bug_is_planted(name, value)                                                                 \
         ? rh__bug(RH__PLACE, "planted, %s=%llu", name, (unsigned long long)(value))                                   \
         : (void)0)
bool rh__bug_is_planted(const char *name, uint64_t value);

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

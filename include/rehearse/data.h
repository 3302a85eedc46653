/* A part of rehearse.h: data that is not the state of one actor, in durable stores and in shared tables.  Programs
 * include rehearse.h. */
#ifndef REHEARSE_DATA_H
#define REHEARSE_DATA_H

#include <rehearse.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- durable store ----------------------------------------------------------------------------------------------- */

/* A store keeps keys and bytes that outlive the process.  An actor opens its store by name before it uses it:
 *
 *     RH_HANDLER(ledger, rh_start) { rh_store_open("ledger"); ... }
 *
 * The program chooses the name.  The same name is the same store, whichever actor opens it and in whatever order actors
 * are spawned.  The actor owns the store until it ends or crashes; after a restart it must open the store again.  An
 * actor owns at most one store, and a store has at most one owner: opening a second store, or a store that another
 * living actor owns, is a misuse.  Opening one's own store again has no effect.
 *
 * A put is pending until rh_stored arrives with its ticket or rh_store_sync returns.  Puts become durable in order, and
 * a crash keeps a prefix of the pending ones.  Reads see the latest put.  A put of NULL removes the key.  Puts that are
 * pending when an actor ends become durable before the puts of the next owner.
 *
 * rh_store_put_sync is a put that is durable when the call returns, and so is everything that was put before: an actor
 * that must not answer before its vote is on the disk makes the put and answers in the same handler.  There is no
 * ticket, and no rh_stored arrives for puts that became durable during the call.  In production the actor waits for the
 * disk, and takes no message meanwhile.  Under test the call is a part of the step in which it is made: no other actor
 * moves, and no crash happens, between the put and its return.  (With failed_puts it is a put and rh_store_sync, since
 * the put may fail while the actor waits.)
 *
 * Nothing fails silently.  If the store cannot be opened, or a put cannot be made durable, the actor ends with reason
 * "store".  If acknowledged data is missing, the actor ends with reason "damaged".  Linked and monitoring actors hear
 * of it as of any other end; in production the on_failure hook is called first.  After a failed put this program cannot
 * open the store again, because nobody knows how much of the put is on the disk.  Under test these are faults with
 * budgets: failed_puts, failed_opens and damaged_stores of struct rh_semantics. */
enum { RH_STORE_NAME_SIZE = 128 }; /* with the final zero; a name is not empty and has no control characters */
#define rh_store_open(name)                 rh_store_open_(name, RH_HERE)
#define rh_store_put(key, bytes, size)      rh_store_put_(key, bytes, size, RH_HERE)
#define rh_store_put_sync(key, bytes, size) rh_store_put_sync_(key, bytes, size, RH_HERE)
#define rh_store_get(key, buffer, capacity) rh_store_get_(key, buffer, capacity, RH_HERE)
#define rh_store_sync()                     rh_store_sync_(RH_HERE)
void rh_store_open_(const char *name, const char *here);
/* Returns the ticket of the put. */
uint32_t rh_store_put_(const char *key, const void *bytes, size_t size, const char *here);
void rh_store_put_sync_(const char *key, const void *bytes, size_t size, const char *here);
/* Copies at most `capacity` bytes of the value and returns its size; -1 if the key has no value. */
int64_t rh_store_get_(const char *key, void *buffer, size_t capacity, const char *here);
void rh_store_sync_(const char *here); /* waits until everything that the actor can read is durable */

/* ---- shared tables ----------------------------------------------------------------------------------------------- */

/* Keys and bytes that all actors see and change, like Erlang's ETS.  Each call is atomic; other actors may run between
 * two calls (under test with RH_GRAIN_OBJECT; see rehearse/test.h).  To check and act in one step, use
 * rh_table_insert_new, rh_table_swap or rh_table_add.
 *
 *     RH_TABLE(seats);                                  in a header, where several files use it
 *     if (rh_table_insert_new(seats, "12A", &self, sizeof self)) ...
 *
 * RH_TABLE(name) declares a table whose keys are independent of each other.  RH_TABLE_ORDERED(name) declares a table
 * that can also be counted and iterated (rh_table_count, rh_table_next).  These depend on all keys: under test the
 * order of every two calls on such a table is explored, in production the calls share a lock.
 *
 * A table exists, empty, from the beginning of the run or the runtime to its end.  Its contents belong to no actor:
 * they survive the end and the crash of the actor that put them there, and partitions do not divide them.
 *
 * Keys are texts of 1 to RH_TABLE_KEY_SIZE - 1 bytes; values have at most max_message_bytes bytes and are copied in and
 * out.  NULL in place of bytes means no value.  In production any thread may use tables; monitors (RH_MONITOR) may
 * not. */
struct rh_table {
    const char *name;
    bool ordered;
};
enum { RH_TABLE_KEY_SIZE = 128 };

#define RH_TABLE(name)         RH_TABLE_(name, false)
#define RH_TABLE_ORDERED(name) RH_TABLE_(name, true)

/* Sets the value of the key, or removes it (NULL).  Returns whether the key had a value. */
#define rh_table_put(table, key, bytes, size) rh_table_put_(&rh_table_of_##table, key, bytes, size, RH_HERE)
/* Sets the value if the key has none.  Returns whether it did. */
#define rh_table_insert_new(table, key, bytes, size)                                                                   \
    rh_table_insert_new_(&rh_table_of_##table, key, bytes, size, RH_HERE)
/* Removes the value.  Returns whether there was one. */
#define rh_table_remove(table, key) rh_table_remove_(&rh_table_of_##table, key, RH_HERE)
/* Compare and swap: sets the value if the current value equals the expected one.  Returns whether it did.  `expected`
 * NULL expects no value; `bytes` NULL removes the value. */
#define rh_table_swap(table, key, expected, expected_size, bytes, size)                                                \
    rh_table_swap_(&rh_table_of_##table, key, expected, expected_size, bytes, size, RH_HERE)
/* Copies at most `capacity` bytes of the value and returns its size; -1 if the key has no value. */
#define rh_table_get(table, key, buffer, capacity) rh_table_get_(&rh_table_of_##table, key, buffer, capacity, RH_HERE)
/* A counter: adds to the value, an int64_t (0 if there is none), and returns the sum, which wraps around. */
#define rh_table_add(table, key, delta) rh_table_add_(&rh_table_of_##table, key, delta, RH_HERE)
/* The number of keys with a value, of an ordered table. */
#define rh_table_count(table) rh_table_count_(&rh_table_of_##table, RH_HERE)
/* Iterates over an ordered table: finds the first key after `previous` in the order of strcmp; false after the last
 * key.  `previous` need not be in the table; NULL or "" begins at the first key.  `previous` and `key` may be the same
 * buffer:
 *     char key[RH_TABLE_KEY_SIZE] = "";
 *     while (rh_table_next(members, key, key, sizeof key)) ...
 * Each call is a step of its own.  Keys that are added or removed meanwhile may be seen or not; others are seen
 * once. */
#define rh_table_next(table, previous, key, capacity)                                                                  \
    rh_table_next_(&rh_table_of_##table, previous, key, capacity, RH_HERE)

bool rh_table_put_(const struct rh_table *table, const char *key, const void *bytes, size_t size, const char *here);
bool rh_table_insert_new_(const struct rh_table *table, const char *key, const void *bytes, size_t size,
                          const char *here);
bool rh_table_remove_(const struct rh_table *table, const char *key, const char *here);
bool rh_table_swap_(const struct rh_table *table, const char *key, const void *expected, size_t expected_size,
                    const void *bytes, size_t size, const char *here);
int64_t rh_table_get_(const struct rh_table *table, const char *key, void *buffer, size_t capacity, const char *here);
int64_t rh_table_add_(const struct rh_table *table, const char *key, int64_t delta, const char *here);
uint32_t rh_table_count_(const struct rh_table *table, const char *here);
bool rh_table_next_(const struct rh_table *table, const char *previous, char *key, size_t capacity, const char *here);

#ifdef __cplusplus
}
#endif
#endif

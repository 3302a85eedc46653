/* Fibers, on the two C functions of Boost.Context.  See rt_fiber.h. */
#include "runtime/rt_fiber.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/rt_worker.h"
#include "runtime/runtime.h"

/* From libboost_context (assembler, no C++). */
typedef void *fcontext_t;
typedef struct {
    fcontext_t fctx; /* where the caller of the jump stopped */
    void *data;
} transfer_t;
transfer_t jump_fcontext(fcontext_t to, void *data);
fcontext_t make_fcontext(void *stack_top, size_t size, void (*entry)(transfer_t));

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* <sys/mman.h> may be older than the kernel */
#endif

enum { LOCAL_SPARES = 16, SHARED_SPARES = 64, MIN_STACK = 16 << 10 };

static struct {
    pthread_mutex_t lock;
    struct rh__fiber *first;
    int count;
} shared = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Atomic(long) stacks;

/* If the kernel supports it (Linux 6.13), the guard is an entry of the page table, and neighbouring stacks are one
 * mapping.  Otherwise each stack costs two mappings, and vm.max_map_count is the limit. */
static bool guard(char *at, size_t page)
{
    return madvise(at, page, MADV_GUARD_INSTALL) == 0 || mprotect(at, page, PROT_NONE) == 0;
}

long rh__fiber_count(void)
{
    return atomic_load(&stacks);
}

static struct rh__fiber *fiber_map(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t size = rh__rt.options.stack_bytes > MIN_STACK ? rh__rt.options.stack_bytes : MIN_STACK;
    size = (size + page - 1) & ~(page - 1);
    char *at =
        mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    if (!guard(at, page)) {
        munmap(at, size + page);
        return NULL;
    }
    atomic_fetch_add(&stacks, 1);
    struct rh__fiber *fiber = (void *)(at + page + size - ((sizeof *fiber + 63) & ~(size_t)63));
    fiber->low = at + page;
    fiber->size = (size_t)((char *)fiber - fiber->low);
    fiber->next = NULL;
    fiber->fake_stack = fiber->shadow = NULL;
    return fiber;
}

/* Returns false if unmapping would split a mapping and there are too many mappings; the stack is then unchanged. */
static bool fiber_unmap(struct rh__fiber *fiber)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t header = (sizeof *fiber + 63) & ~(size_t)63;
    char *low = fiber->low;
    size_t size = fiber->size;
#if RH__ASAN
    __asan_unpoison_memory_region(low, size);
#endif
#if RH__TSAN
    if (fiber->shadow)
        __tsan_destroy_fiber(fiber->shadow);
#endif
    fiber->shadow = NULL;
    if (munmap(low - page, page + size + header) != 0)
        return false;
    atomic_fetch_sub(&stacks, 1);
    return true;
}

static void share(struct rh__fiber *fiber)
{
    pthread_mutex_lock(&shared.lock);
    fiber->next = shared.first;
    shared.first = fiber;
    shared.count++;
    pthread_mutex_unlock(&shared.lock);
}

void rh__fiber_free(struct rh__fiber *fiber)
{
    if (!fiber_unmap(fiber))
        share(fiber);
}

void rh__fiber_release_spares(void)
{
    /* Some stacks can be unmapped only after their neighbours. */
    for (int before = shared.count + 1; shared.first && shared.count < before;) {
        struct rh__fiber *fiber = shared.first;
        before = shared.count;
        shared.first = NULL;
        shared.count = 0;
        for (struct rh__fiber *next; fiber; fiber = next) {
            next = fiber->next;
            rh__fiber_free(fiber);
        }
    }
}

void rh__fiber_recycle(struct rh__worker *worker, struct rh__fiber *fiber)
{
#if RH__ASAN
    __asan_unpoison_memory_region(fiber->low, fiber->size);
    fiber->fake_stack = NULL;
#endif
#if RH__TSAN
    if (fiber->shadow)
        __tsan_destroy_fiber(fiber->shadow);
    fiber->shadow = NULL;
#endif
    if (worker->spare_count < LOCAL_SPARES) {
        fiber->next = worker->spares;
        worker->spares = fiber;
        worker->spare_count++;
        return;
    }
    pthread_mutex_lock(&shared.lock);
    bool keep = shared.count < SHARED_SPARES;
    pthread_mutex_unlock(&shared.lock);
    if (keep)
        share(fiber);
    else
        rh__fiber_free(fiber);
}

/* One spare stack is reserved for rh__rt_fiber_abandon, which must not fail. */
bool rh__fiber_prepare(struct rh__worker *worker)
{
    while (worker->spare_count < 2) {
        pthread_mutex_lock(&shared.lock);
        struct rh__fiber *fiber = shared.first;
        if (fiber) {
            shared.first = fiber->next;
            shared.count--;
        }
        pthread_mutex_unlock(&shared.lock);
        if (!fiber && !(fiber = fiber_map()))
            return false;
        fiber->next = worker->spares;
        worker->spares = fiber;
        worker->spare_count++;
    }
    return true;
}

/* Runs first on the stack that was jumped to: does what had to wait until nothing runs on the other stack. */
static void arrive(struct rh__worker *worker, fcontext_t from)
{
    worker->previous->context = from;
    if (worker->then_recycle) {
        worker->then_recycle = false;
        rh__fiber_recycle(worker, worker->previous);
    } else if (worker->then_give_up) {
        struct rh__slot *slot = worker->then_give_up;
        worker->then_give_up = NULL;
        rh__worker_give_up(worker, slot);
    }
}

static void fiber_main(transfer_t t)
{
    struct rh__worker *worker = t.data;
#if RH__ASAN
    if (worker->previous == &worker->root)
        __sanitizer_finish_switch_fiber(NULL, (const void **)&worker->root.low, &worker->root.size);
    else
        __sanitizer_finish_switch_fiber(NULL, NULL, NULL);
#endif
    arrive(worker, t.fctx);
    rh__worker_loop();
}

/* Returns in the calling fiber, perhaps on another thread; does not return if the fiber was recycled. */
static void jump(struct rh__worker *worker, struct rh__fiber *to, bool keep)
{
    struct rh__fiber *from = worker->fiber;
    worker->previous = from;
    worker->fiber = to;
#if RH__ASAN
    __sanitizer_start_switch_fiber(keep ? &from->fake_stack : NULL, to->low, to->size);
#endif
#if RH__TSAN
    __tsan_switch_to_fiber(to->shadow, 0);
#endif
    (void)keep;
    transfer_t t = jump_fcontext(to->context, worker);
    worker = t.data;
#if RH__ASAN
    __sanitizer_finish_switch_fiber(worker->fiber->fake_stack, NULL, NULL);
#endif
    arrive(worker, t.fctx);
}

static struct rh__fiber *fresh(struct rh__worker *worker)
{
    struct rh__fiber *fiber = worker->spares;
    worker->spares = fiber->next;
    worker->spare_count--;
    fiber->context = make_fcontext(fiber->low + fiber->size, fiber->size, fiber_main);
#if RH__TSAN
    fiber->shadow = __tsan_create_fiber(0);
#endif
    return fiber;
}

bool rh__fiber_enter(struct rh__worker *worker)
{
    if (!rh__fiber_prepare(worker))
        return false;
    worker->fiber = &worker->root;
#if RH__TSAN
    worker->root.shadow = __tsan_get_current_fiber();
#endif
    jump(worker, fresh(worker), true);
    while (worker->spares) {
        struct rh__fiber *fiber = worker->spares;
        worker->spares = fiber->next;
        rh__fiber_free(fiber);
    }
    worker->spare_count = 0;
    return true;
}

_Noreturn void rh__fiber_leave(struct rh__worker *worker)
{
    worker->then_recycle = true;
    jump(worker, &worker->root, false);
    abort();
}

void rh__fiber_park(struct rh__worker *worker, struct rh__slot *slot)
{
    worker->then_give_up = slot;
    jump(worker, fresh(worker), true);
}

_Noreturn void rh__rt_fiber_resume(struct rh__worker *worker, struct rh__fiber *to)
{
    worker->then_recycle = true;
    jump(worker, to, false);
    abort();
}

_Noreturn void rh__rt_fiber_abandon(struct rh__worker *worker)
{
    worker->then_recycle = true;
    jump(worker, fresh(worker), false);
    abort();
}

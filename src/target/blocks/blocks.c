/* Block coverage of a program that was compiled by rehearse-bitcode: the functions that clang's
 * -fsanitize-coverage=trace-pc-guard,pc-table calls.  They are a library of their own, librehearse-blocks.a, so that
 * they never meet those of a sanitizer or a fuzzer. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/blocks.h"

struct rh__blocks rh__blocks;

/* The names are clang's. */
void __sanitizer_cov_trace_pc_guard_init(uint32_t *first, uint32_t *end);
void __sanitizer_cov_trace_pc_guard(uint32_t *guard);
void __sanitizer_cov_pcs_init(const uintptr_t *first, const uintptr_t *end);

/* What a program that was compiled with `rehearse-bitcode --null` calls where a check fails. */
__attribute__((noreturn)) void __ubsan_handle_type_mismatch_minimal_abort(void);
__attribute__((noreturn)) void __ubsan_handle_out_of_bounds_minimal_abort(void);
void rh_to_nobody_(void);

void __ubsan_handle_type_mismatch_minimal_abort(void)
{
    fputs("a null pointer is used\n", stderr);
    abort();
}

void __ubsan_handle_out_of_bounds_minimal_abort(void)
{
    fputs("an index is not one of the array\n", stderr);
    abort();
}

/* Its block is all that matters; the send says what is wrong. */
void rh_to_nobody_(void)
{
}

/* Every file's constructor calls this, with the guards of the whole program. */
void __sanitizer_cov_trace_pc_guard_init(uint32_t *first, uint32_t *end)
{
    if (first == end || *first)
        return;
    size_t count = (size_t)(end - first);
    void *flags = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (flags == MAP_FAILED) {
        fputs("rehearse: no memory for block coverage\n", stderr);
        exit(3);
    }
    for (uint32_t i = 0; i < count; i++)
        first[i] = i + 1;
    rh__blocks.flags = flags;
    rh__blocks.count = (uint32_t)count;
}

void __sanitizer_cov_pcs_init(const uintptr_t *first, const uintptr_t *end)
{
    (void)end;
    rh__blocks.table = first;
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
    if (!*guard)
        return;
    uint8_t *flag = &rh__blocks.flags[*guard - 1];
    if (!(*flag & RH__BLOCK_RAN))
        *flag |= RH__BLOCK_RAN;
    if ((*flag & RH__BLOCK_WANTED) && rh__blocks.reached)
        rh__blocks.reached(*guard - 1);
}

/* Explorers that make every sequence of choices, each once, compared with brute force (runs.h) over the generated
 * programs of program.h. */
#ifndef RH_TESTS_EXPLORE_SUPPORT_BRUTE_H
#define RH_TESTS_EXPLORE_SUPPORT_BRUTE_H

#include <stdbool.h>
#include <stdint.h>

struct compared {
    uint32_t programs, too_large; /* the second are no part of the first */
    uint32_t out_of_order;        /* programs whose runs came in another order than first choice first */
    uint64_t runs, behaviours, failed;
    uint32_t per_model[4], with_faults;
};

/* Programs 1 to `programs` of at most `largest` runs; fails the test at the first difference.  With `crashes` some of
 * their runs crash in the middle. */
struct compared compare_with_brute_force(const char *explorer, uint64_t programs, uint32_t largest, bool crashes);

#endif

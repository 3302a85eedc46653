/* Which sanitizer this file is compiled for, and the sanitizers' calls for stack switches. */
#ifndef RH_RUNTIME_SANITIZE_H
#define RH_RUNTIME_SANITIZE_H

#include <stddef.h>

#if defined(__has_feature)
#define RH__HAS_FEATURE(x) __has_feature(x)
#else
#define RH__HAS_FEATURE(x) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || RH__HAS_FEATURE(address_sanitizer)
#define RH__ASAN 1
#else
#define RH__ASAN 0
#endif

#if defined(__SANITIZE_THREAD__) || RH__HAS_FEATURE(thread_sanitizer)
#define RH__TSAN 1
#else
#define RH__TSAN 0
#endif

#if RH__ASAN
void __sanitizer_start_switch_fiber(void **fake_stack, const void *bottom, size_t size);
void __sanitizer_finish_switch_fiber(void *fake_stack, const void **bottom_old, size_t *size_old);
void __asan_unpoison_memory_region(void const volatile *address, size_t size);
#endif

#if RH__TSAN
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
#endif

#endif

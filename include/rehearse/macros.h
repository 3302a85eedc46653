/* The preprocessor part of rehearse.h: counts arguments, maps a macro over a list, and implements the declaration
 * macros.  Programs do not use it directly. */
#ifndef REHEARSE_MACROS_H
#define REHEARSE_MACROS_H

/* Names made by macros: no prefix begins another prefix or a public name, and two underscores join two parts, so that
 * two declarations never get the same name. */

#define RH_STRING_(x) #x
#define RH_STRING(x)  RH_STRING_(x)
#define RH_CAT_(a, b) a##b
#define RH_CAT(a, b)  RH_CAT_(a, b)

/* The place of a call as one string literal: it costs nothing until it is printed. */
#define RH_HERE __FILE__ ":" RH_STRING(__LINE__)

/* A place of rh_cover or rh_sometimes is noted when the program is linked, so that reports know those that no run
 * reaches.  Not in C++: a static of an inline function cannot share a section with others. */
struct rh_site {
    const char *name, *here; /* the name as it is written: "\"a retry\"" */
};
#ifdef __cplusplus
#define RH_SITE_(name_) ((void)0)
#else
#define RH_SITE_(name_)                                                                                                \
    __extension__({                                                                                                    \
        static const struct rh_site rh_site_ __attribute__((section("rh_sites"), used)) = { name_, RH_HERE };          \
    })
#endif

#define RH_UNUSED __attribute__((unused))

/* For definitions in headers: all copies in a program are one object. */
#define RH_SHARED __attribute__((weak))

#ifdef __cplusplus
#define RH_EXTERN_C extern "C"
#else
#define RH_EXTERN_C extern
#endif

/* RH_COUNT(a), RH_COUNT(a, b), ... are 1, 2, ... up to 40.  RH_MORE1 to RH_MORE4 are M if there are more than 1 to 4
 * arguments, and 0 otherwise. */
#define RH_AT41(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22,   \
                a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, n, ...)      \
    n
#define RH_COUNT(...)                                                                                                  \
    RH_AT41(__VA_ARGS__, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18,   \
            17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define RH_MORE1(...)                                                                                                  \
    RH_AT41(__VA_ARGS__, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,  \
            M, M, M, M, M, M, M, M, 0, 0)
#define RH_MORE2(...)                                                                                                  \
    RH_AT41(__VA_ARGS__, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,  \
            M, M, M, M, M, M, M, 0, 0, 0)
#define RH_MORE3(...)                                                                                                  \
    RH_AT41(__VA_ARGS__, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,  \
            M, M, M, M, M, M, 0, 0, 0, 0)
#define RH_MORE4(...)                                                                                                  \
    RH_AT41(__VA_ARGS__, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,  \
            M, M, M, M, M, 0, 0, 0, 0, 0)

/* RH_MAP(m, c, a, b, ...) is m(c, a) m(c, b) ..., for at most 32 items. */
#define RH_MAP(m, c, ...)       RH_CAT(RH_MAP_, RH_COUNT(__VA_ARGS__))(m, c, __VA_ARGS__)
#define RH_MAP_1(m, c, x)       m(c, x)
#define RH_MAP_2(m, c, x, ...)  m(c, x) RH_MAP_1(m, c, __VA_ARGS__)
#define RH_MAP_3(m, c, x, ...)  m(c, x) RH_MAP_2(m, c, __VA_ARGS__)
#define RH_MAP_4(m, c, x, ...)  m(c, x) RH_MAP_3(m, c, __VA_ARGS__)
#define RH_MAP_5(m, c, x, ...)  m(c, x) RH_MAP_4(m, c, __VA_ARGS__)
#define RH_MAP_6(m, c, x, ...)  m(c, x) RH_MAP_5(m, c, __VA_ARGS__)
#define RH_MAP_7(m, c, x, ...)  m(c, x) RH_MAP_6(m, c, __VA_ARGS__)
#define RH_MAP_8(m, c, x, ...)  m(c, x) RH_MAP_7(m, c, __VA_ARGS__)
#define RH_MAP_9(m, c, x, ...)  m(c, x) RH_MAP_8(m, c, __VA_ARGS__)
#define RH_MAP_10(m, c, x, ...) m(c, x) RH_MAP_9(m, c, __VA_ARGS__)
#define RH_MAP_11(m, c, x, ...) m(c, x) RH_MAP_10(m, c, __VA_ARGS__)
#define RH_MAP_12(m, c, x, ...) m(c, x) RH_MAP_11(m, c, __VA_ARGS__)
#define RH_MAP_13(m, c, x, ...) m(c, x) RH_MAP_12(m, c, __VA_ARGS__)
#define RH_MAP_14(m, c, x, ...) m(c, x) RH_MAP_13(m, c, __VA_ARGS__)
#define RH_MAP_15(m, c, x, ...) m(c, x) RH_MAP_14(m, c, __VA_ARGS__)
#define RH_MAP_16(m, c, x, ...) m(c, x) RH_MAP_15(m, c, __VA_ARGS__)
#define RH_MAP_17(m, c, x, ...) m(c, x) RH_MAP_16(m, c, __VA_ARGS__)
#define RH_MAP_18(m, c, x, ...) m(c, x) RH_MAP_17(m, c, __VA_ARGS__)
#define RH_MAP_19(m, c, x, ...) m(c, x) RH_MAP_18(m, c, __VA_ARGS__)
#define RH_MAP_20(m, c, x, ...) m(c, x) RH_MAP_19(m, c, __VA_ARGS__)
#define RH_MAP_21(m, c, x, ...) m(c, x) RH_MAP_20(m, c, __VA_ARGS__)
#define RH_MAP_22(m, c, x, ...) m(c, x) RH_MAP_21(m, c, __VA_ARGS__)
#define RH_MAP_23(m, c, x, ...) m(c, x) RH_MAP_22(m, c, __VA_ARGS__)
#define RH_MAP_24(m, c, x, ...) m(c, x) RH_MAP_23(m, c, __VA_ARGS__)
#define RH_MAP_25(m, c, x, ...) m(c, x) RH_MAP_24(m, c, __VA_ARGS__)
#define RH_MAP_26(m, c, x, ...) m(c, x) RH_MAP_25(m, c, __VA_ARGS__)
#define RH_MAP_27(m, c, x, ...) m(c, x) RH_MAP_26(m, c, __VA_ARGS__)
#define RH_MAP_28(m, c, x, ...) m(c, x) RH_MAP_27(m, c, __VA_ARGS__)
#define RH_MAP_29(m, c, x, ...) m(c, x) RH_MAP_28(m, c, __VA_ARGS__)
#define RH_MAP_30(m, c, x, ...) m(c, x) RH_MAP_29(m, c, __VA_ARGS__)
#define RH_MAP_31(m, c, x, ...) m(c, x) RH_MAP_30(m, c, __VA_ARGS__)
#define RH_MAP_32(m, c, x, ...) m(c, x) RH_MAP_31(m, c, __VA_ARGS__)

/* RH_WRAPPED(x) is P if x is in parentheses, and N otherwise.  Items of a behaviour are either a message's name or
 * RH_ON(...), RH_DEFER(...), RH_IGNORE(...), RH_SETS(...), which expand to a list in parentheses. */
#define RH_SECOND_(a, b, ...) b
#define RH_SECOND(...)        RH_SECOND_(__VA_ARGS__)
#define RH_PROBE_(...)        ~, P
#define RH_WRAPPED(x)         RH_SECOND(RH_PROBE_ x, N, ~)

/* Padding contains what was left on the stack.  __builtin_clear_padding of gcc would clear it, but that of gcc 12 also
 * clears bytes of fields (in the first elements of an array of ten structs or more).  So padding is cleared only with
 * clang. */

/* The address of a struct with the given fields.  It lives until the end of the enclosing block (C) or of the statement
 * (C++). */
#ifdef __cplusplus
template <class T> static inline const T *rh_value_at_(const T &value)
{
    return &value; /* a temporary of the caller */
}
#define RH_VALUE_(type, ...) rh_value_at_<struct type>({ __VA_ARGS__ })
#define RH_ZERO_(type)       rh_value_at_<struct type>({})
#else
#if defined(__clang__)
/* clang 14 cannot clear padding, and writes field by field into a variable.  So the variable is cleared before its
 * initialisation, by jumping over the declaration and back. */
#define RH_VALUE_(type, ...) RH_VALUE_AT_(__COUNTER__, type, __VA_ARGS__)
#define RH_VALUE_AT_(n, type, ...)                                                                                     \
    RH_VALUE_AS_(RH_CAT(rh_value_, n), RH_CAT(rh_set_, n), RH_CAT(rh_clear_, n), RH_CAT(rh_done_, n), type, __VA_ARGS__)
#define RH_VALUE_AS_(value, set, clear, done, type, ...)                                                               \
    ((const struct type *)(struct type[1]){ __extension__({                                                            \
        __label__ set, clear, done;                                                                                    \
        goto clear;                                                                                                    \
    set:;                                                                                                              \
        struct type value = { __VA_ARGS__ };                                                                           \
        goto done;                                                                                                     \
    clear:                                                                                                             \
        __builtin_memset(&value, 0, sizeof value);                                                                     \
        goto set;                                                                                                      \
    done:;                                                                                                             \
        value;                                                                                                         \
    }) })
#else
#define RH_VALUE_(type, ...) (&(const struct type){ __VA_ARGS__ })
#endif
#define RH_ZERO_(type) __extension__(&(const struct type){})
#endif

/* ---- declarations ---------------------------------------------------------------------------------------------- */
#define RH_MESSAGE_0(policy, name) RH_MESSAGE_M(policy, name, char rh_no_fields;)
#define RH_MESSAGE_M(policy, name_, ...)                                                                               \
    struct name_ {                                                                                                     \
        __VA_ARGS__                                                                                                    \
    };                                                                                                                 \
    RH_EXTERN_C RH_SHARED const struct rh_message_type rh_message_##name_;                                             \
    const struct rh_message_type rh_message_##name_ = { #name_, sizeof(struct name_), policy, #__VA_ARGS__ }

#define RH_ACTOR_0(kind, name) RH_ACTOR_M(kind, name, char rh_no_fields;)
#define RH_ACTOR_M(kind, name_, ...)                                                                                   \
    struct name_ {                                                                                                     \
        __VA_ARGS__                                                                                                    \
    };                                                                                                                 \
    RH_EXTERN_C RH_SHARED struct rh_actor_type rh_actor_##name_;                                                       \
    struct rh_actor_type rh_actor_##name_ = { #name_, sizeof(struct name_), kind, 0, 0, 0, 0 }

#define RH_TABLE_(name_, ordered)                                                                                      \
    RH_EXTERN_C RH_SHARED const struct rh_table rh_table_of_##name_;                                                   \
    const struct rh_table rh_table_of_##name_ = { #name_, ordered }

#define RH_HISTORY_(name_, ...)                                                                                        \
    RH_EXTERN_C RH_SHARED const struct rh_history rh_history_of_##name_;                                               \
    const struct rh_history rh_history_of_##name_ = { #name_, RH_HERE, { __VA_ARGS__ } }

#define RH_ENTRY(actor, item) RH_CAT(RH_ENTRY_, RH_WRAPPED(item))(actor, item)

#define RH_ENTRY_N(actor, message) RH_ENTRY_ON(actor, message, message)
#define RH_ENTRY_ON(actor, message, handler)                                                                           \
    { &rh_message_##message, rh_call_##actor##__##handler, RH_ACTION_HANDLE, 0, 0 },

#define RH_ENTRY_P(actor, item)                     RH_ENTRY_P_(actor, RH_UNWRAP_ item)
#define RH_UNWRAP_(...)                             __VA_ARGS__
#define RH_ENTRY_P_(actor, ...)                     RH_ENTRY_P__(actor, __VA_ARGS__)
#define RH_ENTRY_P__(actor, kind, message, handler) RH_ENTRY_##kind(actor, message, handler)
#define RH_ENTRY_DEFER(actor, message, none)        { &rh_message_##message, 0, RH_ACTION_DEFER, 0, 0 },
#define RH_ENTRY_IGNORE(actor, message, none)       { &rh_message_##message, 0, RH_ACTION_IGNORE, 0, 0 },
#define RH_ENTRY_SETS(actor, message, n)                                                                               \
    { &rh_message_##message, rh_call_##actor##__##message, RH_ACTION_GATHER, n, 0 },
/* A field that is no 32-bit number makes the size of the array negative. */
#define RH_ENTRY_SETS_OF(actor, message, field)                                                                        \
    { &rh_message_##message, rh_call_##actor##__##message, RH_ACTION_GATHER, 0,                                        \
      sizeof(char[sizeof(((struct actor *)0)->field) == 4 ? 1 : -1]) + offsetof(struct actor, field) },

#define RH_BEHAVIOUR_(actor, name_, hot, ...)                                                                          \
    static const struct rh_entry rh_entries_##actor##__##name_[] = { RH_MAP(RH_ENTRY, actor, __VA_ARGS__) };           \
    extern const struct rh_behaviour rh_behaviour_##actor##__##name_;                                                  \
    const struct rh_behaviour rh_behaviour_##actor##__##name_ = { #name_,                                              \
                                                                  &rh_actor_##actor,                                   \
                                                                  rh_entries_##actor##__##name_,                       \
                                                                  sizeof rh_entries_##actor##__##name_ /               \
                                                                      sizeof rh_entries_##actor##__##name_[0],         \
                                                                  hot,                                                 \
                                                                  RH_HERE };                                           \
    __attribute__((constructor)) static void rh_adds_##actor##__##name_(void)                                          \
    {                                                                                                                  \
        rh_behaviour_register_(&rh_behaviour_##actor##__##name_, &rh_actor_##actor);                                   \
    }                                                                                                                  \
    extern const struct rh_behaviour rh_behaviour_##actor##__##name_

#endif

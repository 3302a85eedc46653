/* world/values.h: bytes of a struct as text, by debug information.  Expected texts are written by hand, or computed
 * from the fields by C. */
#include "world/support/driver.h"

#include <stddef.h>

#include "base/random.h"
#include "base/text.h"
#include "world/debug_info.h"
#include "world/values.h"

enum colour { RED, GREEN = 5, BLUE = -1 };
enum flags { READ = 1, WRITE = 2, EXECUTE = 4 };
typedef int32_t seconds;
struct pair {
    int left, right;
};
struct numbers {
    bool yes, no;
    char letter, zero;
    signed char sc;
    unsigned char uc;
    int8_t i8;
    uint8_t u8;
    short s;
    unsigned short us;
    int i;
    unsigned u;
    long l;
    unsigned long ul;
    long long ll;
    unsigned long long ull;
    float f;
    double d;
    const volatile seconds t;
};
struct shapes {
    enum colour c, negative, unnamed;
    enum flags none, both, strange;
    struct pair p;
    struct pair pairs[2];
    int matrix[2][2];
    int tail[8];
    char text[8], quoted[8], raw[4];
    void *pointer, *null;
    union {
        int64_t whole;
        char part;
    } u;
    struct {
        int inner;
    };
    rh_ref who, nobody;
};
struct narrow {
    unsigned a : 3;
    int b : 5;
    bool c : 1;
    uint64_t d : 40;
    enum colour e : 4;
};
struct __attribute__((packed)) tight {
    char a;
    int b;
    double c;
};
struct flexible {
    int count;
    int rest[];
};
struct deep {
    struct {
        struct {
            struct pair p[2];
        } b[1];
    } a;
};
struct table {
    struct pair one;
    struct pair at[6];
    int next[7];
    int grid[3][4];
    struct entry {
        int used;
        struct pair list[3];
    } open[2][3];
};

RH_ACTOR(someone, int unused;);
RH_BEHAVIOUR(someone, idle, RH_IGNORE(rh_down));
static rh_ref met;
RH_TEST(one_actor)
{
    met = rh_spawn(someone);
}

static struct rh_world *w;
static char text[4096];

static const char *value_of(const char *type, uint32_t size, const void *bytes, uint32_t kept)
{
    struct rh__text t;
    rh__text_init(&t, text, sizeof text);
    assert_true(rh__value_write(rh__world_run(w), type, size, bytes, kept, &t));
    return text;
}
#define assert_value(type, value, ...)                                                                                 \
    do {                                                                                                               \
        char expected_[2048];                                                                                          \
        snprintf(expected_, sizeof expected_, __VA_ARGS__);                                                            \
        assert_string_equal(value_of(#type, sizeof(struct type), &(value), sizeof(struct type)), expected_);           \
    } while (0)

/* The compiler leaves out types that nothing uses. */
static struct {
    struct numbers numbers;
    struct shapes shapes;
    struct narrow narrow;
    struct tight tight;
    struct deep deep;
    enum colour colour;
    struct table table;
} keep __attribute__((used));

static void need_debug_info(void)
{
    struct rh__text t;
    struct tight value = { 0 };
    (void)keep;
    w = open_test("one_actor", NULL);
    rh__text_init(&t, text, sizeof text);
    if (!rh__value_write(rh__world_run(w), "tight", sizeof value, &value, sizeof value, &t))
        skip(); /* no libdw, or compiled without -g */
}

static void numbers_are_what_c_says(void **state)
{
    (void)state;
    need_debug_info();
    for (uint64_t seed = 1; seed < 500; seed++) {
        struct numbers n;
        unsigned char *at = (unsigned char *)&n;
        uint64_t random = seed;
        for (size_t i = 0; i < sizeof n; i++)
            at[i] = (unsigned char)rh__random_next(&random);
        n.yes = seed & 1;
        n.no = !n.yes;
        n.letter = 'a' + (char)(seed % 26);
        n.zero = 0;
        n.f = (float)((int)seed - 250) / 8;
        n.d = (double)seed * 1024;
        assert_value(numbers, n,
                     "yes=%s, no=%s, letter='%c', zero=0, sc=%d, uc=%u, i8=%d, u8=%u, s=%d, us=%u, i=%d, u=%u, l=%ld, "
                     "ul=%lu, ll=%lld, ull=%llu, f=%g, d=%g, t=%d",
                     n.yes ? "true" : "false", n.no ? "true" : "false", n.letter, n.sc, n.uc, n.i8, n.u8, n.s, n.us,
                     n.i, n.u, n.l, n.ul, n.ll, n.ull, (double)n.f, n.d, n.t);
    }
}

static void shapes_have_their_texts(void **state)
{
    (void)state;
    need_debug_info();
    struct shapes s = { .c = GREEN, .negative = BLUE, .unnamed = 3, .none = 0, .both = READ | EXECUTE, .strange = 9 };
    s.p = (struct pair){ 1, -2 };
    s.pairs[1].right = 4;
    s.matrix[1][0] = 7;
    s.tail[0] = 4;
    memcpy(s.text, "abc", 4);
    memcpy(s.quoted, "a\"\\\n\xc3\xa9", 7);
    memcpy(s.raw, "\1\2\3\4", 4);
    s.pointer = &s;
    s.u.whole = 12;
    s.inner = 8;
    s.who = met;
    assert_value(shapes, s,
                 "c=GREEN, negative=BLUE, unnamed=3, none=0, both=READ|EXECUTE, strange=9, p=(left=1, right=-2), "
                 "pairs=[0, (left=0, right=4)], matrix=[[0 x 2], [7, 0]], tail=[4, 0 x 7], "
                 "text=\"abc\", quoted=\"a\\\"\\\\\\n\\xc3\\xa9\", raw=[1, 2, 3, 4], pointer=pointer, null=NULL, "
                 "u=(whole=12), inner=8, who=someone#1, nobody=nobody");
}

static void bit_fields_are_found(void **state)
{
    (void)state;
    need_debug_info();
    for (uint64_t seed = 1; seed < 200; seed++) {
        uint64_t random = seed;
        struct narrow n = { .a = (unsigned)rh__random_below(&random, 8),
                            .b = (int)rh__random_below(&random, 32) - 16,
                            .c = rh__random_below(&random, 2),
                            .d = rh__random_next(&random) >> 24,
                            .e = GREEN };
        assert_value(narrow, n, "a=%u, b=%d, c=%s, d=%llu, e=GREEN", n.a, n.b, n.c ? "true" : "false",
                     (unsigned long long)n.d);
    }
}

static void layouts_do_not_matter(void **state)
{
    (void)state;
    need_debug_info();
    struct tight t = { .a = 'x', .b = -5, .c = 0.1 };
    assert_value(tight, t, "a='x', b=-5, c=0.1");
    struct flexible f = { .count = 3 };
    assert_value(flexible, f, "count=3");
    struct deep d = { 0 };
    d.a.b[0].p[1].left = 2;
    assert_value(deep, d, "a=(b=[(p=[0, (left=2, right=0)])])");
}

static void what_was_not_kept_is_a_question(void **state)
{
    (void)state;
    need_debug_info();
    struct pair p = { 1, 2 };
    assert_string_equal(value_of("pair", sizeof p, &p, 4), "left=1, right=?");
    assert_string_equal(value_of("pair", sizeof p, &p, 0), "left=?, right=?");
}

static void an_unknown_type_has_no_text(void **state)
{
    struct rh__text t;
    (void)state;
    w = open_test("one_actor", NULL);
    rh__text_init(&t, text, sizeof text);
    assert_false(rh__value_write(rh__world_run(w), "tight", 3, "abc", 3, &t));
    assert_false(rh__value_write(rh__world_run(w), "no such type", 8, "abcdefgh", 8, &t));
    assert_string_equal(text, "");
}

static void a_short_buffer_is_not_overrun(void **state)
{
    struct shapes s = { .c = GREEN };
    struct rh__text t;
    (void)state;
    need_debug_info();
    for (size_t size = 1; size < 400; size++) {
        text[size] = '#';
        rh__text_init(&t, text, size);
        rh__value_write(rh__world_run(w), "shapes", sizeof s, &s, sizeof s, &t);
        assert_true(strlen(text) < size);
        assert_int_equal(text[size], '#');
    }
}

static const char *changes_of(const char *type, uint32_t size, const void *before, const void *after)
{
    struct rh__text t;
    rh__text_init(&t, text, sizeof text);
    assert_true(rh__value_write_changes(rh__world_run(w), type, size, before, after, &t));
    return text;
}

static void changes_name_their_places(void **state)
{
    (void)state;
    need_debug_info();
    struct shapes a = { .p = { 1, 2 }, .pairs = { { 1, 1 }, { 1, 1 } } }, b = a;
    assert_string_equal(changes_of("shapes", sizeof a, &a, &b), "");
    b.c = GREEN;
    b.p.right = 3;
    b.pairs[1].left = 9;
    b.matrix[0][1] = 1;
    b.tail[3] = 6;
    memcpy(b.text, "new", 4);
    b.u.whole = 1;
    b.inner = 2;
    b.who = met;
    assert_string_equal(changes_of("shapes", sizeof a, &a, &b),
                        "c=GREEN, p.right=3, pairs[1].left=9, matrix[0][1]=1, tail[3]=6, text=\"new\", "
                        "u=(whole=1), inner=2, who=someone#1");
    memset(&b, 0, sizeof b);
    assert_string_equal(changes_of("shapes", sizeof a, &a, &b), "p=0, pairs[0..1]=0");
    assert_string_equal(changes_of("shapes", sizeof a, &b, &a), "p=(left=1, right=2), pairs[0..1]=(left=1, right=1)");
    struct narrow x = { .a = 1, .b = 2, .d = 3 }, y = { .a = 1, .b = -3, .d = 3 };
    assert_string_equal(changes_of("narrow", sizeof x, &x, &y), "b=-3");
}

/* ---- texts read back ---------------------------------------------------------------------------------------------
 * A reader that shares nothing with the writer: what a text says is put into memory again. */

struct form {
    enum { NUMBER, STRUCT, ARRAY } kind;
    size_t size, count;
    const struct form *of;
    struct {
        const char *name;
        size_t offset;
        const struct form *form;
    } members[6];
};
#define ARRAY_OF(form, type, n)                                                                                        \
    {                                                                                                                  \
        ARRAY, sizeof(type) * (n), n, &(form),                                                                         \
        {                                                                                                              \
            {                                                                                                          \
                0                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }
static const struct form number = { .kind = NUMBER, .size = sizeof(int) };
static const struct form pair = { .kind = STRUCT,
                                  .size = sizeof(struct pair),
                                  .members = { { "left", offsetof(struct pair, left), &number },
                                               { "right", offsetof(struct pair, right), &number } } };
static const struct form pairs3 = ARRAY_OF(pair, struct pair, 3), pairs6 = ARRAY_OF(pair, struct pair, 6);
static const struct form numbers4 = ARRAY_OF(number, int, 4), numbers7 = ARRAY_OF(number, int, 7);
static const struct form grid = ARRAY_OF(numbers4, int[4], 3);
static const struct form entry = { .kind = STRUCT,
                                   .size = sizeof(struct entry),
                                   .members = { { "used", offsetof(struct entry, used), &number },
                                                { "list", offsetof(struct entry, list), &pairs3 } } };
static const struct form entries = ARRAY_OF(entry, struct entry, 3), open_form = ARRAY_OF(entries, struct entry[3], 2);
static const struct form table = { .kind = STRUCT,
                                   .size = sizeof(struct table),
                                   .members = { { "one", offsetof(struct table, one), &pair },
                                                { "at", offsetof(struct table, at), &pairs6 },
                                                { "next", offsetof(struct table, next), &numbers7 },
                                                { "grid", offsetof(struct table, grid), &grid },
                                                { "open", offsetof(struct table, open), &open_form } } };

static const char *read_value(const struct form *f, char *to, const char *t);

/* "left=1, right=2": `to` is the struct. */
static const char *read_members(const struct form *f, char *to, const char *t)
{
    for (;; t += strlen(", ")) {
        const struct form *at = f;
        char *from = to;
        size_t copies = 1, stride = 0;
        while (*t != '=') {
            size_t n = strspn(t, "abcdefghijklmnopqrstuvwxyz"), i = 0;
            if (*t == '[') {
                char *end;
                unsigned long first = strtoul(t + 1, &end, 10), last = *end == '.' ? strtoul(end + 2, &end, 10) : first;
                assert_true(at->kind == ARRAY && *end == ']' && first <= last && last < at->count && copies == 1);
                at = at->of;
                from += first * at->size;
                stride = first < last ? at->size : stride;
                copies = last - first + 1;
                t = end + 1;
            } else {
                while (strncmp(at->members[i].name, t, n) != 0 || at->members[i].name[n])
                    assert_true(at->kind == STRUCT && at->members[++i].name);
                from += at->members[i].offset;
                at = at->members[i].form;
                t += n;
            }
            t += *t == '.';
        }
        const char *value = t + 1;
        for (size_t i = 0; i < copies; i++)
            t = read_value(at, from + i * stride, value);
        if (strncmp(t, ", ", 2) != 0)
            return t;
    }
}

static const char *read_value(const struct form *f, char *to, const char *t)
{
    char *end;
    if (f->kind == NUMBER) {
        *(int *)(void *)to = (int)strtol(t, &end, 10);
        return end;
    }
    memset(to, 0, f->size);
    if (*t == '0')
        return t + 1;
    assert_true(*t++ == (f->kind == STRUCT ? '(' : '['));
    if (f->kind == STRUCT) {
        t = read_members(f, to, t);
    } else {
        for (size_t i = 0; i < f->count; i++) {
            const char *value = t;
            t = read_value(f->of, to + i * f->of->size, value);
            size_t more = strncmp(t, " x ", 3) == 0 ? strtoul(t + 3, &end, 10) - 1 : 0;
            for (t = more ? end : t; more; more--)
                read_value(f->of, to + ++i * f->of->size, value);
            t += strncmp(t, ", ", 2) == 0 ? 2 : 0;
        }
    }
    assert_true(*t == (f->kind == STRUCT ? ')' : ']'));
    return t + 1;
}

static void texts_say_what_is_in_memory(void **state)
{
    (void)state;
    need_debug_info();
    for (uint64_t seed = 1; seed < 3000; seed++) {
        struct table before = { 0 }, after, read = { 0 };
        uint64_t random = seed;
        uint32_t changes = (uint32_t)rh__random_below(&random, 60);
        int *numbers = (int *)(void *)&before;
        const size_t count = sizeof before / sizeof *numbers;
        for (size_t i = 0; i < count && seed % 3; i++)
            numbers[i] = (int)rh__random_below(&random, 2 + (uint32_t)(seed % 3));
        after = before;
        numbers = (int *)(void *)&after;
        for (uint32_t i = 0; i < changes; i++)
            numbers[rh__random_below(&random, (uint32_t)count)] = (int)rh__random_below(&random, 3) - 1;
        if (seed % 7 == 0)
            memset(after.open[1], 0, sizeof after.open[1]);
        const char *end = read_members(&table, (char *)&read, value_of("table", sizeof after, &after, sizeof after));
        assert_int_equal(*end, 0);
        assert_memory_equal(&read, &after, sizeof read);
        if (memcmp(&before, &after, sizeof before) == 0)
            continue;
        read = before;
        end = read_members(&table, (char *)&read, changes_of("table", sizeof after, &before, &after));
        assert_int_equal(*end, 0);
        assert_memory_equal(&read, &after, sizeof read);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(numbers_are_what_c_says),
        WORLD_TEST(shapes_have_their_texts),
        WORLD_TEST(bit_fields_are_found),
        WORLD_TEST(layouts_do_not_matter),
        WORLD_TEST(what_was_not_kept_is_a_question),
        WORLD_TEST(an_unknown_type_has_no_text),
        WORLD_TEST(a_short_buffer_is_not_overrun),
        WORLD_TEST(changes_name_their_places),
        WORLD_TEST(texts_say_what_is_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

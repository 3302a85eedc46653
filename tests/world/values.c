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

RH_ACTOR(someone, int unused;);
RH_BEHAVIOUR(someone, idle, RH_IGNORE(rh_down));
static rh_ref met;
RH_TEST(one_actor)
{
    met = rh_spawn(someone);
}

static struct rh_world *w;
static char text[2048];

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
                 "pairs=[(left=0, right=0), (left=0, right=4)], matrix=[[0 x 2], [7, 0]], tail=[4, 0 x 7], "
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
    assert_value(deep, d, "a=(b=[(p=[(left=0, right=0), (left=2, right=0)])])");
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
                        "c=GREEN, p.right=3, pairs[1].left=9, matrix=[[0, 1], [0 x 2]], tail[3]=6, text=\"new\", "
                        "u=(whole=1), inner=2, who=someone#1");
    memset(&b, 0, sizeof b);
    assert_string_equal(changes_of("shapes", sizeof a, &a, &b), "p=0, pairs[0]=0, pairs[1]=0");
    assert_string_equal(changes_of("shapes", sizeof a, &b, &a),
                        "p=(left=1, right=2), pairs[0]=(left=1, right=1), pairs[1]=(left=1, right=1)");
    struct narrow x = { .a = 1, .b = 2, .d = 3 }, y = { .a = 1, .b = -3, .d = 3 };
    assert_string_equal(changes_of("narrow", sizeof x, &x, &y), "b=-3");
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Values of C++ structs: bases, private members, static members, enum classes, templates, namespaces, references to
 * actors.  The program writes the text that it expects of each value; values.sh compares. */
#include <rehearse/test.h>

#include <array>
#include <cstdio>

RH_PARAM(seed, "1", "of the values");

namespace shop
{
enum class colour : unsigned char { red, green = 7 };
enum rights : unsigned { none = 0, reads = 1, writes = 2, runs = 4 };
struct base {
    short first;
    static const int shared = 9;
};
class price : public base
{
  public:
    price() = default;
    price(short f, int c, bool k) : base{ f }, cents(c), known(k)
    {
    }
    int worth() const
    {
        return cents;
    }

  private:
    int cents;
    bool known;
};
template <class T, int N> struct row {
    T at[N];
};
} // namespace shop

struct two_bases : shop::base, shop::row<int, 2> {
    long own;
};

RH_MESSAGE(
    order, shop::colour colour; shop::rights rights; shop::price price; std::array<int, 3> numbers;
    shop::row<shop::price, 2> prices; two_bases both; rh_ref who; char text[8]; double real; char16_t wide; union {
        int i;
        long long l;
    } either;);
RH_ACTOR(taker, int unused;);
RH_HANDLER(taker, order)
{
    rh_assert(false);
}
RH_BEHAVIOUR(taker, open, order);

static unsigned random_state;
static int next(int below)
{
    random_state = random_state * 1103515245u + 12345u;
    return (int)(random_state >> 16) % below;
}

RH_TEST(values)
{
    random_state = (unsigned)rh_param("seed", 1);
    int a = next(1000) - 500, b = next(1000), c = next(100), d = next(7), e = next(30000) - 15000;
    struct order o = {};
    o.colour = d % 2 ? shop::colour::green : shop::colour::red;
    o.rights = (shop::rights)(d + 1);
    o.price = { (short)c, a, d > 3 };
    o.numbers = { a, b, c };
    o.prices.at[1] = { (short)d, b, true };
    o.both.first = (short)e;
    o.both.at[0] = a;
    o.both.at[1] = d;
    o.both.own = b;
    o.who = rh_spawn(taker);
    snprintf(o.text, sizeof o.text, "x%d", c);
    o.real = a / 4.0;
    o.wide = (char16_t)b;
    o.either.l = e;
    char rights[64] = "";
    for (int i = 0; i < 3; i++)
        if ((d + 1) >> i & 1)
            snprintf(rights + __builtin_strlen(rights), 16, "%s%s", *rights ? "|" : "",
                     &"reads\0writes\0runs"[i * 6 + (i == 2)]);
    if (d == 7)
        snprintf(rights, sizeof rights, "8");
    FILE *f = fopen("expected", "w");
    fprintf(f,
            "colour=%s, rights=%s, price=(first=%d, cents=%d, known=%s), numbers=(_M_elems=[%d, %d, %d]), "
            "prices=(at=[0, (first=%d, cents=%d, known=true)]), "
            "both=(first=%d, at=[%d, %d], own=%d), who=taker#1, text=\"x%d\", real=%g, wide=%d, either=(l=%d)\n",
            d % 2 ? "green" : "red", rights, c, a, d > 3 ? "true" : "false", a, b, c, d, b, e, a, d, b, c, a / 4.0, b,
            e);
    fclose(f);
    rh_send_value(o.who, order, &o);
}
RH_MAIN()

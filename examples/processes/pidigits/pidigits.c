/* See pidigits.h.  The digits come from a spigot [Rabinowitz and Wagon 1995]: pi is 2 + 1/3 (2 + 2/5 (2 + 3/7 (2 +
 * ...))), that is the number 2.222... in a mixed radix; multiplying by ten and carrying from the right brings out
 * one digit at a time.  A digit may still become the next one by a carry, so it is held back, with the nines behind
 * it, until a digit below nine has come. */
#include <string.h>

#include "pidigits.h"

enum { PLACES = MOST_DIGITS * 10 / 3 + 2 };

struct spigot {
    int places;
    int rest[PLACES]; /* the number that remains, by place */
};

static void spigot_open(struct spigot *s, int digits)
{
    s->places = digits * 10 / 3 + 2;
    for (int i = 0; i < s->places; i++)
        s->rest[i] = 2;
}

/* The next digit, or 10 if a carry goes to the digits before it. */
static int spigot_next(struct spigot *s)
{
    int carry = 0;
    for (int i = s->places - 1; i > 0; i--) {
        int x = s->rest[i] * 10 + carry;
        s->rest[i] = x % (2 * i + 1);
        carry = x / (2 * i + 1) * i;
    }
    int x = s->rest[0] * 10 + carry;
    s->rest[0] = x % 10;
    return x / 10;
}

RH_BODY(printer)
{
    struct printed all = { .text = "" };
    for (int i = 0; i < state->digits; i++) {
        int value = rh_receive(digit)->value;
        all.text[i] = (char)('0' + value);
        rh_log("%d", value);
    }
    rh_send_value(state->reader, printed, &all);
}

void pidigits(int digits, char text[MOST_DIGITS + 1])
{
    struct spigot s;
    rh_ref p = rh_spawn(printer, .digits = digits, .reader = rh_self());
    int held = -1, nines = 0, sent = 0;
    spigot_open(&s, digits + 4); /* some more, so that the last digits are right */
    while (sent < digits) {
        int next = spigot_next(&s);
        if (next == 9) {
            nines++;
            continue;
        }
        int carry = next == 10;
        if (held >= 0 && sent++ < digits)
            rh_send(p, digit, .value = held + carry);
        for (; nines > 0; nines--)
            if (sent < digits) {
                sent++;
                rh_send(p, digit, .value = carry ? 0 : 9);
            }
        held = carry ? 0 : next;
    }
    memcpy(text, rh_receive(printed)->text, MOST_DIGITS + 1);
}

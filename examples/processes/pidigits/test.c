#include <string.h>

#include <rehearse/test.h>

#include "pidigits.h"

RH_PARAM(digits, "8", "how many digits, at most 64");

static const char pi[] = "3141592653589793238462643383279502884197169399375105820974944592";

RH_TEST(digits_are_printed_in_order, .model = RH_MAILBOX, .granularity = RH_GRAIN_OBJECT)
{
    int digits = (int)rh_param("digits", 8);
    char text[MOST_DIGITS + 1];
    rh_assert(digits > 0 && digits <= MOST_DIGITS, "digits: 1 to %d", MOST_DIGITS);
    pidigits(digits, text);
    rh_assert(strlen(text) == (size_t)digits && !strncmp(text, pi, (size_t)digits), "pi is not %s", text);
}

RH_MAIN()

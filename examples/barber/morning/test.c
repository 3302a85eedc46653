/* Whatever comes first in the morning, every customer is shaved. */
#include <rehearse/test.h>

#include "morning.h"

RH_PARAM(customers, "4", "how many customers come");
RH_PARAM(questions, "9", "how many questions the receptionist asks each of them");
RH_BUG(ba, "a barber who waits for towels does not expect customers (Bita, Ba)");

static int within(const char *name, int otherwise, int most)
{
    int64_t value = rh_param(name, otherwise);
    rh_assert(value >= 1 && value <= most, "1 to %d %s, not %d", most, name, (int)value);
    return (int)value;
}

RH_TEST(the_shop_opens)
{
    int customers = within("customers", 4, MOST_CUSTOMERS);
    rh_ref b = rh_spawn(barber, .forgetful = rh_bug("ba"));
    rh_send(b, unlock);
    rh_send(rh_spawn(wholesaler, .driver = rh_spawn(driver, .barber = b)), order);
    rh_ref r = rh_spawn(receptionist, .room = rh_spawn(room, .barber = b), .questions = within("questions", 9, 1000));
    for (int i = 0; i < customers; i++)
        rh_spawn(customer, .receptionist = r);
}

RH_MAIN()

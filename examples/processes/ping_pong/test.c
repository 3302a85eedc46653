#include <rehearse/test.h>

#include "ping_pong.h"

RH_TEST(pong_hears_a_ping)
{
    pong();
}

RH_MAIN()

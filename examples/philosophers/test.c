/* Everybody eats once: nobody waits for ever. */
#include <rehearse/test.h>

#include "philosophers.h"

RH_PARAM(n, "3", "how many philosophers there are, and how many forks");
RH_BUG(deadlock, "everybody takes the left fork first");

static bool is_from(const struct rh_envelope *m, const void *who)
{
    return rh_as(m, done)->who == *(const int *)who;
}

RH_TEST(everybody_eats)
{
    rh_ref forks[MOST_PHILOSOPHERS];
    int n = (int)rh_param("n", 3);
    rh_assert(n >= 2 && n <= MOST_PHILOSOPHERS, "2 to %d philosophers, not %d", MOST_PHILOSOPHERS, n);
    for (int i = 0; i < n; i++)
        forks[i] = rh_spawn(fork);
    for (int i = 0; i < n; i++) {
        int left = i, right = (i + 1) % n;
        bool turned = right < left && !rh_bug("deadlock"); /* the fork with the lower number first */
        rh_spawn(philosopher, .number = i, .first = forks[turned ? right : left],
                 .second = forks[turned ? left : right], .table = self);
    }
    for (int i = 0; i < n; i++)
        rh_receive(done, .match = is_from, .arg = &i);
}

RH_MAIN()

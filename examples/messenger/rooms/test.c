/* A line that a room has passed on is read: no user leaves while a line is on its way to that user. */
#include <rehearse/test.h>

#include "rooms.h"

RH_PARAM(users, "4", "how many users there are");
RH_PARAM(rooms, "2", "how many rooms they enter");
RH_PARAM(lines, "1", "how many lines each of them says in each room");
RH_PARAM(blocks, "5", "in how many blocks a session is archived");
RH_BUG(ms, "a user who is logged off does not wait for what rooms have sent (Bita, Ms)");

static int within(const char *name, int otherwise, int most)
{
    int64_t value = rh_param(name, otherwise);
    rh_assert(value >= 1 && value <= most, "1 to %d %s, not %d", most, name, (int)value);
    return (int)value;
}

RH_TEST(every_line_is_read)
{
    int users = within("users", 4, MOST_USERS);
    int lines = within("lines", 1, 1000);
    struct rooms rooms = { .count = within("rooms", 2, MOST_ROOMS) };
    for (int i = 0; i < rooms.count; i++)
        rooms.at[i] = rh_spawn(room, .silent = rh_bug("ms"));
    rh_ref s = rh_spawn(server, .rooms = rooms, .archive = rh_spawn(archive), .blocks = within("blocks", 5, 1000));
    for (int i = 0; i < users; i++)
        rh_spawn(user, .server = s, .rooms = rooms, .lines = lines, .hasty = rh_bug("ms"));
}

RH_MAIN()

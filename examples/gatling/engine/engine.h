/* A small engine for load tests, after Gatling: simulated users run scenarios against a server, recorders write down
 * what they saw, and when all users are done everything is closed in order. */
#ifndef ENGINE_H
#define ENGINE_H

#include <rehearse.h>

enum { MOST_USERS = 256, MOST_RECORDERS = 8 };

/* Controller and recorders; users and recorders. */
RH_MESSAGE(initialize);
RH_MESSAGE_IGNORED(initialized); /* counted while the controller is starting */
RH_MESSAGE(record, int user; int request; bool confirm;);
RH_MESSAGE(recorded);
RH_MESSAGE(flush);
RH_MESSAGE(flushed);

/* Controller and injector. */
RH_MESSAGE(inject);
RH_MESSAGE(ramp_complete); /* all users have started and are connected */
RH_MESSAGE(close_all);
RH_MESSAGE(all_closed);

/* Injector and users; users and their connections; connections and the server. */
RH_MESSAGE(go);
RH_MESSAGE(running);
RH_MESSAGE(open_connection);
RH_MESSAGE(connected);
RH_MESSAGE(hello);
RH_MESSAGE(welcome);
RH_MESSAGE(request, int number;);
RH_MESSAGE(response, int number;);
RH_MESSAGE(close_connection);
RH_MESSAGE(connection_closed);

/* To the terminator, and from it to the controller. */
RH_MESSAGE(user_started, int user;);
RH_MESSAGE(user_ended, int user;);
RH_MESSAGE(all_done);

struct recorders {
    int count;
    rh_ref at[MOST_RECORDERS];
};

/* What users do, and the actors that they need for it. */
struct scenario {
    int users;
    int requests; /* of each user */
    rh_ref server;
    rh_ref terminator;
    struct recorders recorders;
    bool hasty; /* bug ga1 */
};

/* Flaws of a controller and its injector: bugs ga2, ga3, ga4. */
struct flaws {
    bool starts_early, speaks_for_users, closes_early;
};

RH_ACTOR(recorder, int lines;);
RH_ACTOR(terminator, rh_ref controller; int users; int ended; bool started[MOST_USERS];);
RH_ACTOR(injector, rh_ref controller; struct scenario scenario; struct flaws flaws; int begun; int closed;
         rh_ref connections[MOST_USERS];);
RH_ACTOR(controller, struct scenario scenario; struct flaws flaws; rh_ref injector; int initialized; int flushed;
         bool ramped; bool done;);
RH_ACTOR(user, int number; rh_ref injector; rh_ref connection; struct scenario scenario; int sent; bool speaks;);
RH_ACTOR(connection, rh_ref server; rh_ref user;);
RH_ACTOR(server, int served;);

#endif

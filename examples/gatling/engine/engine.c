/* See engine.h.  What decides when the engine starts, closes and ends:
 *
 *     controller  --initialize--> recorders          and waits for all of them
 *                 --inject------> injector           which starts users, each when the one before is connected
 *     users       --user_ended--> terminator         which counts them
 *     terminator  --all_done----> controller         which also waits for the injector's ramp_complete
 *     controller  --close_all---> injector           which closes the connections one after the other
 *                 --flush-------> recorders          after which nothing more can be recorded
 *
 * Two messages from different senders have no order unless an actor waits for one before it causes the other:
 *   bug ga2  the controller starts users when the first recorder is initialised; a user may be faster than the others
 *   bug ga3  the injector reports that a user has started; its report may arrive after the user's own report that the
 *            user has ended
 *   bug ga4  the controller closes when all users are done, although it may not have heard that all have started */
#include "engine.h"

/* ---- recorder ---------------------------------------------------------------------------------------------------- */
RH_HANDLER(recorder, initialize)
{
    rh_reply(initialized);
    rh_become(recorder, recording);
}
RH_HANDLER(recorder, record)
{
    state->lines++;
    if (msg->confirm)
        rh_reply(recorded);
}
RH_HANDLER(recorder, flush)
{
    rh_reply(flushed);
    rh_become(recorder, closed);
}
RH_HANDLER_AS(recorder, record, early_record)
{
    rh_assert(false, "user %d records request %d, but the file is not open yet", msg->user, msg->request);
}
RH_HANDLER_AS(recorder, record, late_record)
{
    rh_assert(false, "user %d records request %d, but the file is closed", msg->user, msg->request);
}
RH_BEHAVIOUR(recorder, blank, initialize, RH_ON(record, early_record));
RH_BEHAVIOUR(recorder, recording, record, flush);
RH_BEHAVIOUR(recorder, closed, RH_ON(record, late_record));

/* ---- terminator -------------------------------------------------------------------------------------------------- */
RH_HANDLER(terminator, user_started)
{
    state->started[msg->user] = true;
}
RH_HANDLER(terminator, user_ended)
{
    rh_assert(state->started[msg->user], "user %d has ended, but has not started", msg->user);
    if (++state->ended == state->users)
        rh_send(state->controller, all_done);
}
RH_BEHAVIOUR(terminator, counting, user_started, user_ended);

/* ---- injector ---------------------------------------------------------------------------------------------------- */
static void start_user(struct injector *state, rh_ref self)
{
    int number = state->begun++;
    rh_ref c = rh_spawn(connection, .server = state->scenario.server);
    state->connections[number] = c;
    if (state->flaws.speaks_for_users)
        rh_send(state->scenario.terminator, user_started, .user = number);
    rh_send(rh_spawn(user, .number = number, .injector = self, .connection = c, .scenario = state->scenario,
                     .speaks = !state->flaws.speaks_for_users),
            go);
}
static void close_next(struct injector *state)
{
    if (state->closed < state->scenario.users)
        rh_send(state->connections[state->closed++], close_connection);
    else
        rh_send(state->controller, all_closed);
}

RH_HANDLER(injector, inject)
{
    start_user(state, self);
    rh_become(injector, injecting);
}
RH_HANDLER(injector, running)
{
    if (state->begun < state->scenario.users) {
        start_user(state, self);
    } else {
        rh_send(state->controller, ramp_complete);
        rh_become(injector, complete);
    }
}
RH_HANDLER(injector, close_all)
{
    close_next(state);
    rh_become(injector, closing);
}
RH_HANDLER(injector, connection_closed)
{
    close_next(state);
}
RH_BEHAVIOUR(injector, idle, inject);
RH_BEHAVIOUR(injector, injecting, running, RH_DEFER(close_all));
RH_BEHAVIOUR(injector, complete, close_all);
RH_BEHAVIOUR(injector, closing, connection_closed);

/* ---- controller -------------------------------------------------------------------------------------------------- */
static void close_if_done(struct controller *state)
{
    if (state->done && (state->ramped || state->flaws.closes_early)) {
        rh_send(state->injector, close_all);
        rh_become(controller, closing);
    }
}

RH_HANDLER(controller, rh_start)
{
    state->scenario.terminator = rh_spawn(terminator, .controller = self, .users = state->scenario.users);
    state->injector = rh_spawn(injector, .controller = self, .scenario = state->scenario, .flaws = state->flaws);
    for (int i = 0; i < state->scenario.recorders.count; i++)
        rh_send(state->scenario.recorders.at[i], initialize);
}
RH_HANDLER(controller, initialized)
{
    if (++state->initialized == state->scenario.recorders.count || state->flaws.starts_early) {
        rh_send(state->injector, inject);
        rh_become(controller, testing);
    }
}
RH_HANDLER(controller, ramp_complete)
{
    state->ramped = true;
    close_if_done(state);
}
RH_HANDLER(controller, all_done)
{
    state->done = true;
    close_if_done(state);
}
RH_HANDLER(controller, all_closed)
{
    for (int i = 0; i < state->scenario.recorders.count; i++)
        rh_send(state->scenario.recorders.at[i], flush);
    rh_become(controller, flushing);
}
RH_HANDLER(controller, flushed)
{
    if (++state->flushed == state->scenario.recorders.count)
        rh_become(controller, finished);
}
RH_BEHAVIOUR(controller, starting, rh_start, initialized);
RH_BEHAVIOUR(controller, testing, ramp_complete, all_done);
RH_BEHAVIOUR(controller, closing, all_closed);
RH_BEHAVIOUR(controller, flushing, flushed);
RH_BEHAVIOUR(controller, finished, RH_IGNORE(initialized));

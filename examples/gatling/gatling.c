/* See gatling.h.  An action writes a line and reports to the terminator that it is done.  When all actions are done,
 * the terminator tells the writer to flush; nothing may be written after that.
 *
 * A hasty action (bug ga1) reports at once, without waiting for the writer's confirmation: its line and the flush are
 * then on their way to the writer at the same time, and either may arrive first. */
#include "gatling.h"

/* ---- action ------------------------------------------------------------------------------------------------------ */
RH_HANDLER(action, execute)
{
    rh_send(state->writer, write_line, .line = "done");
    if (state->hasty)
        rh_send(state->terminator, action_done);
}
RH_HANDLER(action, written)
{
    if (!state->hasty)
        rh_send(state->terminator, action_done);
}
RH_BEHAVIOUR(action, ready, execute, written);

/* ---- terminator -------------------------------------------------------------------------------------------------- */
RH_HANDLER(terminator, action_done)
{
    if (++state->done == state->actions)
        rh_send(state->writer, flush);
}
RH_BEHAVIOUR(terminator, counting, action_done);

/* ---- writer ------------------------------------------------------------------------------------------------------ */
RH_HANDLER(writer, write_line)
{
    rh_assert(!state->flushed, "\"%s\" of %s came after the flush and is lost", msg->line, rh_name(rh_sender()));
    state->lines++;
    rh_log("line %d: %s", state->lines, msg->line);
    rh_reply(written);
}
RH_HANDLER(writer, flush)
{
    state->flushed = true;
}
RH_BEHAVIOUR(writer, writing, write_line, flush);

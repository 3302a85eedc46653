/* Functions of run.h that are too long for the header. */
#include "run/run.h"

#include <stdio.h>

#include "world/live.h"

bool rh__run_waits(const struct rh__run *r, uint32_t actor, char *buffer, size_t size)
{
    if (r->live)
        return rh__actor_waits(r->live, actor, buffer, size);
    const char *text = r->waits[actor].text;
    if (text)
        snprintf(buffer, size, "%s", text);
    return text != NULL;
}

/* Durable stores in the controlled world. */
#include "world/seam_store.h"

#include <string.h>

#include "world/crash_points.h"
#include "world/outcome.h"
#include "world/seam.h"
#include "world/store.h"

void rh__seam_store_open(const char *name, const char *here)
{
    struct rh_world *w = inside_actor("rh_store_open", here);
    if (w)
        rh__store_open(w, name, here);
}

/* For calls inside an actor that has opened its store. */
static struct rh_world *inside_owner(const char *call, const char *here)
{
    struct rh_world *w = inside_actor(call, here);
    if (w && w->actors[w->current].opened == RH_NONE)
        rh__misuse(w, here, "%s before rh_store_open: an actor names its store first", call);
    return w;
}

/* For both kinds of put; NULL outside of actors. */
static struct rh_world *inside_put(const char *call, const char *key, size_t size, const char *here)
{
    struct rh_world *w = inside_owner(call, here);
    if (!w)
        return NULL;
    if (!key)
        rh__misuse(w, here, "%s needs a key", call);
    if (size > w->semantics.max_message_bytes)
        rh__misuse(w, here, "a value of %zu bytes, the limit is %u (max_message_bytes)", size,
                   w->semantics.max_message_bytes);
    return w;
}

uint32_t rh__seam_store_put(const char *key, const void *bytes, size_t size, const char *here)
{
    struct rh_world *w = inside_put("rh_store_put", key, size, here);
    if (w)
        rh__acted(w);
    return w ? rh__store_put(w, w->current, key, bytes, (uint32_t)size) : 0;
}

void rh__seam_store_put_sync(const char *key, const void *bytes, size_t size, const char *here)
{
    struct rh_world *w = inside_put("rh_store_put_sync", key, size, here);
    if (!w)
        return;
    rh__before_effect(w, here);
    rh__store_put(w, w->current, key, bytes, (uint32_t)size);
    rh__store_make_durable(w, here);
}

int64_t rh__seam_store_get(const char *key, void *buffer, size_t capacity, const char *here)
{
    struct rh_world *w = inside_owner("rh_store_get", here);
    if (!w)
        return -1;
    if (!key)
        rh__misuse(w, here, "rh_store_get needs a key");
    uint32_t i = rh__store_find(w, w->current, key);
    if (i == RH_NONE || w->writes[i].size == RH_NONE)
        return -1;
    size_t size = w->writes[i].size;
    if (size && capacity) /* a NULL buffer with capacity 0 asks only for the size */
        memcpy(buffer, w->payload + w->writes[i].bytes, size < capacity ? size : capacity);
    return (int64_t)size;
}

void rh__seam_store_sync(const char *here)
{
    struct rh_world *w = inside_owner("rh_store_sync", here);
    if (w)
        rh__store_sync(w, here);
}

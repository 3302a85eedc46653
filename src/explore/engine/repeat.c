/* Repeats some runs to check that the program is deterministic (engine.h). */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/random.h"
#include "explore/engine/engine_parts.h"
#include "explore/explorers.h"
#include "world/determinism.h"
#include "world/live.h"
#include "world/set_order.h"

/* Silences the program: a repeated run must not print again. */
static void silence(int kept[2])
{
    fflush(NULL);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    for (int i = 0; i < 2 && nowhere >= 0; i++) {
        kept[i] = fcntl(STDOUT_FILENO + i, F_DUPFD_CLOEXEC, 3);
        if (kept[i] >= 0)
            dup2(nowhere, STDOUT_FILENO + i);
    }
    if (nowhere >= 0)
        close(nowhere);
}

static void speak(const int kept[2])
{
    fflush(NULL);
    for (int i = 0; i < 2; i++)
        if (kept[i] >= 0) {
            dup2(kept[i], STDOUT_FILENO + i);
            close(kept[i]);
        }
}

/* Selects the runs to repeat: the first runs, and later runs at random.  The later repeats cost less than a hundredth
 * of the other runs. */
static bool is_its_turn(struct rh_exploration *x)
{
    enum { FREE_STEPS = 512, SHARE = 128, ONE_IN = 4 };
    struct rh__repeats *d = &x->repeats;
    uint64_t with_this = d->steps + rh__depth(x->world);
    bool few = with_this <= FREE_STEPS || d->every_run;
    if (!few) /* not sooner, however short the run is */
        d->not_before = d->steps * (SHARE + 1);
    bool affordable = with_this <= (rh__world_steps(x->world) - d->steps) / SHARE;
    return few || (affordable && !rh__random_below(&d->random, ONE_IN));
}

static __attribute__((noinline)) void repeat_run(struct rh_exploration *x, bool ended)
{
    struct rh_world *w = x->world;
    struct rh__repeats *d = &x->repeats;
    if (x->limits.unchecked || d->known_to_differ || x->results->diverged || !is_its_turn(x))
        return;
    bool failed = ended && rh_outcome_failed(rh__world_recorded_outcome(w)->kind);
    if (!rh__seen_note(d->seen, w, x->run.opens, ended))
        return;
    int kept[2] = { -1, -1 };
    if (!x->mute)
        silence(kept);
    struct rh_outcome o = rh__seen_again(d->seen, w, &d->steps);
    if (o.kind == RH_OUTCOME_FINISHED && !*o.text && !failed)
        o = rh__check_set_order(w, d->every_run, &d->random, &d->steps);
    if (!x->mute)
        speak(kept);
    if (o.kind == RH_OUTCOME_FINISHED) {
        if (*o.text && !*d->note)
            snprintf(d->note, sizeof d->note, "%s", o.text);
        return;
    }
    rh__world_set_outcome(w, &o);
    x->results->count.failed += !failed; /* count each failed run once */
    rh__engine_add_finding(x, x->results->count.runs);
    x->end.stopped = x->results->incomplete = true;
}

void rh__engine_repeat_run(struct rh_exploration *x, bool ended)
{
    const struct rh__repeats *d = &x->repeats;
    if (rh__world_steps(x->world) >= d->not_before || d->every_run) /* mostly false */
        repeat_run(x, ended);
}

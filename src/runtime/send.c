/* Sending.  The fields and the tail are copied into a block of the sender's worker, and the block is pushed onto the
 * receiver's mailbox.  If the receiver was at rest, this worker runs it next. */
#include "runtime/actor.h"

#include <stdio.h>

#include "runtime/failure.h"
#include "runtime/mailbox_limit.h"
#include "runtime/rt_tape.h"

struct rh__message *rh__message_make(struct rh__worker *worker, enum rh__kind kind, rh_ref sender,
                                     const struct rh_message_type *type, size_t bytes)
{
    struct rh__message *m = rh__block_new(worker, bytes);
    if (!m)
        rh__out_of_memory();
    m->type = type;
    m->sender = sender;
    m->ticket = 0;
    m->tail_size = 0;
    m->kind = (uint8_t)kind;
    m->held = 0;
    m->counted = 0;
    m->by_other = 0;
    m->forwarded = 0;
    return m;
}

static bool counts_as_sent(const struct rh__message *m)
{
    return m->kind == RH__PLAIN || m->kind == RH__REPLY || m->kind == RH__TIMER || m->kind == RH__DOWN ||
           m->kind == RH__STORED;
}

void rh__post(struct rh__worker *worker, rh_ref to, struct rh__message *m)
{
    struct rh__slot *slot = rh__ref_external(to) ? NULL : rh__slot_of(to);
    if (counts_as_sent(m))
        rh__count_sent(worker);
    if (rh__recording())
        rh__tape_send(worker, to, m);
    if (!slot || !rh__slot_has(slot, to)) {
        rh__undeliverable(worker, to, m);
        rh__block_free(worker, m);
        return;
    }
    m->generation = rh__ref_generation(to);
    if (rh__mailbox_push(slot, m))
        rh__worker_ready(worker, slot);
}

/* Sends to something else than a living actor: a misuse, or a message to an actor that has ended. */
static bool send_astray(struct rh__worker *worker, rh_ref from, rh_ref to, const struct rh__letter *letter,
                        const char *here)
{
    if (rh_is_nobody(to)) {
        rh__misuse(here, "message %s is sent to nobody", letter->type->name);
        return false;
    }
    if (!rh__ref_external(to) && !rh__ref_known(to)) {
        rh__misuse(here, "message %s is sent to an actor that never existed (reference %llx)", letter->type->name,
                   (unsigned long long)to.id);
        return false;
    }
    if (rh__recording())
        rh__tape_send_astray(worker, from, to, letter->type);
    rh__count_sent(worker);
    rh__count_dropped(worker);
    return true;
}

bool rh__send(struct rh__worker *worker, rh_ref from, rh_ref to, const struct rh__letter *letter, const char *here)
{
    const struct rh_message_type *type = letter->type;
    struct rh__slot *slot = rh__slot_of(to);
    if (__builtin_expect(!slot || !rh__slot_has(slot, to), 0))
        return send_astray(worker, from, to, letter, here);
    size_t limit = rh__rt.options.max_message_bytes;
    if (__builtin_expect(type->size > limit || letter->tail_size > limit - type->size, 0)) {
        rh__misuse(here, "message %s has %zu bytes, more than max_message_bytes (%zu)", type->name,
                   type->size + letter->tail_size, limit);
        return false;
    }
    size_t bytes = letter->tail_size ? rh__message_tail_at(type->size) + letter->tail_size : type->size;
    bool by_other = !rh_is_nobody(letter->by);
    bool counted = rh__rt.limited && !letter->exempt;
    if (counted) {
        enum rh__room_answer answer = rh__room_wait(slot, to, here);
        worker = rh__worker();
        if (answer == RH__ROOM_NONE) {
            rh__unrecorded(RH__UNRECORDED_DROPS);
            rh__count_sent(worker);
            rh__count_dropped(worker);
            return true;
        }
    }
    size_t room = __builtin_expect(by_other, 0) ? rh__message_by_at(bytes) + sizeof letter->by : bytes;
    struct rh__message *m = worker ? rh__message_alloc(&worker->cache, room) : rh__block_new(NULL, room);
    if (__builtin_expect(!m, 0))
        rh__out_of_memory();
    m->type = type;
    m->sender = from;
    m->generation = rh__ref_generation(to);
    m->ticket = letter->ticket;
    m->tail_size = (uint32_t)letter->tail_size;
    m->kind = (uint8_t)letter->kind;
    m->held = 0;
    m->counted = counted;
    m->by_other = by_other;
    m->forwarded = letter->forwarded;
    rh__copy_fields(rh__message_value(m), letter->value, type->size);
    if (letter->tail_size)
        memcpy((char *)rh__message_value(m) + rh__message_tail_at(type->size), letter->tail, letter->tail_size);
    if (__builtin_expect(by_other, 0))
        memcpy((char *)rh__message_value(m) + rh__message_by_at(bytes), &letter->by, sizeof letter->by);
    rh__count_sent(worker);
    if (rh__recording())
        rh__tape_send(worker, to, m);
    if (rh__mailbox_push(slot, m))
        rh__worker_ready(worker, slot);
    return true;
}

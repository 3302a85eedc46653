/* Merging in symbolic execution: where the ways behind a branch meet again, and did nothing but compute, one path goes
 * on, whose values depend on the condition.  Without this, a loop over n numbers with an `if` in it has 2^n paths.
 *
 * Both ways are followed by copies of the path, up to the block where all ways meet: the nearest one that every way to
 * the end of the function goes through.  A way that sends, waits, ends, divides, or comes back to the branch (a loop)
 * is not merged; the path divides instead.  A block that only one way has run is kept with the condition for it. */
#include <stdlib.h>
#include <string.h>

#include "target/symbolic_path.h"

enum { MOST_BLOCKS = 512 };

/* ---- where ways meet --------------------------------------------------------------------------------------------- */

struct blocks {
    LLVMBasicBlockRef at[MOST_BLOCKS];
    uint32_t count;
};

static uint32_t index_of(const struct blocks *b, LLVMBasicBlockRef x)
{
    uint32_t i = 0;
    while (i < b->count && b->at[i] != x)
        i++;
    return i;
}

static unsigned successors(LLVMBasicBlockRef b)
{
    return LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(b));
}

/* Whether some way leads from `from` to a return without `without`. */
static bool escapes(const struct blocks *all, LLVMBasicBlockRef from, LLVMBasicBlockRef without)
{
    bool seen[MOST_BLOCKS] = { false };
    uint32_t list[MOST_BLOCKS], count = 0;
    if (from == without)
        return false;
    list[count++] = index_of(all, from);
    seen[list[0]] = true;
    for (uint32_t next = 0; next < count; next++) {
        LLVMValueRef end = LLVMGetBasicBlockTerminator(all->at[list[next]]);
        if (LLVMGetInstructionOpcode(end) == LLVMRet)
            return true;
        for (unsigned k = 0; k < successors(all->at[list[next]]); k++) {
            uint32_t to = index_of(all, LLVMGetSuccessor(end, k));
            if (to < all->count && !seen[to] && all->at[to] != without) {
                seen[to] = true;
                list[count++] = to;
            }
        }
    }
    return false;
}

/* The block where the ways from `from` meet, or NULL. */
static LLVMBasicBlockRef find_meeting(LLVMBasicBlockRef from)
{
    struct blocks all = { .count = 0 }, near = { .count = 0 };
    LLVMValueRef function = LLVMGetBasicBlockParent(from);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
        if (all.count == MOST_BLOCKS)
            return NULL;
        all.at[all.count++] = b;
    }
    near.at[near.count++] = from; /* breadth first: the nearest one is the first */
    for (uint32_t next = 0; next < near.count; next++) {
        if (next && !escapes(&all, from, near.at[next]))
            return near.at[next];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(near.at[next]);
        for (unsigned k = 0; k < successors(near.at[next]); k++) {
            LLVMBasicBlockRef to = LLVMGetSuccessor(end, k);
            if (index_of(&near, to) == near.count)
                near.at[near.count++] = to;
        }
    }
    return NULL;
}

/* What is known of a branch: kept for the whole run, because the answer is about the code. */
struct sym_meeting {
    LLVMBasicBlockRef from, to;
    uint32_t refused; /* merging was tried in vain so often */
};

static struct sym_meeting *meeting_of(struct sym_run *r, LLVMBasicBlockRef from)
{
    uint32_t i = 0;
    while (i < r->meeting_count && r->meetings[i].from != from)
        i++;
    if (i == r->meeting_count) {
        if ((i & (i - 1)) == 0)
            r->meetings = sym__must(realloc(r->meetings, (i ? 2 * (size_t)i : 1) * sizeof *r->meetings));
        r->meetings[r->meeting_count++] = (struct sym_meeting){ .from = from, .to = find_meeting(from) };
    }
    return &r->meetings[i];
}

/* ---- two states as one ------------------------------------------------------------------------------------------- */

static bool same(const struct sym_value *a, const struct sym_value *b)
{
    return a->bits == b->bits && a->object == b->object;
}

/* `objects`: those that both have. */
static bool merge_value(struct sym_run *r, Z3_ast is, struct sym_value a, struct sym_value b, uint32_t objects,
                        struct sym_value *to)
{
    *to = a;
    if (same(&a, &b))
        return !a.bits || a.object < objects;
    if (!a.bits || !b.bits || a.object != b.object || a.object >= objects ||
        sym__width_of(r, a.bits) != sym__width_of(r, b.bits))
        return false;
    to->bits = Z3_simplify(r->z, Z3_mk_ite(r->z, is, a.bits, b.bits));
    return true;
}

static bool merge_objects(struct sym_run *r, Z3_ast is, struct sym_path *to, const struct sym_path *a,
                          const struct sym_path *b)
{
    for (uint32_t i = 1; i < to->object_count; i++) {
        struct sym_object *o = &to->objects[i];
        const struct sym_object *x = &a->objects[i], *y = &b->objects[i];
        if (!o->size)
            continue; /* a copy of it has no bytes */
        if (memcmp(x->bytes, y->bytes, o->size * sizeof *x->bytes) == 0)
            memcpy(o->bytes, x->bytes, o->size * sizeof *x->bytes);
        else
            for (uint32_t k = 0; k < o->size; k++)
                o->bytes[k] = x->bytes[k] == y->bytes[k]
                                  ? x->bytes[k]
                                  : Z3_simplify(r->z, Z3_mk_ite(r->z, is, x->bytes[k], y->bytes[k]));
        for (uint32_t k = 0; k < o->size / 8; k++)
            if (!merge_value(r, is, x->pointers[k], y->pointers[k], to->object_count, &o->pointers[k]))
                return false;
    }
    return true;
}

/* Values that were there before, and those of the phi nodes where the ways meet. */
static bool merge_values(struct sym_run *r, Z3_ast is, struct sym_path *to, struct sym_path *a, struct sym_path *b)
{
    struct sym_frame *f = &to->frames[to->depth - 1];
    struct sym_frame *x = &a->frames[to->depth - 1], *y = &b->frames[to->depth - 1];
    for (uint32_t i = 0; i < f->known_count; i++) {
        struct sym_value v;
        if (same(&x->known[i].value, &y->known[i].value) && same(&x->known[i].value, &f->known[i].value))
            continue;
        if (!merge_value(r, is, x->known[i].value, y->known[i].value, to->object_count, &v))
            return false;
        f->known[i].value = v;
    }
    for (LLVMValueRef i = LLVMGetFirstInstruction(x->block); i && LLVMGetInstructionOpcode(i) == LLVMPHI;
         i = LLVMGetNextInstruction(i)) {
        struct sym_value v;
        if (!merge_value(r, is, *sym__slot(x, i), *sym__slot(y, i), to->object_count, &v))
            return false;
        *sym__slot(f, i) = v;
    }
    f->previous = x->previous;
    f->block = x->block;
    f->next = x->next;
    return true;
}

/* The parts of a way's condition from `first` on, as one. */
static Z3_ast parts(struct sym_run *r, const struct sym_path *way, uint32_t first, uint32_t end)
{
    return first < end ? Z3_mk_and(r->z, end - first, way->clauses + first) : NULL;
}

/* Blocks that the way has run, with the condition for them; and what it requires, if it is taken. */
static void keep_way(struct sym_run *r, struct sym_path *to, const struct sym_path *way, Z3_ast is, uint32_t clauses,
                     uint32_t visits)
{
    for (uint32_t i = visits; i < way->visit_count; i++) {
        struct sym_visit v = way->visits[i];
        Z3_ast all = parts(r, way, clauses, v.clauses);
        if (all && v.guard)
            all = sym__and_of(r, all, v.guard);
        v.guard = all ? all : v.guard;
        v.clauses = clauses;
        sym__add_visit(to, v);
    }
    Z3_ast also = parts(r, way, clauses + 1, way->clause_count);
    if (also)
        sym__require(r, to, Z3_mk_implies(r->z, is, also));
}

/* ---- merging ----------------------------------------------------------------------------------------------------- */

static bool goes_quietly(const struct sym_path *p, const struct sym_path *way)
{
    return way->arrived && way->depth == p->depth && way->effect_count == p->effect_count && way->place == p->place &&
           way->stops == p->stops;
}

static struct sym_path *follow_way(struct sym_run *r, const struct sym_path *p, Z3_ast is, LLVMBasicBlockRef block,
                                   LLVMBasicBlockRef meeting, bool *possible)
{
    struct sym_path *way = sym__path_copy(p);
    way->stop = meeting;
    way->stop_depth = p->depth;
    way->origins[way->origin_count].block = p->frames[p->depth - 1].block;
    way->origins[way->origin_count++].depth = p->depth;
    way->done = false;
    *possible = sym__require(r, way, is);
    if (*possible && sym__enter(r, way, block) && !way->arrived)
        sym__follow(r, way);
    return way;
}

enum sym_merged sym__merge(struct sym_run *r, struct sym_path *p, Z3_ast is, LLVMBasicBlockRef yes,
                           LLVMBasicBlockRef no)
{
    enum { MOST_TRIES = 3 };
    struct sym_meeting *m = meeting_of(r, p->frames[p->depth - 1].block);
    LLVMBasicBlockRef meeting = m->to;
    uint32_t number = (uint32_t)(m - r->meetings);
    if (!meeting || m->refused >= MOST_TRIES || r->a->found || p->origin_count == SYM_MERGES)
        return SYM_DIVIDES;
    bool possible[2];
    Z3_ast is_not = Z3_mk_not(r->z, is);
    struct sym_path *a = follow_way(r, p, is, yes, meeting, &possible[0]), *b = NULL;
    bool good = !possible[0] || goes_quietly(p, a);
    if (good) {
        b = follow_way(r, p, is_not, no, meeting, &possible[1]);
        good = possible[1] ? goes_quietly(p, b) && possible[0] : possible[0];
        if (!possible[0] || !possible[1])
            good = false; /* there is one way: the path takes it */
        else if (!good)
            r->meetings[number].refused++;
    } else
        r->meetings[number].refused++;
    uint32_t clauses = p->clause_count, visits = p->visit_count;
    struct sym_path *c = good ? sym__path_copy(p) : NULL;
    if (c && (!merge_objects(r, is, c, a, b) || !merge_values(r, is, c, a, b))) {
        sym__path_free(c);
        c = NULL;
        r->meetings[number].refused++;
    }
    if (c) {
        keep_way(r, c, a, is, clauses, visits);
        keep_way(r, c, b, is_not, clauses, visits);
        c->steps = a->steps > b->steps ? a->steps : b->steps;
        if (c->stop == meeting && c->stop_depth == c->depth)
            c->arrived = true;
        struct sym_path old = *p;
        *p = *c; /* the caller's path goes on */
        *c = old;
        sym__path_free(c);
    }
    sym__path_free(a);
    if (b)
        sym__path_free(b);
    return c ? p->arrived ? SYM_ARRIVED : SYM_MERGED : SYM_DIVIDES;
}

/* See curve_json.h. */
#include "report/curve_json.h"

#include <math.h>

#include "report/json_text.h"

static void put_members(FILE *f, const struct rh__curve *c)
{
    fputs(",\"members\":[", f);
    for (uint32_t k = 0; k < c->members; k++) {
        fputs(k ? ",{\"name\":" : "{\"name\":", f);
        rh__json_text(f, c->name[k] ? c->name[k] : "");
        fputs(",\"curve\":[", f);
        for (uint32_t i = 0; i < c->count; i++)
            fprintf(f, "%s[%llu,%llu]", i ? "," : "", (unsigned long long)c->at[i].member[k].runs,
                    (unsigned long long)c->at[i].member[k].distinct);
        fputs("]}", f);
    }
    fputc(']', f);
}

void rh__curve_json(FILE *f, const struct rh__curve *c)
{
    fputs("\"curve\":[", f);
    for (uint32_t i = 0; i < c->count; i++) {
        const struct rh__curve_point *p = &c->at[i];
        fprintf(f, "%s[%llu,%.6f,%llu,", i ? "," : "", (unsigned long long)p->runs, p->seconds,
                (unsigned long long)p->distinct);
        if (p->estimate > 0 && isfinite(p->estimate))
            fprintf(f, "%.6g", p->estimate);
        else
            fputs("null", f);
        fprintf(f, ",%llu,", (unsigned long long)p->pairs);
        if (p->sequences || (c->counts_sequences && !p->runs))
            fprintf(f, "%llu]", (unsigned long long)p->sequences);
        else
            fputs("null]", f);
    }
    fputc(']', f);
    put_members(f, c);
}

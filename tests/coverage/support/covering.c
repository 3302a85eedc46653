#include "coverage/support/covering.h"

void told_by(const struct rh_exploration *x, struct told *sum)
{
    char text[4096];
    rh_inner_notes(&x->explorer, text, sizeof text);
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line ? 1 : 0) {
        char name[8];
        unsigned long long n[4];
        if (sscanf(line,
                   "%7[a-z]: %llu %*[^)]), %llu could not be forced, %llu missed their goal, %llu achieved nothing new",
                   name, &n[0], &n[1], &n[2], &n[3]) == 5) {
            sum->schedules += n[0];
            sum->infeasible += n[1];
            sum->missed += n[2];
            sum->nothing += n[3];
        }
    }
}

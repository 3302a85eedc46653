/* Calling the script on the server.  Private to src/link. */
#ifndef RH_LINK_SCRIPT_H
#define RH_LINK_SCRIPT_H

#include "link/server.h"

extern const char rh__work_script[]; /* work.lua */
extern const size_t rh__work_script_size;

enum { RH__MOST_NUMBERS = 32 };
/* The arguments of a call.  They are borrowed, but for numbers. */
struct rh__words {
    const char **words;
    size_t *sizes;
    size_t count, room;
    bool full;
    char numbers[RH__MOST_NUMBERS][24];
    uint32_t number_count;
};
void rh__words_add(struct rh__words *w, const void *bytes, size_t size);
void rh__words_text(struct rh__words *w, const char *text);
void rh__words_number(struct rh__words *w, long long number);
void rh__words_release(struct rh__words *w);

/* Calls the script; the reply is in s->reply.  False with a sentence: the connection is lost, or the server is of no
 * use. */
bool rh__server_call(struct rh__server *s, const struct rh__words *words, char *error, size_t error_size);

/* A name that nobody else has. */
void rh__random_name(char *text, size_t size);

#endif

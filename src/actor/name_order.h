/* The order of actors by their names, the same in all worlds: the messages of a set are in this order. */
#ifndef RH_ACTOR_NAME_ORDER_H
#define RH_ACTOR_NAME_ORDER_H

/* Compares two names such as "boss#1/worker#10" part by part: types by their letters, then numbers.  A creator comes
 * before those that it has created.  Negative, zero or positive, like strcmp. */
int rh__name_order(const char *a, const char *b);

#endif

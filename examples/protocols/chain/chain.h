/* Chain replication (van Renesse and Schneider): updates enter at the head, go down the chain, and are answered by the
 * tail, which also answers queries.  A master monitors the servers; when one fails it repairs the chain, and spare
 * servers join at the end.  A store of n servers survives n - 1 failures. */
#ifndef CHAIN_H
#define CHAIN_H

#include <rehearse.h>

enum { MOST_SERVERS = 6, MOST_CLIENTS = 8, MOST_KEYS = 8, WINDOW = 16 };

/* Client and servers.  Clients are numbered from 0, their requests from 1; a client has one request at a time. */
RH_MESSAGE(ch_update, int client; uint32_t request; int key; int value;);
RH_MESSAGE(ch_updated, uint32_t request; uint32_t sequence;);
RH_MESSAGE(ch_query, int client; uint32_t request; int key;);
RH_MESSAGE(ch_answer, uint32_t request; int value; uint32_t sequence;); /* of the last update that it shows */

/* Client and master: where head and tail are, at once and after each change. */
RH_MESSAGE(ch_subscribe);
RH_MESSAGE(ch_view, rh_ref head; rh_ref tail;);

/* Down and up the chain.  An acknowledgement is for all updates up to `sequence`: the tail has them. */
struct update {
    uint32_t sequence, request;
    int client, key, value;
    rh_ref who;
};
RH_MESSAGE(ch_forward, struct update update;);
RH_MESSAGE(ch_ack, uint32_t sequence;);

/* Master and servers.  Answers carry the version of the order that they answer. */
RH_MESSAGE(ch_be_head, uint32_t version;);
RH_MESSAGE(ch_be_tail, uint32_t version;);
RH_MESSAGE(ch_ready, uint32_t version;);
RH_MESSAGE(ch_new_predecessor, uint32_t version; rh_ref predecessor;);
RH_MESSAGE(ch_has, uint32_t version; uint32_t last;);
RH_MESSAGE(ch_new_successor, uint32_t version; rh_ref successor; uint32_t last;); /* which the successor has */
RH_MESSAGE(ch_extend, uint32_t version; rh_ref spare;);

struct contents {
    int values[MOST_KEYS];
    uint32_t last, acked; /* the last update; the last one that the tail has, too */
    struct update window[WINDOW];
    struct {
        uint32_t request, sequence;
    } requests[MOST_CLIENTS]; /* the last request of each client */
};
RH_MESSAGE(ch_copy, uint32_t version; rh_ref master; int from;
           struct contents contents;); /* the old tail to the new one */

/* Announced, for the specification. */
RH_MESSAGE(ch_applied, int server; struct update update;);
RH_MESSAGE(ch_replied, int client; uint32_t request; uint32_t sequence;);
RH_MESSAGE(ch_copied, int server; int from; uint32_t last;);
RH_MESSAGE(ch_in_chain, int server;);
RH_MESSAGE(ch_failed, int server;);
RH_MESSAGE(ch_read_begins, int client;);
RH_MESSAGE(ch_read_ends, int client; uint32_t sequence;);

/* Flaws: the bugs of test.c; see server.c and master.c. */
struct ch_flaws {
    bool no_resend, applies_twice, mute_tail, counts_acks, answers_again, old_tail_answers, forgets_requests;
    bool two_neighbours, stale_report, tells_clients_first;
};

/* `version` is that of the last order; an older one comes twice or too late. */
RH_ACTOR(server, int number; struct ch_flaws flaws; bool head; bool tail; rh_ref predecessor; rh_ref successor;
         uint32_t version; struct contents contents;);

/* A member of the chain.  While `asked` is not 0, the master waits for ch_has of this version. */
struct member {
    rh_ref server;
    int number;
    uint32_t asked;
};
/* While head_order or tail_order is not 0, the master waits for ch_ready of this version before it tells clients. */
RH_ACTOR(master, int count; struct member chain[MOST_SERVERS]; int spare_count; struct member spares[MOST_SERVERS];
         struct ch_flaws flaws; uint32_t version; uint32_t head_order; uint32_t tail_order; bool started;
         bool extending; int client_count; rh_ref clients[MOST_CLIENTS];);

/* Makes updates, or queries; sends a request again after each ch_view. */
RH_PROCESS(ch_client, int number; rh_ref master; int requests; bool reads; uint32_t answered;);

#endif

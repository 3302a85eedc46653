/* A bank account behind a client that keeps its own copy of the balance, after Figure 1 of the TAP paper. */
#ifndef BANK_H
#define BANK_H

#include <rehearse.h>

RH_MESSAGE(deposit, int amount;);
RH_MESSAGE(withdraw, int amount;);
RH_MESSAGE(confirmed);

/* Announcements for the monitor that keeps the books: what the client promised, and what the server did. */
RH_MESSAGE(promised, int amount;);
RH_MESSAGE(booked, int amount;);

enum { FIRST_BALANCE = 100 };

RH_ACTOR(client, rh_ref server; int balance; bool hasty;);
RH_ACTOR(server, int balance;);

#endif

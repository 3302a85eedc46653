#include "world/timer_budgets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse(const char *word, char *error, size_t error_size, const char *why)
{
    if (error)
        snprintf(error, error_size, "%.*s: %s", (int)strcspn(word, ","), word, why);
    return -1;
}

static uint32_t find(const struct rh__timer_budget *budgets, uint32_t count, const char *name, size_t length)
{
    uint32_t i = 0;
    while (i < count && (budgets[i].length != length || memcmp(budgets[i].name, name, length) != 0))
        i++;
    return i;
}

int rh__timer_budgets_read(const char *text, struct rh__timer_budget *budgets, char *error, size_t error_size)
{
    uint32_t count = 0;
    for (const char *at = text + strspn(text, ", "); *at; at += strspn(at, ", ")) {
        size_t length = strcspn(at, "=, ");
        const char *number = at + length + 1;
        size_t digits = at[length] == '=' ? strspn(number, "0123456789") : 0;
        if (!length || !digits || (number[digits] && !strchr(", ", number[digits])))
            return refuse(at, error, error_size, "NAME=N is wanted: how often timers of that name may fire");
        errno = 0;
        unsigned long long most = strtoull(number, NULL, 10);
        if (errno || most >= UINT32_MAX)
            return refuse(at, error, error_size, "the number is too large");
        uint32_t i = find(budgets, count, at, length);
        if (i == RH__TIMER_BUDGETS)
            return refuse(at, error, error_size, "there are more than 16 budgets of timers");
        budgets[i] = (struct rh__timer_budget){ .name = at, .length = (uint32_t)length, .most = (uint32_t)most };
        count += i == count;
        at = number + digits;
    }
    return (int)count;
}

uint32_t rh__timer_budget_of(const struct rh__timer_budget *budgets, uint32_t count, const char *name)
{
    return find(budgets, count, name, strlen(name));
}

bool rh__timer_is_budgeted(const char *text, const char *name)
{
    struct rh__timer_budget budgets[RH__TIMER_BUDGETS];
    int count = *text ? rh__timer_budgets_read(text, budgets, NULL, 0) : 0;
    return count > 0 && rh__timer_budget_of(budgets, (uint32_t)count, name) < (uint32_t)count;
}

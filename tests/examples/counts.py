"""Counts of dfs sequences by models that share nothing with the examples: store and philosophers.

Prints store(1,1,c,1) for c = 1, 2, 3; philosophers(2), ordered and naive; philosophers(3), ordered.
examples.sh compares them with what rehearse makes."""
from functools import lru_cache


def store(clients):
    """Each client starts, is at the front-end, at the back-end (in the front-end's order), has its reply, is done."""

    @lru_cache(None)
    def go(stages, queue, collected):
        def moved(i, stage):
            return stages[:i] + (stage,) + stages[i + 1:]

        ways = 0
        for i, stage in enumerate(stages):
            if stage == 1:
                ways += go(moved(i, 2), queue + (i,), collected)
            elif stage == 2 and queue[0] == i:
                ways += go(moved(i, 3), queue[1:], collected)
            elif stage in (0, 3):
                ways += go(moved(i, stage + 1), queue, collected)
            elif stage == 4 and collected == i:  # the test takes them in the order of clients
                ways += go(moved(i, 5), queue, collected + 1)
        return ways or 1

    return go((0,) * clients, (), 0)


def philosophers(n, naive):
    """Each one starts, asks for a fork, has it, asks for the other, has both; then three messages are under way."""
    pairs = [(i, (i + 1) % n) for i in range(n)]
    if not naive:
        pairs = [(min(p), max(p)) for p in pairs]

    @lru_cache(None)
    def go(stages, holders, returns, done, collected):
        def moved(i, stage):
            return stages[:i] + (stage,) + stages[i + 1:]

        def held(fork, by):
            return holders[:fork] + (by,) + holders[fork + 1:]

        ways = 0
        for i, stage in enumerate(stages):
            if stage in (0, 2):
                ways += go(moved(i, stage + 1), holders, returns, done, collected)
            elif stage in (1, 3) and holders[pairs[i][stage // 2]] is None:
                ways += go(moved(i, stage + 1), held(pairs[i][stage // 2], i), returns, done, collected)
            elif stage == 4:
                ways += go(moved(i, 5), holders, returns | frozenset(pairs[i]), done | {i}, collected)
        for fork in returns:
            ways += go(stages, held(fork, None), returns - {fork}, done, collected)
        if collected in done:
            ways += go(stages, holders, returns, done - {collected}, collected + 1)
        return ways or 1

    return go((0,) * n, (None,) * n, frozenset(), frozenset(), 0)


print(store(1), store(2), store(3), philosophers(2, False), philosophers(2, True), philosophers(3, False))

#!/usr/bin/env escript
%% The cases of tests/conformance/erlang.c in a real Erlang.  Prints a line for each case: its name, and its outcome.
main(_) ->
    logger:set_primary_config(level, none),
    Cases = [
        {a_signal_ends_one_that_does_not_trap, fun() -> V = start(false), exit(V, boom), [ending()] end},
        {a_signal_is_a_message_to_one_that_traps, fun() -> V = start(true), exit(V, boom), [ending(), alive(V)] end},
        {a_normal_signal_does_nothing, fun() -> V = start(false), exit(V, normal), [alive(V)] end},
        {a_normal_signal_is_a_message_to_one_that_traps,
         fun() -> V = start(true), exit(V, normal), [ending(), alive(V)] end},
        {a_kill_ends_with_killed, fun() -> V = start(false), exit(V, kill), [ending()] end},
        {a_kill_ends_one_that_traps, fun() -> V = start(true), exit(V, kill), [ending()] end},
        {one_that_is_linked_to_a_killed_one_ends_with_killed,
         fun() -> {V, _} = pair(false), exit(V, kill), [ending(), ending()] end},
        {one_that_traps_is_told_of_a_killed_one,
         fun() -> {V, O} = pair(true), unwatch(V), exit(V, kill), [ending(), alive(O)] end},
        {an_exit_with_reason_kill_is_trapped_by_those_linked,
         fun() -> {V, O} = pair(true), unwatch(V), die(V, kill), [ending(), alive(O)] end},
        {an_exit_with_reason_kill_ends_those_linked_with_kill,
         fun() -> {V, _} = pair(false), unwatch(V), die(V, kill), [ending()] end},
        {an_abnormal_end_ends_those_linked,
         fun() -> {V, _} = pair(false), unwatch(V), die(V, broken), [ending()] end},
        {a_link_works_both_ways,
         fun() -> V = start(false), O = start(false), ask(V, {join, O}), unwatch(V), die(V, broken), [ending()] end},
        {a_normal_end_does_not_end_those_linked,
         fun() -> {V, O} = pair(false), die(V, normal), [ending(), alive(O)] end},
        {one_that_traps_is_told_of_a_normal_end,
         fun() -> {V, _} = pair(true), unwatch(V), die(V, normal), [ending()] end},
        {a_shutdown_ends_those_linked,
         fun() -> {V, _} = pair(false), unwatch(V), die(V, shutdown), [ending()] end},
        {an_unlinked_one_goes_on,
         fun() -> {V, O} = pair(false), ask(O, {part, V}), die(V, broken), [ending(), alive(O)] end},
        {linking_twice_is_one_link,
         fun() -> {V, O} = pair(false), ask(O, {join, V}), ask(O, {part, V}), die(V, broken), [ending(), alive(O)] end},
        {linking_to_one_that_has_ended_gives_noproc,
         fun() -> V = start(false), O = start(true), die(V, gone), A = ending(), O ! {self(), {join, V}},
                  [A, ending()] end},
        {linking_to_one_that_has_ended_ends_one_that_does_not_trap,
         fun() -> V = start(false), O = start(false), die(V, gone), A = ending(), O ! {self(), {join, V}},
                  [A, ending()] end},
        {a_monitor_is_told_the_reason, fun() -> V = start(false), die(V, why), [ending()] end},
        {monitoring_one_that_has_ended_gives_noproc,
         fun() -> V = start(false), die(V, why), A = ending(), monitor(process, V), [A, ending()] end},
        {after_demonitor_nothing_arrives,
         fun() -> V = start(false), unwatch(V), die(V, normal), W = start(false), unwatch(W), exit(W, kill),
                  [receive {'DOWN', _, process, _, _} -> "down" after 0 -> "nothing" end] end},
        {one_that_monitors_goes_on,
         fun() -> V = start(false), O = start(false), exit(V, boom), [ending(), alive(O)] end},
        {one_that_has_ended_gets_no_name,
         fun() -> V = start(false), die(V, gone), A = ending(), [A, name(rules1, V)] end},
        {a_name_that_is_taken_is_refused,
         fun() -> V = start(false), O = start(false), [name(rules2, V), name(rules2, O)] end},
        {the_name_of_one_that_ends_is_free,
         fun() -> V = start(false), O = start(false), A = name(rules3, V), die(V, gone), B = ending(),
                  C = case whereis(rules3) of undefined -> "nobody"; _ -> "somebody" end,
                  [A, B, C, name(rules3, O)] end},
        {an_unknown_name_cannot_be_removed,
         fun() -> [try unregister(rules4), "removed" catch error:badarg -> "refused" end] end},
        {a_send_to_an_unknown_name_is_refused,
         fun() -> [try rules5 ! ping, "sent" catch error:badarg -> "refused" end] end},
        {a_message_to_one_that_has_ended_is_lost,
         fun() -> V = start(false), die(V, gone), A = ending(), V ! ping, [A, "on"] end}
    ],
    [run(Name, Case) || {Name, Case} <- Cases].

run(Name, Case) ->
    Self = self(),
    {_, Ref} = spawn_monitor(fun() -> Self ! {said, Case()} end),
    receive {said, Words} -> io:format("~s ~s~n", [Name, string:join(Words, " ")]) after 5000 -> io:format("~s ?~n", [Name]) end,
    receive {'DOWN', Ref, process, _, _} -> ok end.

start(Traps) ->
    Creator = self(),
    {V, Ref} = spawn_monitor(fun() -> process_flag(trap_exit, Traps), victim(Creator) end),
    put(V, Ref),
    ask(V, ping),
    V.

pair(Traps) ->
    V = start(false), O = start(Traps), ask(O, {join, V}), {V, O}.

unwatch(V) -> demonitor(get(V), [flush]).

victim(Creator) ->
    receive
        {die, Reason} -> exit(Reason);
        {'EXIT', _, Reason} -> Creator ! {told, Reason};
        {From, {join, Who}} -> link(Who), From ! pong;
        {From, {part, Who}} -> unlink(Who), From ! pong;
        {From, ping} -> From ! pong
    end,
    victim(Creator).

ask(V, What) -> V ! {self(), What}, receive pong -> ok end.
die(V, Reason) -> V ! {die, Reason}.
alive(V) -> ask(V, ping), "alive".
name(Name, V) -> try register(Name, V), "registered" catch error:badarg -> "refused" end.

ending() ->
    receive
        {'DOWN', _, process, _, Reason} -> "down " ++ word(Reason);
        {told, Reason} -> "told " ++ word(Reason)
    end.

%% An error has its stack with it.
word({Reason, [_ | _]}) -> atom_to_list(Reason);
word(Reason) -> atom_to_list(Reason).

%% The benchmarks of bench/runtime_savina.c for Erlang/OTP.
%%
%%   erlc savina.erl && erl -noshell +S N:N -run savina main BENCHMARK [SCALE]
%%
%% Prints one line of runtime,benchmark,threads,messages,wall_s,cpu_s,messages per wall second,messages per CPU second.
-module(savina).
-export([main/1]).

main([Benchmark]) ->
    main([Benchmark, "100"]);
main([Benchmark, Scale]) ->
    Begin = erlang:monotonic_time(microsecond),
    {CpuBegin, _} = statistics(runtime),
    Messages = run(list_to_atom(Benchmark), list_to_integer(Scale)),
    Wall = (erlang:monotonic_time(microsecond) - Begin) / 1.0e6,
    {CpuEnd, _} = statistics(runtime),
    Cpu = max(1, CpuEnd - CpuBegin) / 1.0e3,
    io:format("erlang,~s,~w,~w,~.3f,~.3f,~w,~w~n",
              [Benchmark, erlang:system_info(schedulers_online), Messages, Wall, Cpu, round(Messages / Wall),
               round(Messages / Cpu)]),
    halt().

wait(Pid) ->
    Ref = erlang:monitor(process, Pid),
    receive {'DOWN', Ref, _, _, _} -> ok end.

run(pingpong, Scale) ->
    N = 1000000 * Scale div 100,
    Ponger = spawn(fun ponger/0),
    wait(spawn(fun() -> pinger(Ponger, N) end)),
    2 * N;
run(counting, Scale) ->
    N = 5000000 * Scale div 100,
    Counter = spawn(fun() -> counter(0) end),
    wait(spawn(fun() ->
        produce(Counter, N),
        Counter ! {get, self()},
        receive N -> ok end,
        Counter ! stop
    end)),
    N;
run(forkjoin, Scale) ->
    Count = 60,
    N = 10000 * Scale div 100,
    Labourers = [spawn(fun() -> labourer(N) end) || _ <- lists:seq(1, Count)],
    Refs = [erlang:monitor(process, L) || L <- Labourers],
    fork(Labourers, N),
    [receive {'DOWN', Ref, _, _, _} -> ok end || Ref <- Refs],
    Count * N;
run(ring, Scale) ->
    Hops = 1000000 * Scale div 100,
    Me = self(),
    Nodes = [spawn(fun() -> ring_node(Me) end) || _ <- lists:seq(1, 100)],
    link_ring(Nodes, hd(Nodes)),
    hd(Nodes) ! {token, Hops},
    receive done -> ok end,
    [Node ! stop || Node <- Nodes],
    Hops;
run(big, Scale) ->
    Count = 120,
    N = 5000 * Scale div 100,
    Me = self(),
    Peers = [spawn(fun() -> big(Me, I, N) end) || I <- lists:seq(1, Count)],
    All = list_to_tuple(Peers),
    [Peer ! {go, All} || Peer <- Peers],
    [receive done -> ok end || _ <- Peers],
    [Peer ! stop || Peer <- Peers],
    2 * Count * N;
run(chameneos, Scale) ->
    Count = 100,
    N = 400000 * Scale div 100,
    Mall = spawn(fun() -> mall(N, none, Count) end),
    [spawn(fun() -> Mall ! {meet, self()}, creature(Mall) end) || _ <- lists:seq(1, Count)],
    wait(Mall),
    4 * N.

%% ping-pong
ponger() ->
    receive
        {ping, From, N} -> From ! {pong, N}, ponger();
        stop -> ok
    end.

pinger(Ponger, 0) ->
    Ponger ! stop;
pinger(Ponger, N) ->
    Ponger ! {ping, self(), N},
    receive {pong, N} -> pinger(Ponger, N - 1) end.

%% counting
counter(Count) ->
    receive
        inc -> counter(Count + 1);
        {get, From} -> From ! Count, counter(Count);
        stop -> ok
    end.

produce(_, 0) -> ok;
produce(Counter, N) -> Counter ! inc, produce(Counter, N - 1).

%% fork-join
labourer(0) -> ok;
labourer(N) -> receive inc -> _ = 37.2 * 37.2, labourer(N - 1) end.

fork(_, 0) -> ok;
fork(Labourers, N) -> fork_round(Labourers), fork(Labourers, N - 1).

fork_round([]) -> ok;
fork_round([L | Rest]) -> L ! inc, fork_round(Rest).

%% ring
ring_node(Me) ->
    receive {next, Next} -> ring_node(Me, Next) end.

ring_node(Me, Next) ->
    receive
        {token, 0} -> Me ! done, ring_node(Me, Next);
        {token, N} -> Next ! {token, N - 1}, ring_node(Me, Next);
        stop -> ok
    end.

link_ring([Last], First) -> Last ! {next, First};
link_ring([A, B | Rest], First) -> A ! {next, B}, link_ring([B | Rest], First).

%% big
big(Me, I, N) ->
    receive {go, All} -> big_next(Me, All, rand:seed_s(exsss, I), N) end.

big_next(Me, All, Random, N) ->
    {X, Next} = rand:uniform_s(tuple_size(All), Random),
    element(X, All) ! {ping, self()},
    big_loop(Me, All, Next, N).

big_loop(Me, All, Random, N) ->
    receive
        {ping, From} -> From ! pong, big_loop(Me, All, Random, N);
        pong when N > 1 -> big_next(Me, All, Random, N - 1);
        pong -> Me ! done, big_loop(Me, All, Random, 0);
        stop -> ok
    end.

%% chameneos
mall(_, _, 0) -> ok;
mall(0, Waiting, Count) ->
    receive {meet, Who} -> Who ! stop, mall(0, Waiting, Count - 1) end;
mall(N, none, Count) ->
    receive {meet, Who} -> mall(N, Who, Count) end;
mall(N, Waiting, Count) ->
    receive {meet, Who} -> Waiting ! {mate, Who}, mall(N - 1, none, Count) end.

creature(Mall) ->
    receive
        {mate, Other} -> Other ! back, Mall ! {meet, self()}, creature(Mall);
        back -> Mall ! {meet, self()}, creature(Mall);
        stop -> ok
    end.

-- All that happens to a job on the server, one operation a call.  A script is one step for everybody else: so results,
-- the rest of an item and its end become known together (src/cluster/queue.h).
--
--   work    stream of open items with the consumer group "g"; fields i (the item), d (deaths before this entry)
--   tot     hash of counters
--   res     list of results that the explorer has not taken; tot.base is the number of results taken before its head,
--           tot.bytes how large those are that came since the last snapshot
--   agents  sorted set of agents by the time when they were last seen (milliseconds of the server)
--   out     hash: entry -> what its lease may use up; "k" and a key -> nothing
--   known   string: what agents learn of a search in rounds, in the order in which they must learn it
--   spec    hash: the job.  token: the generation; whoever has another token is told that its generation is gone
--
-- A server that stops a script in the middle (a right that the user lacks, for instance) does not take back its first
-- half.  So whatever changes a generation sets tot.half first and removes it last: where it is still set, the
-- generation is gone, and the explorer begins another one from its snapshot.
--
-- Answers: status, then the state (waiting, leased, runs, steps, findings, agents, workers, backlog, paused, known), then
-- what the operation gives.
local work, tot, res, agents, out, spec, sizes, known =
    KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8]
local op, token, me = ARGV[1], ARGV[2], ARGV[3]
local MOST_BACKLOG, MOST_BACKLOG_BYTES = 50000, 67108864

local function now()
    local t = redis.call('TIME')
    return t[1] * 1000 + math.floor(t[2] / 1000)
end

local function number(v)
    return tonumber(v or '0') or 0
end

local function pending_count()
    local groups = redis.call('XINFO', 'GROUPS', work)
    for _, g in ipairs(groups) do
        for i = 1, #g, 2 do
            if g[i] == 'pending' then return g[i + 1] end
        end
    end
    return 0
end

local function answer(status, more)
    local leased = pending_count()
    local t = redis.call('HMGET', tot, 'runs', 'steps', 'findings', 'workers', 'bytes')
    local a = { status, redis.call('XLEN', work) - leased, leased, number(t[1]), number(t[2]), number(t[3]),
        redis.call('ZCARD', agents), number(t[4]), number(t[5]),
        redis.call('HGET', spec, 'state') == 'paused' and 1 or 0, redis.call('STRLEN', known) }
    for _, v in ipairs(more or {}) do a[#a + 1] = v end
    return a
end

local function changed(status, more)
    local a = answer(status, more)
    redis.call('HDEL', tot, 'half')
    return a
end

-- An item with a key (rh_item_key in rehearse/explorer.h) is added once.  A key alone says that there was such an item.
-- Keys are fields of `out` with "k" before them.
local KEYED, KEY_BYTES = '\255rhonce\255', 24

local function put(item, deaths)
    if string.sub(item, 1, #KEYED) == KEYED and #item >= KEY_BYTES then
        if redis.call('HSETNX', out, 'k' .. string.sub(item, 1, KEY_BYTES), '') == 0 or #item == KEY_BYTES then return end
    end
    redis.call('XADD', work, '*', 'i', item, 'd', deaths)
end

local function remove_work()
    redis.call('DEL', work, tot, res, agents, out, sizes, known)
end

local function seen(workers, info)
    local t = now()
    if redis.call('ZADD', agents, 'CH', t, me) and workers then
        local was = number(redis.call('HGET', sizes, me))
        if was ~= workers then
            redis.call('HSET', sizes, me, workers)
            redis.call('HINCRBY', tot, 'workers', workers - was)
        end
    end
end

local function forget_agents(before)
    for _, a in ipairs(redis.call('ZRANGEBYSCORE', agents, '-inf', '(' .. before)) do
        redis.call('HINCRBY', tot, 'workers', 0 - number(redis.call('HGET', sizes, a)))
        redis.call('HDEL', sizes, a)
        redis.call('ZREM', agents, a)
    end
end

-- Operations of the explorer before there is a generation. -----------------------------------------------------------

-- open: takes the job, also from an explorer that is gone: what it needs to go on is in its own checkpoint.
-- ARGV: owner, lease, SHA-256 and name of the program, format, run id
if op == 'open' then
    local s = redis.call('HMGET', spec, 'state', 'owner', 'seen', 'lease')
    local alive = s[1] == 'idle' or s[1] == 'running' or s[1] == 'paused'
    if alive and s[2] ~= ARGV[4] and now() - number(s[3]) < 2 * number(s[4]) then return { 'busy', s[2] } end
    remove_work()
    redis.call('DEL', spec)
    redis.call('HSET', spec, 'state', 'idle', 'owner', ARGV[4], 'seen', now(), 'lease', ARGV[5], 'sha', ARGV[6],
        'program', ARGV[7], 'format', ARGV[8], 'token', token, 'begun', now(), 'run', ARGV[9])
    return { 'ok' }
end

-- touch: between two generations the explorer is still there.  ARGV: owner
if op == 'touch' then
    if redis.call('HGET', spec, 'owner') == ARGV[4] then redis.call('HSET', spec, 'seen', now()) end
    return { 'ok' }
end

-- begin: a generation.  ARGV: owner, new token, lease, binding, job, limits of runs and steps, both done before,
-- findings before, items ...
if op == 'begin' then
    local s = redis.call('HMGET', spec, 'owner', 'state', 'run')
    if s[3] == ARGV[17] then -- else it is from a file, perhaps an old one
        if s[1] and s[1] ~= ARGV[4] then return { 'busy', s[1] } end
        if s[2] == 'removed' then return { 'ended' } end
    end
    remove_work()
    redis.call('HSET', tot, 'half', 1)
    redis.call('HSET', spec, 'state', 'running', 'owner', ARGV[4], 'seen', now(), 'token', ARGV[5], 'lease', ARGV[6],
        'binding', ARGV[7], 'job', ARGV[8], 'maxr', ARGV[9], 'maxs', ARGV[10], 'sha', ARGV[14], 'format', ARGV[15],
        'program', ARGV[16], 'run', ARGV[17], 'begun', now())
    redis.call('HINCRBY', spec, 'generation', 1)
    redis.call('PERSIST', spec)
    redis.call('HSET', tot, 'runs', ARGV[11], 'steps', ARGV[12], 'findings', ARGV[13])
    redis.call('XGROUP', 'CREATE', work, 'g', '0', 'MKSTREAM')
    for i = 18, #ARGV do put(ARGV[i], 0) end
    return changed('ok')
end

-- Everything else belongs to a generation. ----------------------------------------------------------------------------

local s = redis.call('HMGET', spec, 'token', 'state', 'maxr', 'maxs', 'lease', 'seen')
if s[2] == 'removed' then return { 'ended' } end
if s[1] ~= token or (s[2] ~= 'running' and s[2] ~= 'paused') then return { 'gone' } end
if redis.call('EXISTS', work) == 0 or redis.call('HEXISTS', tot, 'half') == 1 then return { 'gone' } end
local lease = number(s[5])

local function release(id)
    local o = redis.call('HGET', out, id)
    if not o then return end
    local r, n = string.match(o, '^(%d+) (%d+)$')
    redis.call('HDEL', out, id)
    redis.call('HINCRBY', tot, 'outr', 0 - r) -- -r would be -0, which is no integer for Redis
    redis.call('HINCRBY', tot, 'outs', 0 - n)
end

local function is_mine(id, count)
    local p = redis.call('XPENDING', work, 'g', id, id, 1)
    return #p == 1 and p[1][2] == me and p[1][4] == tonumber(count)
end

local function finish(id)
    redis.call('XACK', work, 'g', id)
    redis.call('XDEL', work, id)
    release(id)
end

-- The part of a limit that one lease may use up; nil: nothing is left.
local function budget(limit, done, given)
    limit = number(limit)
    if limit == 0 then return 0 end
    local left = limit - number(redis.call('HGET', tot, done)) - number(redis.call('HGET', tot, given))
    if left <= 0 then return nil end
    local share = math.floor(left / (2 * math.max(1, number(redis.call('HGET', tot, 'workers')))))
    return math.min(left, math.max(share, 16), 1e9)
end

-- The entry waits again, as a new one.
local function back(id, count, died)
    local f = redis.call('XRANGE', work, id, id)[1][2]
    finish(id)
    redis.call('XADD', work, '*', 'i', f[2], 'd', number(f[4]) + count - 1 + died)
end

-- Gives entry, delivery count, deaths, budgets, item; or nothing.  While the explorer is silent nobody works for
-- nothing.
local function fetch()
    if s[2] == 'paused' or now() - number(s[6]) > 2 * lease then return nil end
    if redis.call('LLEN', res) > MOST_BACKLOG or number(redis.call('HGET', tot, 'bytes')) > MOST_BACKLOG_BYTES then
        return nil
    end
    local r, n = budget(s[3], 'runs', 'outr'), budget(s[4], 'steps', 'outs')
    if not r or not n then return nil end
    local entry
    local got = redis.call('XREADGROUP', 'GROUP', 'g', me, 'COUNT', 1, 'STREAMS', work, '>')
    if got then
        entry = got[1][2][1]
    else
        entry = redis.call('XAUTOCLAIM', work, 'g', me, lease, '0-0', 'COUNT', 1)[2][1]
        if not entry then return nil end
        release(entry[1])
    end
    local count = redis.call('XPENDING', work, 'g', entry[1], entry[1], 1)[1][4]
    if r > 0 or n > 0 then
        redis.call('HSET', out, entry[1], r .. ' ' .. n)
        redis.call('HINCRBY', tot, 'outr', r)
        redis.call('HINCRBY', tot, 'outs', n)
    end
    local f = entry[2]
    return { entry[1], count, number(f[4]) + count - 1, r, n, f[2] }
end

if op == 'look' then return answer('ok') end

-- known: ARGV: how much is known already.  Gives a piece of the rest.
if op == 'known' then
    return answer('ok', { redis.call('GETRANGE', known, ARGV[4], ARGV[4] + 16777215) })
end
redis.call('HSET', tot, 'half', 1)

if op == 'fetch' then
    local got = fetch()
    return changed(got and 'ok' or 'none', got)
end

-- commit: ARGV: entry, delivery count, runs, steps, findings, wants, results, items ...
if op == 'commit' then
    if not is_mine(ARGV[4], ARGV[5]) then return changed('late') end
    finish(ARGV[4])
    for i = 11, #ARGV do put(ARGV[i], 0) end
    redis.call('RPUSH', res, ARGV[10])
    redis.call('HINCRBY', tot, 'bytes', #ARGV[10])
    redis.call('HINCRBY', tot, 'runs', ARGV[6])
    redis.call('HINCRBY', tot, 'steps', ARGV[7])
    redis.call('HINCRBY', tot, 'findings', ARGV[8])
    redis.call('HINCRBY', tot, 'commits', 1)
    return changed('ok', ARGV[9] == '1' and fetch() or nil)
end

-- back: ARGV: entry, delivery count, died.
if op == 'back' then
    if not is_mine(ARGV[4], ARGV[5]) then return changed('late') end
    back(ARGV[4], ARGV[5], ARGV[6])
    return changed('ok')
end

-- renew: ARGV: workers, owner or "", then pairs of entry and delivery count.  Gives 1 for each lease that goes on.  Leases
-- that the agent does not know (the answer was lost) end.
if op == 'renew' then
    local kept, named = {}, {}
    seen(tonumber(ARGV[4]))
    if ARGV[5] ~= '' and redis.call('HGET', spec, 'owner') == ARGV[5] then
        redis.call('HSET', spec, 'seen', now())
        forget_agents(now() - 2 * lease)
    end
    for i = 6, #ARGV, 2 do
        local mine = is_mine(ARGV[i], ARGV[i + 1])
        if mine then redis.call('XCLAIM', work, 'g', me, 0, ARGV[i], 'JUSTID') end
        kept[#kept + 1] = mine and 1 or 0
        named[ARGV[i]] = true
    end
    for _, p in ipairs(redis.call('XPENDING', work, 'g', '-', '+', 1000, me)) do
        if not named[p[1]] then back(p[1], p[4], 0) end
    end
    return changed('ok', kept)
end

-- add: ARGV: the number of this call, from 1, items ...  A call that was made before changes nothing.
if op == 'add' then
    if number(ARGV[4]) > number(redis.call('HGET', tot, 'added')) then
        redis.call('HSET', tot, 'added', ARGV[4])
        for i = 5, #ARGV do put(ARGV[i], 0) end
    end
    return changed('ok')
end

-- learn: ARGV: how much is there already, more of it.  A call that was made before changes nothing.
if op == 'learn' then
    if redis.call('STRLEN', known) == number(ARGV[4]) then redis.call('APPEND', known, ARGV[5]) end
    return changed('ok')
end

-- snapshot: ARGV: how many results the explorer has taken so far.  Gives the others, all items, and all keys.
if op == 'snapshot' then
    local base = number(redis.call('HGET', tot, 'base'))
    local taken = number(ARGV[4])
    if taken > base then
        redis.call('LTRIM', res, taken - base, -1)
        redis.call('HSET', tot, 'base', taken)
    end
    local items = {}
    for _, e in ipairs(redis.call('XRANGE', work, '-', '+')) do
        items[#items + 1] = e[2][2]
        items[#items + 1] = e[2][4]
    end
    if #items > 0 then -- each item brings its own key; these are behind all items
        for _, field in ipairs(redis.call('HKEYS', out)) do
            if string.sub(field, 1, 1) == 'k' then
                items[#items + 1] = string.sub(field, 2)
                items[#items + 1] = '0'
            end
        end
    end
    redis.call('HSET', tot, 'bytes', 0)
    return changed('ok', { redis.call('LRANGE', res, 0, -1), items })
end

-- end: the generation is over.  How far it came is kept, for `rehearse jobs`.
if op == 'end' then
    local t = redis.call('HMGET', tot, 'runs', 'steps', 'findings', 'commits')
    remove_work()
    redis.call('HSET', spec, 'state', 'idle', 'seen', now(), 'ended', now(), 'runs', t[1] or 0, 'steps', t[2] or 0,
        'findings', t[3] or 0, 'commits', t[4] or 0)
    return { 'ok' }
end
return redis.error_reply('no such operation')

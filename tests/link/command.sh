# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2086,SC1091
# --cluster, agent and jobs, over a redis-server on a Unix socket: totals are those of one machine for every explorer that
# shares its work, jobs do not meet, and what is of no use is refused with a sentence.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
if ! command -v redis-server >/dev/null; then
    echo "skipped: redis-server is not installed (Debian: redis-server)"
    exit 77
fi
pids=()
trap 'for p in "${pids[@]}"; do kill -9 "$p" 2>/dev/null; done; rm -rf "$work"' EXIT

# server NAME LINE...: starts one in the folder NAME, with these lines of configuration
server() {
    local name=$1
    shift
    mkdir -p "$name"
    {
        echo "port 0"
        echo "unixsocket $work/$name/s"
        echo "dir $work/$name"
        echo 'save ""'
        echo "logfile $work/$name/log"
        printf '%s\n' "$@"
    } | redis-server - >/dev/null 2>&1 &
    pids+=($!)
    local n=0
    until [ -S "$name/s" ]; do
        n=$((n + 1))
        [ $n -gt 3000 ] && { echo "redis-server does not start: $(cat "$name/log")"; exit 1; }
        sleep 0.02
    done
}
server plain
url=redis+unix://$work/plain/s
slow=$fixtures/slow
examples=$BUILD_DIR/examples

# with_agent JOB CODE PROGRAM OPTION...: an exploration with an agent that has joined before it ends
with_agent() {
    local job=$1 code=$2 program=$3
    shift 3
    "$rehearse" agent "$program" --cluster "$url?$job" -j2 --quiet 2>agent_err &
    local agent=$!
    expect $code "$rehearse" test "$program" "$@" --cluster "$url?$job" --save ''
    kill $agent 2>/dev/null
    wait $agent 2>/dev/null
}
totals() { grep -E ' runs,|^  (exhaustive|bounded|sampled)' "$1" | sed -E 's/, [0-9.]+ s\b//; s/, [0-9]+ workers?//; s/, [0-9]+ agents?//'; }

# ---- every explorer that shares its work ------------------------------------------------------------------------------
compare() {
    local code=$1 program=$2
    shift 2
    expect $code "$rehearse" test "$program" "$@" -j2 --keep-going --quiet --no-minimise --max-seconds 600 --save ''
    totals out >one
    with_agent compare $code "$program" "$@" --keep-going --quiet --no-minimise --max-seconds 600
    totals out >several
    cmp -s one several || problem "other totals over the server: $(diff one several)"
    [ -s one ] || problem "no totals: $*"
}
for explorer in dfs optimal stateful 'delay(rtc, ses)' 'preempt(1, dfs)' 'bound(12, dfs)'; do
    compare 0 "$slow" --explorer "$explorer" -p n=6
done
if [ -x "$examples/scheduler" ]; then
    for explorer in dfs optimal stateful 'delay(rtc, ses)'; do
        compare 1 "$examples/scheduler" every_job_runs_once --explorer "$explorer" -p bug=double
    done
fi
# Samplers make as many runs as they may, and find what there is.
for explorer in random pos 'pct(3)' swarm cover urw auto; do
    with_agent samplers 0 "$slow" --explorer "$explorer" -p n=12 --max-runs 2000 --max-seconds 600 --quiet
    out_has '2,000 runs'
done
if [ -x "$examples/gatling" ]; then
    for explorer in random cover auto; do
        with_agent samplers 1 "$examples/gatling" a_write_is_never_lost --explorer "$explorer" -p bug=ga1 --quiet
        out_has 'FAILED a_write_is_never_lost'
    done
fi

# ---- jobs ----------------------------------------------------------------------------------------------------------------
expect 0 "$rehearse" jobs --cluster "$url"
out_has 'compare: ended'
grep -q 'compare: ended, [a-z]*, [1-9]' out || problem "an ended job does not say how far it came"
expect 0 "$rehearse" jobs --cluster "$url?compare" remove
expect 2 "$rehearse" jobs --cluster "$url?compare" show
err_has 'there is no job compare'
expect 2 "$rehearse" jobs --cluster "$url?nobody" show
err_has 'there is no job nobody'
refused 'jobs wants' "$rehearse" jobs --cluster "$url" destroy
refused '--cluster URL is missing' "$rehearse" jobs
expect 0 "$rehearse" jobs --help
out_has 'rehearse jobs --cluster URL [show|stop|resume|remove]' 'remove'

"$rehearse" test "$slow" --explorer dfs -p n=12 --max-seconds 100000 --cluster "$url?long" --save '' >long_out 2>long_err &
long=$!
pids+=("$long")
n=0
until "$rehearse" jobs --cluster "$url?long" show 2>/dev/null | grep -q '[1-9][0-9]* commits'; do
    n=$((n + 1))
    [ $n -gt 500 ] && { problem "the job does not begin"; break; }
    sleep 0.02
done
expect 0 "$rehearse" jobs --cluster "$url?long" show
out_has 'long: running' 'slow' '1 agent with 1 worker' 'test senders' 'explorer dfs'
# Another test of the same program on the same job lends its workers; another program is refused.
"$rehearse" test "$slow" --explorer dfs -p n=12 --cluster "$url?long" --save '' >second_out 2>second_err &
second=$!
pids+=("$second")
n=0
until "$rehearse" jobs --cluster "$url?long" show 2>/dev/null | grep -q '2 agents with'; do
    n=$((n + 1))
    [ $n -gt 500 ] && { problem "the second one does not lend its workers"; break; }
    sleep 0.02
done
grep -q 'this process lends its workers' second_err || problem "the second one does not say what it does: $(cat second_err)"
expect 2 "$rehearse" agent "$fixtures/bank" --cluster "$url?long" --quiet
err_has 'is of another test program' 'build it once and copy it'
# Two jobs do not meet.
compare 0 "$slow" --explorer dfs -p n=6
expect 0 "$rehearse" jobs --cluster "$url?long" stop
expect 0 "$rehearse" jobs --cluster "$url?long" show
out_has 'long: stopped'
expect 2 "$rehearse" jobs --cluster "$url?long" stop
err_has 'job long is not running'
expect 0 "$rehearse" jobs --cluster "$url?long" resume
expect 0 "$rehearse" jobs --cluster "$url?long" show
out_has 'long: running'
expect 0 "$rehearse" jobs --cluster "$url?long" remove
wait $long
same "exit of a removed job" 3 $?
grep -q 'the job was removed from the server: this is not all' long_out long_err || problem "nothing says that the job was removed"
grep -q exhaustive long_out && problem "a removed job is called exhaustive"
wait $second

# ---- refusals -----------------------------------------------------------------------------------------------------------
refused 'is no address of a server' "$rehearse" test "$slow" --cluster http://localhost
refused 'is no address of a server' "$rehearse" test "$slow" --cluster redis://localhost:99999
refused 'holds no password' "$rehearse" test "$slow" --cluster redis://me:secret@localhost/
refused 'use rediss:// (TLS), or say --insecure' "$rehearse" test "$slow" --cluster redis://10.0.0.1
refused 'No such file' "$rehearse" test "$slow" --cluster redis+unix:///nowhere/s
refused '--lease wants seconds' "$rehearse" test "$slow" --cluster "$url" --lease 0.01
refused 'cannot share its work' "$rehearse" test "$slow" --cluster "$url" --explorer roundrobin
expect 2 "$slow" test --cluster "$url"
err_has 'is held by the command'
REHEARSE_LINK='3 9 SOMETHING' expect 2 "$slow" test --cluster "$url"
err_has 'was built with another version of rehearse' 'build it again'
REHEARSE_LINK=3 expect 2 "$slow" agent --cluster "$url"
err_has 'was built with another version of rehearse'
expect 2 "$rehearse" agent "$slow" --cluster "$url" --explorer dfs
err_has '--explorer'
server evicts 'maxmemory 100mb' 'maxmemory-policy allkeys-lru'
refused 'drops keys when its memory is full' "$rehearse" test "$slow" --cluster "redis+unix://$work/evicts/s"
server replica "replicaof 127.0.0.1 1"
refused 'is a replica' "$rehearse" test "$slow" --cluster "redis+unix://$work/replica/s"

# ---- secrets -----------------------------------------------------------------------------------------------------------
user=$(grep '^user rehearse on >PASSWORD ' "$SOURCE_DIR/docs/guide/cluster.md") # as the guide has it
server secret 'user default off' "${user/PASSWORD/word}"
secret=redis+unix://rehearse@$work/secret/s
refused 'wants a password' "$rehearse" test "$slow" --cluster "$secret"
REHEARSE_CLUSTER_PASSWORD=wrong refused 'refuses the secret' "$rehearse" test "$slow" --cluster "$secret"
REHEARSE_CLUSTER_PASSWORD=word expect 0 "$rehearse" test "$slow" --explorer dfs -p n=6 --quiet --cluster "$secret"
out_has '720 runs'
echo word >password
chmod 644 password
refused 'can be read by others' "$rehearse" test "$slow" --cluster "$secret" --cluster-password-file password
chmod 600 password
expect 0 "$rehearse" test "$slow" --explorer dfs -p n=6 --quiet --cluster "$secret" --cluster-password-file password
out_has '720 runs'
expect 0 "$rehearse" jobs --cluster "$secret" --cluster-password-file password
out_has 'default: ended'

# ---- TLS ---------------------------------------------------------------------------------------------------------------
if command -v openssl >/dev/null; then
    certificate() { # NAME SUBJECT-ALT-NAME
        openssl req -newkey rsa:2048 -nodes -keyout "$1.key" -out "$1.csr" -subj "/CN=$1" 2>/dev/null &&
            printf 'subjectAltName=%s\n' "$2" >"$1.ext" &&
            openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -out "$1.crt" -days 2 -extfile "$1.ext" 2>/dev/null
    }
    openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -days 2 -subj /CN=test 2>/dev/null
    certificate here IP:127.0.0.1,DNS:localhost
    certificate elsewhere DNS:elsewhere.example
    certificate client DNS:client
    port=$((20000 + $$ % 20000))
    server tls "tls-port $port" "tls-cert-file $work/here.crt" "tls-key-file $work/here.key" \
        "tls-ca-cert-file $work/ca.crt" "bind 127.0.0.1"
    server strange "tls-port $((port + 1))" "tls-cert-file $work/elsewhere.crt" "tls-key-file $work/elsewhere.key" \
        "tls-ca-cert-file $work/ca.crt" "bind 127.0.0.1" "tls-auth-clients no"
    mine=(--cluster-ca ca.crt --cluster-cert client.crt --cluster-key client.key)
    expect 0 "$rehearse" test "$slow" --explorer dfs -p n=6 --quiet --cluster rediss://127.0.0.1:$port "${mine[@]}"
    out_has '720 runs'
    expect 0 "$rehearse" test "$slow" --explorer dfs -p n=6 --quiet --cluster rediss://localhost:$port "${mine[@]}"
    refused 'certificate of the server is refused' "$rehearse" test "$slow" --cluster rediss://127.0.0.1:$port
    refused 'certificate of the server is refused' "$rehearse" test "$slow" --cluster rediss://127.0.0.1:$((port + 1)) --cluster-ca ca.crt
    expect 2 "$rehearse" test "$slow" --cluster rediss://127.0.0.1:$port --cluster-ca ca.crt --quiet # no certificate of its own
    [ -s err ] || problem "nothing says that the server wants a certificate"
else
    echo "openssl is not there: TLS is not tried"
fi

finish

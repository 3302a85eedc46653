# shellcheck shell=bash disable=SC2154,SC1091
# rehearse graph: it has every send and every creation that explorations of the examples show (soundness), and only few
# that none shows (precision).
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
[ -x "$BUILD_DIR/bin/rehearse-target" ] && [ -x "$BUILD_DIR/examples/bank-bitcode" ] || exit 77

# lines of the graph, one for each message
edges() { awk -F': ' '/ sends to /{ n = split($2, m, ", "); for (i = 1; i <= n; i++) print $1 ": " m[i]; next } / creates /' "$1" | LC_ALL=C sort; }

total=0
never=0
for program in "$BUILD_DIR"/examples/*-bitcode "$BUILD_DIR"/tests/target/{flows,outside}-bitcode; do
    name=${program##*/}
    rm -f shown
    # Some examples never end, and the goals of cover grow with the square of a run's length.
    "$program" test --explorer 'edges(shown, portfolio(random, pos, swarm))' --max-runs 300 --max-steps 1000 --keep-going >/dev/null 2>&1
    [ -s shown ] || problem "$name: no run"
    expect 0 "$rehearse" graph "$program"
    err_empty
    out_lacks note:
    LC_ALL=C sort -u shown >seen
    edges out >drawn
    missed=$(LC_ALL=C comm -23 seen drawn)
    [ -z "$missed" ] || problem "$name: runs show what the graph lacks: $missed"
    total=$((total + $(wc -l <drawn)))
    never=$((never + $(LC_ALL=C comm -13 seen drawn | wc -l)))

    # Without the optimisations the graph has at least the same edges.
    expect 0 "$rehearse" graph "$program" --merged
    edges out >merged
    [ -z "$(LC_ALL=C comm -23 drawn merged)" ] || problem "$name: --merged lacks edges"
done
echo "$total edges, $never of them in no run"
[ "$total" -ge 300 ] || problem "only $total edges in all examples"
[ $((never * 4)) -le "$total" ] || problem "$never of $total edges are in no run"

# ---- every way of a reference (tests/target/programs/flows.c) ---------------------------------------------------------------
expect 0 "$rehearse" graph "$BUILD_DIR/tests/target/flows-bitcode"
for sink in by_field by_array by_as by_set by_table by_name by_tail by_result by_pointer by_sort by_store by_later by_become; do
    grep -q " sends to $sink: hello" out || problem "the way to $sink is lost"
done
out_lacks 'sorter sends to not_by_as' 'holder sends to by_tail'

# ---- one graph as it is ----------------------------------------------------------------------------------------------
expect 0 "$rehearse" graph "$BUILD_DIR/examples/bank-bitcode" the_account_is_never_overdrawn
cat >wanted <<'END'
5 nodes, 3 creations, 7 sends
test creates client
test creates server
test creates books
client sends to server: deposit, withdraw
client sends to books: promised
server sends to client: confirmed
server sends to books: booked
(outside) sends to client: deposit, withdraw
END
diff wanted out || problem "the graph of bank"
# Where behaviours and message types matter: with all messages merged, the monitor `books` seems to get more.
expect 0 "$rehearse" graph "$BUILD_DIR/examples/bank-bitcode" --json json
if have_python; then
    python3 - <<'END' || problem "JSON"
import json
g = json.load(open("json"))
assert {n["name"] for n in g["nodes"]} == {"client", "server", "books", "test", "(outside)"}, g["nodes"]
assert sum(e["kind"] == "send" for e in g["edges"]) == 7 and sum(e["kind"] == "create" for e in g["edges"]) == 3
assert {"kind": "send", "from": "server", "to": "client", "message": "confirmed"} in g["edges"]
END
    expect 0 "$rehearse" graph "$BUILD_DIR/examples/gatling-engine-bitcode" --svg drawing.svg
    python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("drawing.svg")' || problem "SVG is no XML"
    "$rehearse" graph "$BUILD_DIR/tests/target/outside-bitcode" --svg opened.svg >/dev/null
    grep -q '\.open{stroke-width:' opened.svg && grep -q '<rect class="open"' opened.svg ||
        problem "a receptionist has no thick frame"
    grep -q 'class="open"' drawing.svg && problem "a receptionist where nothing comes from outside"
fi
out_empty

# ---- the outside (rh_open): it sends what is opened, and knows whom it may name ------------------------------------------
expect 0 "$rehearse" graph "$BUILD_DIR/tests/target/outside-bitcode" account_is_open
cat >wanted <<'END'
3 nodes, 1 creations, 4 sends
test creates account
account sends to account: paid
account sends to (outside): paid
(outside) sends to account: deposit, withdraw
END
diff wanted out || problem "the graph of outside"

# ---- refusals ----------------------------------------------------------------------------------------------------------
refused 'has no bitcode' "$rehearse" graph "$BUILD_DIR/examples/bank"
refused 'No such file' "$rehearse" graph ./nowhere
refused 'no 64-bit ELF' "$rehearse" graph "$SOURCE_DIR/README.md"
refused 'has no test nothing' "$rehearse" graph "$BUILD_DIR/examples/bank-bitcode" nothing
refused 'no option --other' "$rehearse" graph "$BUILD_DIR/examples/bank-bitcode" --other
refused 'wants a file' "$rehearse" graph "$BUILD_DIR/examples/bank-bitcode" --json
refused 'wants a test program' "$rehearse" graph
finish

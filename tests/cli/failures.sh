# shellcheck shell=bash disable=SC2154,SC2016,SC1091
# Every test that failed has its failures with their reasons in every format: text, also with --quiet, JSON, JUnit and TAP.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
failing=("$fixtures/failures")

# at TEXT: which line of the fixture that is
at() { grep -nF -- "$1" "$SOURCE_DIR/tests/fixtures/failures.c" | cut -d : -f 1; }
nine_at=$(at '"sees nine"') eight_at=$(at 'sees \"eight') one_at=$(at '"one first"') two_at=$(at '"two first"')

# twice: the blocks of ./out have no key twice, as far as indentation tells; prints those that have
twice() {
    awk '/^  ---/ { delete seen; next }
        /^    - / { delete inner }
        { key = $0; if (!match(key, /^ +(- )?[a-z_]+:/)) next; key = substr(key, 1, RLENGTH); sub(/- /, "  ", key)
          if (key ~ /^      /) { if (key in inner) print; inner[key] = 1 } else { if (key in seen) print; seen[key] = 1 } }' out
}

# xml EXPRESSION: of ./junit.xml (its root is r), as Python prints it
xml() {
    python3 -c '
import sys, xml.etree.ElementTree as e
r = e.parse("junit.xml").getroot()
print(eval(sys.argv[1]))' "$1" 2>&1 || problem "xml: $1"
}

# ---- a `sometimes` that held in no run ------------------------------------------------------------------------------------
nine='sometimes `sees nine` held in no run'
expect 1 "${failing[@]}" hopes --json json --junit junit.xml
out_has 'FAILED hopes' "property: $nine" "failures.c:$nine_at"
expect 1 "${failing[@]}" hopes --quiet
out_has 'FAILED hopes' "property: $nine" "failures.c:$nine_at" 'sees "eight"'
out_lacks 'sees one'
expect 1 "${failing[@]}" hopes --tap
out_has 'not ok 1 - hopes' 'kind: "property"' "$nine" "failures.c:$nine_at\"" 'sees \"eight\"'
same 'failures of TAP' 2 "$(grep -c '^    - kind: ' out)"
same 'keys that are there twice' '' "$(twice)"
if have_python; then
    same 'failures of JSON' "[('property', True, 'tests/fixtures/failures.c:$nine_at', '', None), ('property', False, 'tests/fixtures/failures.c:$eight_at', '', None)]" \
        "$(json '[(f["kind"], "sees nine" in f["message"], f["place"][-28:], f["actor"], f["schedule"]) for f in r[0]["failures"]]')"
    same 'failures of JUnit' "[('property', True), ('property', False)]" \
        "$(xml '[(f.get("type"), "sees nine" in f.get("message")) for f in r.iter("failure")]')"
fi

# ---- what is not deterministic ---------------------------------------------------------------------------------------------
expect 1 "$fixtures/kinds" chance --max-runs 2 --tap
out_has 'not ok 1 - chance' 'kind: "nondeterminism"'
expect 1 "$fixtures/kinds" chance --max-runs 2 --quiet
out_has 'nondeterminism: '

# ---- where, who, and how to replay it --------------------------------------------------------------------------------------
expect 1 "${failing[@]}" votes --explorer dfs --keep-going --tap
same 'findings' 2 "$(grep -c '^    - kind: "assertion"$' out)"
same 'keys that are there twice' '' "$(twice)"
out_has '      message: "one first: ' "failures.c:$one_at\"" "failures.c:$two_at\"" '      actor: "box#1"' \
    '      schedule: "rehearse-findings/votes-fifo-assertion-' \
    "      replay: \"rehearse replay $fixtures/failures rehearse-findings/votes-fifo-assertion-"
expect 1 "${failing[@]}" votes --explorer dfs --keep-going --junit junit.xml
for text in "failures.c:$one_at" "failures.c:$two_at" 'box#1' "rehearse replay $fixtures/failures rehearse-findings/votes-fifo-assertion-"; do
    grep -A3 '<failure type="assertion" message="' junit.xml | grep -qF "$text" || problem "no \"$text\" in JUnit"
done
if have_python; then
    same 'it is well-formed' "['one first', 'two first']" "$(xml 'sorted(f.get("message")[:9] for f in r.iter("failure"))')"
fi
expect 1 "$rehearse" replay "${failing[@]}" rehearse-findings/latest --quiet
grep -qE "first: .*  \(.*failures\.c:($one_at|$two_at)\)\$" out || problem "replay does not say where"

# ---- another finding than the recorded one ---------------------------------------------------------------------------------
expect 1 "${failing[@]}" again --save again
expect 1 "$rehearse" replay "${failing[@]}" again/latest --quiet
out_has 'assertion: twice#1: too early'
out_lacks 'recorded'
expect 1 "$rehearse" replay "${failing[@]}" again/latest --quiet -p early=0
out_has "not the recorded finding (assertion at tests/fixtures/failures.c:$(at '"too early"'))" \
    ", and after the schedule's end: assertion: twice#1: too late"
expect 1 "$rehearse" corpus "${failing[@]}" again -p early=0
out_has 'FAILS' "not the recorded finding (assertion at "
grep -v '^# ' again/latest >by-hand # what nobody recorded
expect 1 "$rehearse" replay "${failing[@]}" by-hand --quiet -p early=0
out_has "after the schedule's end: assertion: twice#1: too late"
out_lacks 'recorded'

# ---- the last one kept is the latest ---------------------------------------------------------------------------------------
expect 1 "${failing[@]}" votes --explorer dfs --keep-going --save several
last_kept=$(sed -n 's/^  replay it: .* //p' out | tail -n 1)
same 'latest' "$last_kept" "several/$(readlink several/latest)"
same 'of two' 2 "$(find several -name '*.schedule' | wc -l)"

# ---- parameters ---------------------------------------------------------------------------------------------------------------
expect 1 "${failing[@]}" counts -p n=3 -p bug=wrong --json json --junit junit.xml
tr '\n' ' ' <out | grep -qE 'under .*, -p n=3, +-p bug=wrong' || problem "no parameters in the text"
grep -q '<property name="param.n" value="3"/>' junit.xml || problem "no parameter in JUnit"
grep -q '<property name="param.bug" value="wrong"/>' junit.xml || problem "no bug in JUnit"
have_python && same 'parameters of JSON' "[('bug', 'wrong'), ('n', '3')]" "$(json 'sorted(r[0]["parameters"].items())')"
expect 1 "${failing[@]}" counts -p n=3 -p bug=wrong --tap
out_has '-p n=3, -p bug=wrong"'
expect 0 "${failing[@]}" counts --json json
out_lacks '-p '
have_python && same 'none' "{}" "$(json 'r[0]["parameters"]')"

# ---- one output for one reader ------------------------------------------------------------------------------------------------
refused 'standard output can hold one of --json, --junit, --tap and --html' "${failing[@]}" counts --json - --junit -
refused 'standard output can hold one of' "${failing[@]}" counts --json - --tap
refused 'standard output can hold one of' "${failing[@]}" counts --junit /dev/stdout --tap
expect 0 "${failing[@]}" counts --json json --junit junit.xml --tap

# ---- limits are of processor time ---------------------------------------------------------------------------------------------
expect 0 "${failing[@]}" goes_on --explorer dfs --max-seconds 0.1
tr -s '\n ' ' ' <out | grep -qF 'stopped by --max-seconds: 0.1 s of processor time' || problem "no processor time"

finish

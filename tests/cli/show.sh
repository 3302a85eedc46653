# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2086,SC1091
# `rehearse show`: one run as a chart.
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1

# svg EXPRESSION: of the chart in ./chart.svg; `texts` are its texts, `titles` its tooltips, `of(CLASS)` its elements
svg() {
    python3 -c '
import sys, xml.etree.ElementTree as x
root = x.parse("chart.svg").getroot()
n = "{http://www.w3.org/2000/svg}"
texts = [t.text or "" for t in root.iter(n + "text")]
titles = [t.text or "" for t in root.iter(n + "title")]
def of(c): return [e for e in root.iter() if c in e.get("class", "").split()]
tags = sorted({e.tag.replace(n, "") for e in root.iter()})
print(eval(sys.argv[1]))' "$1" 2>&1 || problem "svg: $1"
}

have_python || { echo "python3 is missing"; exit 77; }

# ---- a chart has what the run had: timers, time, a crash, what changed, the failure ----------------------------------
expect 1 "$rehearse" test "$fixtures/shown" lease --quiet --save found
expect 1 "$rehearse" show "$fixtures/shown" found/latest --svg chart.svg
out_has 'assertion: one_owner#1: clients' 'hold the lease'
same heads "['server#1', 'client#1', 'client#2']" "$(svg '[t for t in texts if "#" in t and t[-1].isdigit() and " " not in t and "=" not in t]')"
same crash True "$(svg 'any(t.startswith("CRASH") for t in texts) and len(of("cross")) == 1 and len(of("gone")) == 1')"
same values True "$(svg '"acquire(client=1, colour=GREEN)" in texts')"
same changes True "$(svg 'any("becomes taken" in t for t in titles)')"
same failure 1 "$(svg 'len(of("failband"))')"
same elements "['circle', 'g', 'line', 'path', 'rect', 'style', 'svg', 'text', 'title']" "$(svg tags)"
# an arrow for each message that was taken, and none for starts: two of acquire, two of granted
same arrows 4 "$(svg 'len([e for e in of("arrow") if e.tag.endswith("line")])')"

# ---- to standard output; a passing run ---------------------------------------------------------------------------------
expect 1 "$rehearse" show "$fixtures/shown" found/latest --svg -
err_has 'hold the lease'
cmp -s out chart.svg || problem "the chart on standard output is another"
sed 's/^set crashes=1/set crashes=0/; /crash/d; /start again/d; /starts/q' found/latest >passing.schedule
expect 0 "$rehearse" show "$fixtures/shown" passing.schedule --svg chart.svg
same passes 0 "$(svg 'len(of("failband"))')"
same timers True "$(svg 'len(of("timer")) >= 2 and "100 ms" in texts')"

# ---- texts of the program stay texts -----------------------------------------------------------------------------------
expect 1 "$rehearse" test "$fixtures/shown" texts --no-minimise --quiet --save texts
expect 1 "$rehearse" show "$fixtures/shown" texts/latest --svg chart.svg
same elements "['circle', 'g', 'line', 'path', 'rect', 'style', 'svg', 'text', 'title']" "$(svg tags)"
same texts True "$(svg 'any("<script>" in t for t in titles) and any(t == "<i>sender</i>" for t in texts)')"
grep -q '<script\|<img\|<b ' chart.svg && problem "markup of the program is markup of the chart"
LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\377]')" chart.svg && problem "control characters in the chart"

# ---- the decisive step ---------------------------------------------------------------------------------------------------
expect 1 "$rehearse" test "$BUILD_DIR/examples/gatling" -p bug=ga1 --quiet --save gatling
expect 1 "$rehearse" show "$BUILD_DIR/examples/gatling" gatling/latest --svg chart.svg
same decisive "1 ['decisive']" "$(svg 'print(len(of("decideband")), [t for t in texts if t == "decisive"]) or ""' | head -n 1)"

# ---- a long run: its end -----------------------------------------------------------------------------------------------
expect 1 "$rehearse" test "$fixtures/shown" long_run --quiet --save long
expect 1 "$rehearse" show "$fixtures/shown" long/latest --svg chart.svg
same rows "2000 9999" "$(svg 'print(len(of("dot")), [t for t in texts if t.isdigit()][-1]) or ""' | head -n 1)"
same said True "$(svg 'any("events are not drawn" in t for t in texts)')"

# ---- wrong use ---------------------------------------------------------------------------------------------------------
refused 'show wants one schedule' "$rehearse" show "$fixtures/shown" --svg chart.svg
refused 'show wants --svg FILE or --html FILE' "$rehearse" show "$fixtures/shown" found/latest
refused 'no/such/folder' "$rehearse" show "$fixtures/shown" found/latest --svg no/such/folder/chart.svg
refused 'no.schedule' "$rehearse" show "$fixtures/shown" no.schedule --svg new.svg
[ ! -e new.svg ] || problem "a chart of nothing"
finish

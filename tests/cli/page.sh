# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2086,SC1091
# The page of `--html`, in a browser (tests/page).
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
have_python || { echo "python3 is missing"; exit 77; }

expect 1 "$rehearse" test "$fixtures/shown" lease --quiet --save found --html lease.html --coverage pr --keep-going --max-runs 200 --curve
expect 1 "$rehearse" test "$fixtures/shown" texts --no-minimise --quiet --save texts --html texts.html
expect 1 "$rehearse" test "$fixtures/shown" long_run --quiet --save '' --html long.html
sed '/crash/d; /start again/d; /starts/q' found/latest >passing.schedule
expect 1 "$rehearse" show "$fixtures/shown" found/latest --html beside.html --beside passing.schedule

expect 1 "$rehearse" test "$BUILD_DIR/examples/gatling" -p bug=ga1 --quiet --save gatling --html why.html
expect 0 "$rehearse" test "$fixtures/slow" --explorer dfs --max-runs 30000 --quiet --save '' --html estimate.html
# One file: its only script and style are those that its policy names, and it refers to nothing.
for page in lease texts long beside why estimate; do
    [ "$(grep -c '<script' $page.html)" = 2 ] || problem "$page.html has $(grep -c '<script' $page.html) scripts"
    grep -q "default-src 'none'; img-src data:; script-src 'nonce-" $page.html || problem "$page.html has no policy"
    grep -v '^const SVG' $page.html | grep -oE '((src|href)=|url\(|https?:)[^ ]*' | grep -v 'src=x\|href="data:,"' >refers
    [ ! -s refers ] || problem "$page.html refers to $(head -n 1 refers)"
done
LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\377]')" texts.html && problem "control characters in the page"
expect 1 "$rehearse" test "$fixtures/shown" lease --quiet --save '' --html -
head -c 15 out | grep -q '<!DOCTYPE html>' || problem "no page on standard output"
refused 'no/such' "$rehearse" test "$fixtures/shown" lease --html no/such/page.html
refused '--beside is for --html' "$rehearse" show "$fixtures/shown" found/latest --svg x.svg --beside passing.schedule

if command -v chromium >/dev/null && command -v chromedriver >/dev/null; then
    expect 0 python3 "$SOURCE_DIR/tests/page/page.py" "$work" ${SCREENSHOT:-}
else
    echo "chromium is missing: the page was not opened"
fi
finish

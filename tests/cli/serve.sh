# shellcheck shell=bash disable=SC2154,SC2034,SC2016,SC2086,SC1091
# `rehearse serve`: stepping in a page, on loopback (tests/page).
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
have_python || { echo "python3 is missing"; exit 77; }
"$rehearse" serve "$fixtures/shown" lease --port x 2>err >out </dev/null
grep -q 'needs the Debian package libmicrohttpd-dev' err && { cat err; exit 77; }

refused '--port wants a number' "$rehearse" serve "$fixtures/shown" lease --port 65536
refused '--port wants a number' "$rehearse" serve "$fixtures/shown" lease --port
refused 'serve wants a test' "$rehearse" serve "$fixtures/shown"
refused 'has no test "none"' "$rehearse" serve "$fixtures/shown" none
refused 'is not a program that can be run' "$rehearse" serve "$SOURCE_DIR/Makefile" lease
expect 0 python3 "$SOURCE_DIR/tests/page/serve.py" "$rehearse" "$fixtures" ${SCREENSHOT:-}
finish

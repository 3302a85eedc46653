# shellcheck shell=bash disable=SC2154,SC1091
# `rehearse serve --cluster`: the jobs of a server in a page (tests/page/jobs.py).
. "${SOURCE_DIR:?}/tests/cli/lib.bash" || exit 1
have_python || { echo "skipped: python3 is missing"; exit 77; }
if ! command -v redis-server >/dev/null; then
    echo "skipped: redis-server is not installed (Debian: redis-server)"
    exit 77
fi
"$rehearse" serve --cluster redis://127.0.0.1:1/x --port x 2>err >out </dev/null
grep -q 'needs the Debian packages' err && { cat err; exit 77; }

refused '--port wants a number' "$rehearse" serve --cluster redis://127.0.0.1:1 --port 65536
refused '--cluster URL is missing' "$rehearse" serve --port 8000
refused 'is open to whoever is in between' "$rehearse" serve --cluster redis://queue.example
expect 2 "$rehearse" serve --cluster redis+unix:///nowhere/at/all
err_has 'nowhere/at/all'
expect 0 python3 "$SOURCE_DIR/tests/page/jobs.py" "$rehearse" "$fixtures" ${SCREENSHOT:+"$SCREENSHOT"}
finish

#!/bin/bash
# The specification of symmetry(optimal) against brute force: programs whose numbers are known, with the counterexamples to
# simpler rules, and a few random ones.
set -u
cd "${SOURCE_DIR:-.}/tests/reference" || exit 2
export PYTHONDONTWRITEBYTECODE=1
failed=0
run() { python3 symmetry.py "$@" || failed=1; }
run known
run plain fifo 0 60
run broadcast bag 0 60
# A rule that is too simple must be caught.
if python3 symmetry.py broadcast fifo 0 30 rule=events >/dev/null; then
    echo "the simpler rule lost nothing"
    failed=1
fi
exit $failed

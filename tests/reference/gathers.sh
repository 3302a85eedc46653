#!/bin/bash
# The specification of receives that take a set of one kind or another message alone (RH_SETS) against brute force, over
# random programs in every model. operations.c has no such receive: actors have it, and processes do not.
set -u
cd "${SOURCE_DIR:-.}/tests/reference" || exit 2
export PYTHONDONTWRITEBYTECODE=1
failed=0
for model in bag fifo causal mailbox; do
    python3 optimal_more.py "$model" 0 60 gathers || failed=1
    python3 optimal_more.py "$model" 60 90 gathers check=1 order=hash pick=fewest || failed=1
done
# A rule that is too simple must be caught.
if python3 optimal_more.py mailbox 0 60 gathers rule=all >/dev/null; then
    echo "the simpler rule lost nothing"
    failed=1
fi
exit $failed

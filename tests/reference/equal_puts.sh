#!/bin/bash
# Rules that would save runs for equal puts and for puts that nobody reads lose behaviours: equal_puts.py says why.
set -u
cd "${SOURCE_DIR:-.}/tests/reference" || exit 2
export PYTHONDONTWRITEBYTECODE=1
exec python3 equal_puts.py 0 120

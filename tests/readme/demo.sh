#!/usr/bin/env bash
# `make demo` finds the bug, replays it, and passes the correct program.
set -u
"$SOURCE_DIR/scripts/demo" "$BUILD_DIR" || exit 1

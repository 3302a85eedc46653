# shellcheck shell=bash
# `make demo-cluster`: an agent is killed, and the totals are those of one process.
command -v redis-server >/dev/null || { echo "skipped: redis-server is not installed (Debian: redis-server)"; exit 77; }
exec "${SOURCE_DIR:?}/scripts/demo-cluster" "${BUILD_DIR:?}"

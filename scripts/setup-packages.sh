#!/usr/bin/env bash
# Installs the packages that only some tests need: other clients, frameworks, assistants, another test runner, the newest PostgreSQL.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."

for lock in test/*/*/package-lock.json examples/*/package-lock.json; do
  npm ci --prefix "$(dirname "$lock")" --ignore-scripts --no-audit --no-fund
done

#!/usr/bin/env bash
# Installs the packages that only some tests need: other clients, assistants, another test runner, the newest PostgreSQL. The nightly installs
# those of the frameworks.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."

for lock in test/*/*/package-lock.json examples/*/package-lock.json; do
  [ "$lock" != test/field/frameworks/package-lock.json ] || continue
  npm ci --prefix "$(dirname "$lock")" --ignore-scripts --no-audit --no-fund
done

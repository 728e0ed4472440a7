#!/usr/bin/env bash
# Writes what is generated in docs/: the API reference from the docstrings, and openapi.json and the tables from the code. With --check, it
# only says what is not up to date, misses an exported name, or has a broken link.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")/.."

npm ci --prefix scripts/api-reference --no-audit --no-fund --silent
status=0
node scripts/api-reference/generate.mjs "$@" || status=1
npx tsx scripts/openapi/main.ts "$@" || status=1
npx tsx scripts/docs-tables/main.ts "$@" || status=1
exit "$status"

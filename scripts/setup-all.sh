#!/usr/bin/env bash
# Installs what the tests need besides the packages of package.json. npm and apt work side by side.
set -euo pipefail
exec </dev/null
cd "$(dirname "$0")"

bash setup-packages.sh &
packages=$!
bash setup.sh
bash setup-browser.sh
wait "$packages"

#!/usr/bin/env bash
# Makes sure that there is a Chromium for the browser tests and `npm run example:mcp-server -- --once`. On Debian and its kin a
# missing one is installed with apt; elsewhere CHROMIUM_PATH names one. With apt, Xvfb and xdotool are installed too, by which tests
# have a screen and a mouse of their own; elsewhere those tests are skipped. Run again, it does nothing.
set -euo pipefail
exec </dev/null

browser() {
  command -v "${CHROMIUM_PATH:-chromium}"
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

missing=()
browser >/dev/null || missing+=(chromium)
command -v Xvfb >/dev/null || missing+=(xvfb)
command -v xdotool >/dev/null || missing+=(xdotool)

if [ ${#missing[@]} -gt 0 ] && command -v apt-get >/dev/null; then
  as_root apt-get update
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y "${missing[@]}"
fi

browser || echo 'There is no Chromium: the browser tests are left out. Set CHROMIUM_PATH to one.' >&2

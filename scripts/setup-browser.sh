#!/usr/bin/env bash
# Makes sure that there is a Chromium for the browser tests and `npm run example:mcp-server -- --once`. If it is missing, this script
# installs it with apt; on systems without apt, set CHROMIUM_PATH. With apt, it also installs Xvfb, xdotool and openbox, which give tests a
# screen, a mouse and a window manager of their own; without them, those tests are skipped. A second run does nothing.
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
command -v openbox >/dev/null || missing+=(openbox)

if [ ${#missing[@]} -gt 0 ] && command -v apt-get >/dev/null; then
  as_root apt-get update
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y "${missing[@]}"
fi

browser || echo 'Chromium was not found, so the browser tests are skipped. Set CHROMIUM_PATH to one.' >&2

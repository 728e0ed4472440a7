#!/usr/bin/env bash
# Makes sure that there is a Chromium for the browser tests and `npx tsx examples/mcp-server/main.ts --once`. If it is missing, this script
# installs it with apt; on systems without apt, set CHROMIUM_PATH. With apt, it also installs Xvfb, xdotool and openbox, which give tests a
# screen, a mouse and a window manager of their own, and Firefox and WebKit (the MiniBrowser of its driver), in which the same tests run.
# Without them, those tests are skipped. A second run does nothing.
set -euo pipefail
exec </dev/null

browser() {
  command -v "${CHROMIUM_PATH:-chromium}"
}

webkit() {
  ls /usr/lib/*/webkit2gtk-4*/MiniBrowser
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

missing=()
browser >/dev/null || missing+=(chromium)
command -v Xvfb >/dev/null || missing+=(xvfb)
command -v xdotool >/dev/null || missing+=(xdotool)
command -v openbox >/dev/null || missing+=(openbox)
# What they recommend are spelling, sound and video, of which the tests have none.
lean=()
command -v firefox-esr >/dev/null || lean+=(firefox-esr)
webkit >/dev/null 2>&1 || lean+=(webkit2gtk-driver)

install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y "$@"
}

if [ $((${#missing[@]} + ${#lean[@]})) -gt 0 ] && command -v apt-get >/dev/null; then
  as_root apt-get update
  [ ${#missing[@]} = 0 ] || install "${missing[@]}"
  # Ubuntu has no package of the name firefox-esr. The tests say what they miss.
  [ ${#lean[@]} = 0 ] || install --no-install-recommends "${lean[@]}" ||
    echo 'Firefox and WebKit were not installed, so the games in them are skipped.' >&2
fi

browser || echo 'Chromium was not found, so the browser tests are skipped. Set CHROMIUM_PATH to one.' >&2

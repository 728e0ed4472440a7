#!/usr/bin/env bash
# Makes sure that a Redis or Valkey server and its command line tool are on the PATH, because the tests and `npx tsx examples/redis/main.ts` start
# their own servers. If there is no server, this script installs one with apt or brew, and does not start it. With apt, it also installs
# `faketime`, with which tests set a server's clock, and the other servers of which the tests start their own (PostgreSQL, PgBouncer, nginx,
# Caddy, Prometheus); without them, those tests are skipped. A second run does nothing.
#
# `setup.sh clients` installs the Python and Go clients of docs/other-clients.md, which the nightly needs, and nothing else.
set -euo pipefail
exec </dev/null

oldest=6.2
servers='postgresql pgbouncer nginx caddy prometheus'
clients='python3-authlib python3-requests-oauthlib golang-go golang-golang-x-oauth2-dev'

main() {
  if [ "${1:-}" = clients ]; then
    install_clients
    return
  fi
  installed || install_server
  installed || give_up 'the server that was installed is not on the PATH.'
  is_new_enough || give_up "$(server) is version $(version), which is too old."
  install_faketime
  install_servers
  echo "$(server) $(version)"
}

installed() {
  server >/dev/null && { command -v valkey-cli || command -v redis-cli; } >/dev/null
}

server() {
  command -v valkey-server || command -v redis-server
}

version() {
  "$(server)" --version | sed -n 's/.* v=\([0-9.]*\).*/\1/p'
}

is_new_enough() {
  [ "$(printf '%s\n' "$oldest" "$(version)" | sort -V | head -n 1)" = "$oldest" ]
}

install_server() {
  if command -v apt-get >/dev/null; then
    install_with_apt
  elif command -v brew >/dev/null; then
    brew install redis || give_up 'brew could not install redis.'
  else
    give_up 'there is no redis-server or valkey-server, and neither apt-get nor brew to install one with.'
  fi
}

install_with_apt() {
  may_be_root || give_up 'there is no redis-server or valkey-server, and apt-get needs root or sudo to install one.'
  start_no_services
  apt_install redis-server || give_up 'apt-get failed.'
  not_at_boot redis-server
}

install_faketime() {
  ! command -v faketime >/dev/null || return 0
  command -v apt-get >/dev/null && may_be_root && apt_install faketime && return 0
  echo 'scripts/setup.sh: faketime is not installed, so tests that set the clock of a server are skipped.' >&2
}

install_servers() {
  local package missing=''
  for package in $servers; do is_there "$package" || missing="$missing $package"; done
  [ -n "$missing" ] || return 0
  # shellcheck disable=SC2086
  command -v apt-get >/dev/null && may_be_root && start_no_services && apt_install --no-install-recommends $missing &&
    not_at_boot $missing && return 0
  echo 'scripts/setup.sh: PostgreSQL, PgBouncer, nginx, Caddy and Prometheus are not all installed, so tests with them are skipped.' >&2
}

# A service of that name is somebody's own server, also if another package has brought it.
is_there() {
  dpkg --status "$1" || { [ -d /run/systemd/system ] && systemctl is-enabled "$1"; }
} >/dev/null 2>&1

install_clients() {
  # shellcheck disable=SC2086
  ! { command -v dpkg && dpkg --status $clients; } >/dev/null 2>&1 || return 0
  # shellcheck disable=SC2086
  command -v apt-get >/dev/null && may_be_root && apt_install --no-install-recommends $clients && return 0
  echo 'scripts/setup.sh: the Python and Go clients are not installed.' >&2
  return 1
}

apt_install() {
  [ -n "${updated:-}" ] || as_root apt-get update || return 1
  updated=yes
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y "$@"
}

may_be_root() {
  [ "$(id -u)" = 0 ] || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# Debian asks policy-rc.d whether a package may start its services; 101 means no.
start_no_services() {
  local policy=/usr/sbin/policy-rc.d
  [ ! -e "$policy" ] || return 0
  trap "as_root rm -f $policy" EXIT
  printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
  as_root chmod 755 "$policy"
}

not_at_boot() {
  [ ! -d /run/systemd/system ] || as_root systemctl disable "$@"
}

give_up() {
  echo "scripts/setup.sh: $1" >&2
  echo "Install Redis $oldest or later, or Valkey, and put it on the PATH: https://redis.io/docs/latest/operate/oss_and_stack/install/" >&2
  exit 1
}

main "$@"

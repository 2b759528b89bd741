#!/bin/bash
# run.sh [--only REGEX] [--bin PATH] [--strict] …   installs the peers if need be, runs every pair, prints one table. See README.md.
# Exit code: 0 every case as expected, 1 a case failed, 2 the suite could not run.
set -euo pipefail
export INTEROP_FROM=$PWD # what --bin is relative to
cd "$(dirname "$0")"
cache=$PWD/.cache
mkdir -p "$cache"

need=()
command -v javac >/dev/null || need+=(openjdk-17-jdk-headless)
command -v mvn >/dev/null || need+=(maven)
command -v xmlsec1 >/dev/null || need+=(xmlsec1)
command -v ab >/dev/null || need+=(apache2-utils)
command -v cc >/dev/null || need+=(build-essential)
command -v soapcpp2 >/dev/null || need+=(gsoap)
[ -f /usr/include/stdsoap2.h ] && [ -f /usr/include/openssl/ssl.h ] || need+=(libgsoap-dev libssl-dev)
python3 -c 'import venv, ensurepip' 2>/dev/null || need+=(python3-venv)
command -v node >/dev/null || need+=(nodejs)
command -v npm >/dev/null || need+=(npm)
if [ ${#need[@]} -gt 0 ]; then
  sudo=; [ "$(id -u)" = 0 ] || sudo=sudo
  export DEBIAN_FRONTEND=noninteractive
  { $sudo apt-get update -qq && $sudo apt-get install -y -qq --no-install-recommends "${need[@]}"; } >"$cache/apt.log" 2>&1 || { tail -20 "$cache/apt.log" >&2; exit 2; }
fi

# stamped DIR INPUT… -- COMMAND…   runs COMMAND unless DIR was made from the same inputs
stamped() {
  local stamp=$1; shift
  local inputs=()
  while [ "$1" != -- ]; do inputs+=("$1"); shift; done; shift
  local sum; sum=$(cat "${inputs[@]}" | sha256sum)
  [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$sum" ] && return 0
  "$@" && echo "$sum" >"$stamp"
}
python_peers() {
  rm -rf "$cache/venv"
  python3 -m venv "$cache/venv" && "$cache/venv/bin/pip" install -q --disable-pip-version-check -r python/requirements.txt
}
node_peers() { (cd node && npm ci --no-audit --no-fund --loglevel=error --no-progress); }

java/build.sh >"$cache/java.log" 2>&1 & java=$!
gsoap/build.sh >"$cache/gsoap.log" 2>&1 || { tail -20 "$cache/gsoap.log" >&2; echo "error: the gSOAP peer could not be built" >&2; exit 2; }
stamped "$cache/python.stamp" run.sh python/requirements.txt -- python_peers >"$cache/python.log" 2>&1 || { tail -20 "$cache/python.log" >&2; echo "error: the Python peers could not be installed" >&2; exit 2; }
stamped "$cache/node.stamp" run.sh node/package-lock.json -- node_peers >"$cache/node.log" 2>&1 || { tail -20 "$cache/node.log" >&2; echo "error: the Node peers could not be installed" >&2; exit 2; }
wait $java || { tail -20 "$cache/java.log" >&2; echo "error: the Java peers could not be built" >&2; exit 2; }
exec "$cache/venv/bin/python" run.py "$@"

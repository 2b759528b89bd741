#!/usr/bin/env bash
# Makes the Python of the driver: a virtual environment in DIR (default: target/python beside this file) with
# python-xmlsec and lxml. Where no wheel fits, Debian's python3-xmlsec and python3-lxml are used if they are installed.
# Without either the program runs, and says which rows are missing.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
DIR="${1:-$HERE/target/python}"
[ -x "$DIR/bin/python" ] && "$DIR/bin/python" -c 'import xmlsec, lxml' 2> /dev/null && exit 0
python3 -m venv "$DIR"
if ! "$DIR/bin/pip" install --quiet --disable-pip-version-check xmlsec==1.3.17 lxml==6.1.3; then
  echo "no wheels of xmlsec and lxml: Debian's, if there are any" >&2
  python3 -m venv --clear --system-site-packages "$DIR"
fi
"$DIR/bin/python" -c 'import xmlsec, lxml; print("xmlsec", xmlsec.__version__, "lxml", lxml.__version__)'

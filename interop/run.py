"""Runs the interop cases and prints one table. Started by run.sh, which installs the peers; see README.md."""
import argparse
import os
import re
import signal
import sys
import time

from suite import live, policies, replay, structure, token_policies, tokens, wss4j, xml_verbs, zeep
from suite.harness import HERE, Bench, Wrong


def arguments():
    p = argparse.ArgumentParser(prog="run.sh", description=__doc__)
    p.add_argument("--only", metavar="REGEX", help="run the cases whose 'peer | direction | what' matches")
    p.add_argument("--bin", metavar="PATH", help="the binary (default target/release/bartizan)")
    p.add_argument("--strict", action="store_true", default=os.environ.get("CI") == "true", help="a skipped case fails the run (default where CI=true)")
    p.add_argument("--among-peers", action="store_true", help="also let the peers talk among themselves")
    p.add_argument("--list", action="store_true", help="print the cases and stop")
    p.add_argument("--keep", action="store_true", help="keep the folder of messages")
    return p.parse_args()


def line(row, widths):
    cells = [row.peer, row.direction, row.what, row.expected, row.seen, row.status]
    return "  ".join(c.ljust(w) for c, w in zip(cells, widths)).rstrip()


def main():
    args = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
    binary = os.path.join(os.environ.get("INTEROP_FROM", "."), args.bin) if args.bin else os.path.join(HERE, "..", "target", "release", "bartizan")
    binary = os.path.abspath(binary)
    if not os.access(binary, os.X_OK):
        if args.bin:
            print(f"error: no binary at {args.bin}", file=sys.stderr)
            return 2
        print("no release binary: only cases among the peers can run", file=sys.stderr)
        binary = None
    b = Bench(binary)
    try:
        for module in (wss4j, live, policies, replay, xml_verbs, zeep, tokens, structure, token_policies):
            module.register(b)
        if args.among_peers:
            live.register_among_peers(b)
            policies.register_among_peers(b)
            xml_verbs.register_among_peers(b)
            zeep.register_among_peers(b)
            tokens.register_among_peers(b)
            token_policies.register_among_peers(b)
        rows = [r for r in b.rows if not args.only or re.search(args.only, r.name)]
        if args.list:
            print("\n".join(r.name for r in rows))
            return 0
        if not rows:
            print("error: no case matches", file=sys.stderr)
            return 2
        try:
            print(f"keys by {b.make_keys()}; {len(rows)} cases")
        except Wrong as e:
            print(f"error: no keys: {e}", file=sys.stderr)
            return 2
        return perform(b, rows, args)
    finally:
        if args.keep:
            print(f"kept: {b.folder}")
        b.close(keep=args.keep)


def perform(b, rows, args):
    began = time.monotonic()
    heads = ["peer", "direction", "what", "expected", "seen", ""]
    widths = [max(len(h), *(len(x) for x in c)) for h, c in zip(heads, zip(*[(r.peer, r.direction, r.what, "accepted", "accepted", "skipped") for r in rows]))]
    print("  ".join(h.ljust(w) for h, w in zip(heads, widths)).rstrip())
    for row in rows:
        b.perform(row)
        print(line(row, widths) + ("" if row.status == "ok" and row.expected == "accepted" else f"  {row.note[:160]}"), flush=True)
    passed, failed, skipped = (sum(r.status == s for r in rows) for s in ("ok", "FAIL", "skipped"))
    for row in rows:
        if row.status == "FAIL":
            print(f"\nFAIL {row.name}\n  expected {row.expected}, seen {row.seen}: {row.note}")
    slow = sorted(rows, key=lambda r: -r.seconds)[:3]
    print(f"\n{time.monotonic() - began:.0f} s; slowest: " + ", ".join(f"{r.what} {r.seconds:.1f} s" for r in slow))
    if args.strict and skipped:
        print(f"{skipped} cases were skipped, and a strict run counts them as failed")
        failed, skipped = failed + skipped, 0
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

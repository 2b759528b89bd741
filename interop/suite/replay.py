"""The benchmark's own measure: ApacheBench replays one captured request."""
import re

from .harness import Refused, Wrong, run
from .live import BENCHMARK, our_request, our_server

PEER = "ApacheBench"
COUNT = 1000


def replay(b, *more):
    """Good answers out of COUNT; every answer must be complete, and of one length."""
    policy = b.policy(BENCHMARK)
    url = our_server(b, policy, *more)
    body = b.write("replayed.xml", our_request(b, policy))
    a = run(["ab", "-q", "-n", str(COUNT), "-c", "10", "-p", body, "-T", "application/soap+xml;charset=UTF-8", url], limit=300)
    if a.code != 0:
        raise Wrong(f"ab: {a.why}")
    done = int(re.search(r"Complete requests:\s+(\d+)", a.out)[1])
    if done != COUNT:
        raise Wrong(f"ab: {done} of {COUNT} requests")
    other = re.search(r"Non-2xx responses:\s+(\d+)", a.out)
    refused = int(other[1]) if other else 0
    failed = re.search(r"Failed requests:\s+(\d+)", a.out)
    kinds = re.search(r"\(Connect: (\d+), Receive: (\d+), Length: (\d+), Exceptions: (\d+)\)", a.out)
    connect, receive, length, exceptions = (int(x) for x in kinds.groups()) if kinds else (0, 0, 0, 0)
    if connect or receive or exceptions or (failed and int(failed[1]) and not kinds):
        raise Wrong(f"ab: failed requests: {failed[0]}")
    return COUNT - refused, refused, length


def off(b):
    good, refused, length = replay(b, "--replay", "off")
    if (good, refused) != (COUNT, 0):
        raise Wrong(f"{good} good, {refused} refused")
    if length:
        raise Wrong(f"{length} answers of another length")
    return f"{good} good"


def on(b):
    good, refused, _ = replay(b)
    if (good, refused) != (1, COUNT - 1):
        raise Wrong(f"{good} good, {refused} refused")
    raise Refused(f"{good} good, {refused} refused")


def register(b):
    b.case(PEER, "captured request → serve", f"{COUNT} times, replay off", "accepted", lambda: off(b), ("serve", "secure"))
    b.case(PEER, "captured request → serve", f"{COUNT} times, replay guard on: 1 good", "refused", lambda: on(b), ("serve", "secure"))

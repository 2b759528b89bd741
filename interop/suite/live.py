"""Living servers and clients over HTTP: WSS4J, CXF and Rampart against `serve` and `call`."""
import http.client
import http.server
import os
import re
import threading
import urllib.parse

from . import tamper
from .harness import ACTION, PAYLOAD, Refused, Wrong, altered, envelope

THEIRS, OURS = "their client → serve", "call → their server"
TYPE = f'application/soap+xml; charset=utf-8; action="{ACTION}"'

# module: name in the table, its copy of the policy, path of the service
PEERS = {
    "wss4j4": ("WSS4J 4.0.1", None, "sec_echo"),
    "cxf": ("CXF 4.2.3", "rampart-c-wss11.xml", "sec_echo"),
    "rampart": ("Rampart 1.7.0", "rampart-c-corrected.xml", "axis2/services/sec_echo"),
}
BENCHMARK = "rampart-c-benchmark.xml"


def their_options(b, module):
    policy = PEERS[module][1]
    return ("--policy", b.policy(policy)) if policy else ()


def our_policy(b, module):
    """CXF loses the nested assertions of the policy as given; the others are met with that one."""
    return b.policy("rampart-c-wss11.xml" if module == "cxf" else BENCHMARK)


def their_server(b, module, *more):
    """The address of the peer's server, started when it is first wanted."""
    return b.java_server(module, *their_options(b, module), *more) + PEERS[module][2]


def our_server(b, policy, *more):
    """The address of our server under a policy."""
    def make():
        p, m = b.start(f"serve-{len(b.children)}", [b.bin, "serve", "--policy", policy, "--keys", b.keys, "--listen", "127.0.0.1:0", *more],
                       r"^listening \S+ (http://\S+)")
        p.wait_for(r"^ready")
        return m[1].rstrip("/") + "/sec_echo"
    return b.once(("serve", policy, more), make)


def ours_for(b, module):
    return our_server(b, our_policy(b, module), "--replay", "off")


def post(url, body, content_type=TYPE):
    """Status and octets of one POST."""
    u = urllib.parse.urlsplit(url)
    c = http.client.HTTPConnection(u.hostname, u.port, timeout=60)
    try:
        c.request("POST", u.path, body, {"Content-Type": content_type})
        r = c.getresponse()
        return r.status, r.read()
    finally:
        c.close()


class Proxy:
    """Stands between a client and a server and changes the replies (and the requests, when it is told how)."""

    def __init__(self, target, change, change_request=lambda data: data):
        self.count = 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                status, reply = post(target, change_request(self.body()), self.headers.get("Content-Type", TYPE))
                try:
                    if status == 200:
                        reply = change(reply)
                        outer.count += 1
                except ValueError:
                    status, reply = 502, b""
                self.send_response(status)
                self.send_header("Content-Type", "application/soap+xml; charset=utf-8")
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def body(self):
                if "chunked" not in self.headers.get("Transfer-Encoding", ""):
                    return self.rfile.read(int(self.headers.get("Content-Length", 0)))
                data = b""
                while True:
                    n = int(self.rfile.readline().split(b";")[0], 16)
                    data += self.rfile.read(n)
                    self.rfile.readline()
                    if n == 0:
                        return data

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}" + urllib.parse.urlsplit(target).path

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def call(b, policy, url, soap="1.2", more=()):
    """One exchange of our client; Refused if it does not believe the reply."""
    body = b.write("call-body.xml", PAYLOAD)
    a = b.bartizan("call", url, "--policy", policy, "--keys", b.keys, "--body", body, "--action", ACTION, "--soap", soap, *more)
    if a.code == 1:
        raise Refused(a.why)
    if a.code != 0:
        raise Wrong(f"call could not run: {a.why}")
    if "test me" not in a.out:
        raise Wrong(f"call ended with 0, but without the answer: {a.out[:200]}")


def through(target, change, client):
    """What a client says to a changed reply."""
    p = Proxy(target, change)
    try:
        return client(p.url)
    finally:
        p.close()
        if not p.count:
            raise Wrong("no reply was changed")


def their_call(b, module, url, *more):
    text = b.java(module, "call", url, *their_options(b, module), *more)
    if "test me" not in text:
        raise Wrong(f"{module}: another answer: {text}")


def captured(b, module):
    """A request of the peer's client to our server, as octets."""
    def make():
        name = f"captured-{module}.xml"
        their_call(b, module, ours_for(b, module), "--save", b.path(name))
        return b.read(name)

    def from_proxy():  # Rampart has no hook that saves what it sends
        seen = []
        p = Proxy(ours_for(b, module), lambda reply: reply, lambda data: seen.append(data) or data)
        try:
            their_call(b, module, p.url)
        finally:
            p.close()
        return seen[0]
    return b.once(("captured", module), from_proxy if module == "rampart" else make)


def our_request(b, policy):
    def make():
        clear = b.write("live-clear.xml", envelope())
        name = f"live-{os.path.basename(policy)}"
        b.secure(name, clear, "--policy", policy, "--as", "initiator", "--keys", b.keys)
        return b.read(name)
    return b.once(("our request", policy), make)


def we_refuse(url, body):
    """Our server's one wire fault: nothing else may be learnt from it."""
    status, reply = post(url, body)
    if status == 200:
        raise Wrong("our server answered a changed request")
    if status != 400 or b"Fault" not in reply or b"FailedCheck" not in reply:
        raise Wrong(f"not the one fault: {status} {reply[:300]!r}")
    if re.search(rb"digest|padding|decrypt|signature_value|test me", reply):
        raise Wrong(f"the fault tells too much: {reply[:300]!r}")
    raise Refused("FailedCheck")


def they_refuse(url, body):
    status, reply = post(url, body)
    if status < 400 and b"EncryptedData" in reply:
        return "answered"
    if b"Fault" not in reply:
        raise Wrong(f"no fault: {status} {reply[:200]!r}")
    raise Refused(f"HTTP {status}")


def register(b):
    for module, (peer, *_) in PEERS.items():
        good(b, module, peer)
        bad_requests(b, module, peer)
        bad_replies(b, module, peer)
    variants(b)
    suites(b)


def good(b, module, peer):
    b.case(peer, THEIRS, "exchange", "accepted", lambda: their_call(b, module, ours_for(b, module)), ("serve",))
    b.case(peer, OURS, "exchange", "accepted", lambda: call(b, our_policy(b, module), their_server(b, module)), ("call",))
    if module != "wss4j4":
        b.case(peer, THEIRS, "exchange, chunked request", "accepted", lambda: their_call(b, module, ours_for(b, module), "--chunking", "on"), ("serve",))


def variants(b):
    """The streaming half of WSS4J through CXF, and SOAP 1.1."""
    # as a server it demands a thumbprint even beside a token that the message carries, so its copy asks for none there
    policy, stax = our_policy(b, "cxf"), ("--stax", "on", "--policy", b.policy("rampart-c-stax.xml"))
    b.case("CXF 4.2.3 (StAX)", THEIRS, "exchange", "accepted", lambda: their_call(b, "cxf", ours_for(b, "cxf"), *stax), ("serve",))
    b.case("CXF 4.2.3 (StAX)", OURS, "exchange", "accepted", lambda: call(b, policy, their_server(b, "cxf", *stax)), ("call",))
    for what, f in tamper.COMMON[:4]:
        b.case("CXF 4.2.3 (StAX)", OURS, f"request, {what}", "refused",
               lambda f=f: they_refuse(their_server(b, "cxf", *stax), altered(our_request(b, policy), f)), ("secure",))
    b.case("WSS4J 4.0.1", THEIRS, "exchange, SOAP 1.1", "accepted", lambda: their_call(b, "wss4j4", ours_for(b, "wss4j4"), "--soap", "1.1"), ("serve",))
    b.case("WSS4J 4.0.1", OURS, "exchange, SOAP 1.1", "accepted", lambda: call(b, our_policy(b, "wss4j4"), their_server(b, "wss4j4"), "1.1"), ("call",))


def suites(b):
    """The modern suites of WSS4J over HTTP."""
    for suite, ec in (("gcm", False), ("xenc11", False), ("ec", True)):
        policy, theirs = b.policy(f"{suite}.toml"), ("--suite", suite, *(("--ec", "on") if ec else ()))
        server = ("--as-name", "server-ec", "--peer-name", "client-ec") if ec else ()
        client = ("--as-name", "client-ec", "--peer-name", "server-ec") if ec else ()
        b.case("WSS4J 4.0.1", THEIRS, f"exchange, {suite}", "accepted",
               lambda p=policy, t=theirs, s=server: b.java("wss4j4", "call", our_server(b, p, "--replay", "off", *s), *t), ("serve",))
        b.case("WSS4J 4.0.1", OURS, f"exchange, {suite}", "accepted",
               lambda p=policy, t=theirs, c=client: call(b, p, their_server(b, "wss4j4", *t), more=c), ("call",))


def bad_requests(b, module, peer):
    for what, f in tamper.COMMON:
        b.case(peer, THEIRS, f"request, {what}", "refused", lambda f=f: we_refuse(ours_for(b, module), altered(captured(b, module), f)), ("serve",))
        # CXF and Rampart take some wrapped bodies and are not ours to mend
        if "wrapped" not in what:
            b.case(peer, OURS, f"request, {what}", "refused",
                   lambda f=f: they_refuse(their_server(b, module), altered(our_request(b, our_policy(b, module)), f)), ("secure",))
    plain = envelope().encode()
    b.case(peer, OURS, "request in clear", "refused", lambda: they_refuse(their_server(b, module), plain))


def bad_replies(b, module, peer):
    for what, f in tamper.COMMON + tamper.REPLY:
        b.case(peer, OURS, f"reply, {what}", "refused",
               lambda f=f: through(their_server(b, module), f, lambda url: call(b, our_policy(b, module), url)), ("call",))
        # Rampart's client asks for no SignatureConfirmation, and takes a wrapped Body; CXF's takes some
        if "wrapped" in what or (module == "rampart" and "Confirmation" in what):
            continue
        b.case(peer, THEIRS, f"reply, {what}", "refused",
               lambda f=f: through(ours_for(b, module), f, lambda url: their_call(b, module, url)), ("serve",))


def register_among_peers(b):
    """The peers among themselves: shows that a failure elsewhere is not theirs."""
    for server, (name, *_) in PEERS.items():
        for client, (other, *_) in PEERS.items():
            b.case(name, f"{other} → server", "exchange", "accepted", lambda s=server, c=client: their_call(b, c, their_server(b, s)))
        for what, f in tamper.COMMON[:4]:
            b.case(name, "file → server", f"WSS4J's request, {what}", "refused",
                   lambda s=server, f=f: they_refuse(their_server(b, s), altered(wss4j_request(b), f)))
    for client, (other, *_) in PEERS.items():
        for what, f in tamper.COMMON[:4] + ([] if client == "rampart" else tamper.REPLY):
            b.case(other, "client, changed reply", what, "refused",
                   lambda c=client, f=f: through(their_server(b, "wss4j4"), f, lambda url: their_call(b, c, url)))


def wss4j_request(b):
    def make():
        b.java("wss4j4", "gen", "request", b.path("among.xml"))
        return b.read("among.xml")
    return b.once("among", make)

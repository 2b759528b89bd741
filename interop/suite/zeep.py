"""zeep's signature plug-ins: signed, not encrypted messages of Body and Timestamp."""
import os
import re

from . import tamper
from .harness import HERE, Wrong, envelope, run
from .live import Proxy, our_server, post, through, we_refuse
from .xml_peers import told

PEER = "zeep 4.3.3"
OURS, THEIRS = "theirs → ours", "ours → theirs"
PLUGINS = {"binary": "BinarySignature", "x509data": "Signature"}
SIGNED = [("signature value flipped", tamper.signature_value), ("digest flipped", tamper.digest), ("signed body wrapped in a header", tamper.wrapped_body),
          ("body changed", lambda d: tamper.sub(re.compile(b"test me"), b"test us", d, "body")),
          ("Timestamp changed", lambda d: tamper.sub(re.compile(rb"(Expires[^>]*>\d{4}-\d\d-\d\dT\d\d:\d\d:\d)(\d)"), lambda m: m[1] + str((int(m[2]) + 1) % 10).encode(), d, "Expires")),
          ("signature removed", tamper.no_signature)]


class Zeep:
    def __init__(self, b):
        self.b = b
        self.policy = b.policy("zeep.toml")

    def pem(self, who, suffix):
        return os.path.join(self.b.keys, f"{who}.{suffix}")

    def run(self, verb, *args):
        a = run([self.b.python, os.path.join(HERE, "python", "peer_zeep.py"), verb, *args])
        told(a, PEER)
        return a.out

    def client(self):
        return ("--key", self.pem("client", "key"), "--cert", self.pem("client", "pem"), "--peer", self.pem("server", "pem"))

    def clear(self):
        return self.b.write("zeep-clear.xml", envelope())

    def their_request(self, plugin):
        def make():
            f = f"zeep-request-{plugin}.xml"
            self.run("sign", self.clear(), self.b.path(f), *self.client()[:4], "--plugin", plugin)
            return f
        return self.b.once(("zeep", plugin), make)

    def our_reply(self):
        def make():
            self.b.secure("zeep-reply.xml", self.clear(), "--policy", self.policy, "--as", "recipient", "--keys", self.b.keys,
                          "--request", self.b.path(self.their_request("binary")))
            return "zeep-reply.xml"
        return self.b.once("zeep reply", make)

    def our_request(self):
        def make():
            self.b.secure("zeep-ours.xml", self.clear(), "--policy", self.policy, "--as", "initiator", "--keys", self.b.keys)
            return "zeep-ours.xml"
        return self.b.once("zeep ours", make)

    def changed(self, f, change):
        return self.b.changed(f, f"zeep-changed-{f}", change)

    def we_take(self, f):
        self.b.verify(f, "--policy", self.policy, "--as", "recipient", "--keys", self.b.keys)

    def they_take(self, f, signer="server"):
        self.run("verify", self.b.path(f), "--peer", self.pem(signer, "pem"))

    def server(self):
        return our_server(self.b, self.policy)

    def call(self, url, plugin="binary"):
        self.run("call", url, *self.client(), "--plugin", plugin)

    def captured(self):
        """A request that their client sent, fresh each time: it must not have been seen by our server before."""
        seen = []

        def keep(data):
            seen.append(data)
            return data
        p = Proxy(self.server(), lambda reply: reply, keep)
        try:
            self.call(p.url)
        finally:
            p.close()
        return seen[0]


def register(b):
    z = Zeep(b)
    for plugin, name in PLUGINS.items():
        b.case(PEER, OURS, f"request by {name}", "accepted", lambda p=plugin: z.we_take(z.their_request(p)), ("verify",))
        b.case(PEER, "their client → serve", f"exchange, {name}", "accepted", lambda p=plugin: z.call(z.server(), p), ("serve",))
    b.case(PEER, THEIRS, "request", "accepted", lambda: z.they_take(z.our_request(), "client"), ("secure",))
    b.case(PEER, THEIRS, "reply to their request", "accepted", lambda: z.they_take(z.our_reply()), ("secure",))
    b.case(PEER, THEIRS, "reply, checked with another certificate", "refused", lambda: z.they_take(z.our_reply(), "client2"), ("secure",))
    for what, f in SIGNED:
        b.case(PEER, OURS, f"request, {what}", "refused", lambda f=f: z.we_take(z.changed(z.their_request("binary"), f)), ("verify",))
        # zeep reads the first Body whatever was signed
        if "wrapped" not in what:
            b.case(PEER, THEIRS, f"reply, {what}", "refused", lambda f=f: z.they_take(z.changed(z.our_reply(), f)), ("secure",))
            b.case(PEER, "their client → serve", f"reply, {what}", "refused", lambda f=f: through(z.server(), f, z.call), ("serve",))

    def twice():
        request = z.captured()
        status, _ = post(z.server(), request)
        if status == 200:
            raise Wrong("a request was answered twice")
        return we_refuse(z.server(), request)
    b.case(PEER, "their client → serve", "request replayed (default guard)", "refused", twice, ("serve",))


def register_among_peers(b):
    z = Zeep(b)
    for plugin, name in PLUGINS.items():
        b.case(PEER, "→ itself", f"request by {name}", "accepted", lambda p=plugin: z.they_take(z.their_request(p), "client"))
    for what, f in SIGNED:
        if "wrapped" not in what:
            b.case(PEER, "→ itself", what, "refused", lambda f=f: z.they_take(z.changed(z.their_request("binary"), f), "client"))

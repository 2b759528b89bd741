"""`bartizan xml sign|verify|encrypt|decrypt` against the XML-DSig and XML-Enc libraries, both directions."""
import os
import re

from . import tamper
from . import xml_templates as t
from .harness import Refused, Wrong
from .xml_peers import ALL

# What we read and have no option to write.
READ_ONLY = {"root rsa-oaep sha256 mgf1p"}
OURS, THEIRS = "theirs → ours", "ours → theirs"
C14N = {t.EXC: "exc", t.EXC_COMMENTS: "exc", t.C14N10: "1.0", t.C14N11: "1.1"}


def short(uri):
    """The short name of an algorithm, as `bartizan crypto` prints it."""
    return {t.DSMORE7 + "sha256-rsa-MGF1": "rsa-pss-sha256"}.get(uri, re.split("[#/]", uri)[-1])


class Ours:
    """Our four verbs with the options of a case."""

    def __init__(self, peer):
        self.b, self.peer = peer.b, peer

    def told(self, a, what):
        if a.code == 1:
            reason = re.search(r'"(?:reason|detail)":\s*"([^"]+)"', a.out)
            raise Refused(reason[1] if reason else a.why)
        if a.code != 0:
            raise Wrong(f"{what} could not run: {a.why}")
        return a

    def sign(self, out, s):
        document = self.b.write(f"clear-{out}", t.DOCUMENT)
        key = ["--secret", self.peer.secret("hmac")] if s.kind == "hmac" else ["--key", self.peer.key(s.kind), "--cert", self.peer.cert(s.kind)]
        args = ["xml", "sign", document, "-o", self.b.path(out), "--id-attr", "Id", *key, "--algorithm", short(s.method), "--digest", short(s.digest), "--c14n", C14N[s.c14n]]
        if s.c14n == t.EXC_COMMENTS:
            args.append("--with-comments")
        if s.prefixes:
            args += ["--inclusive-prefixes", s.prefixes]
        args += ["--reference", s.target] if s.target else ["--enveloped"]
        if s.legacy:
            args.append("--legacy")
        a = self.b.bartizan(*args)
        if a.code != 0:
            raise Wrong(f"xml sign: {a.why}")

    def verify(self, path, s):
        key = ["--secret", self.peer.secret("hmac")] if s.kind == "hmac" else ["--key", self.peer.cert(s.kind)]
        a = self.told(self.b.bartizan("xml", "verify", path, "--json", "--id-attr", "Id", *key, *(["--legacy"] if s.legacy else [])), "xml verify")
        covers = re.findall(r'"covers":\s*"([^"]*)"', a.out)
        want = "/doc/part[1]" if s.target else "/doc"
        if not covers or covers[0] not in (want, want + "[1]", want.replace("[1]", "")):
            raise Wrong(f"verified, but it covers {covers}")

    def encrypt(self, out, e):
        document = self.b.write(f"clear-{out}", t.PART if e.root else t.DOCUMENT)
        args = ["xml", "encrypt", document, "-o", self.b.path(out), "--id-attr", "Id", "--element", "/part" if e.root else e.target, "--cipher", short(e.cipher)]
        if e.content:
            args.append("--content")
        if e.shared:
            args += ["--secret", f"{t.KEY_NAME}={self.peer.secret(e.shared)}"]
        else:
            args += ["--to", self.peer.cert("rsa", "server")]
        if e.transport:
            args += ["--transport", short(e.transport)]
        if e.legacy:
            args.append("--legacy")
        a = self.b.bartizan(*args)
        if a.code != 0:
            raise Wrong(f"xml encrypt: {a.why}")

    def decrypt(self, path, out, e):
        key = ["--secret", f"{t.KEY_NAME}={self.peer.secret(e.shared)}"] if e.shared else ["--key", self.peer.key("rsa", "server")]
        self.told(self.b.bartizan("xml", "decrypt", path, "-o", out, *key, *(["--legacy"] if e.legacy else [])), "xml decrypt")


def register(b):
    for kind in ALL:
        peer = kind(b)
        ours = Ours(peer)
        for what in peer.signatures:
            signature(b, peer, ours, what)
        for what in peer.ciphers:
            encryption(b, peer, ours, what)


def signature(b, peer, ours, what):
    s = t.SIGNATURES[what]
    stem = f"{type(peer).__name__}-{what.replace(' ', '-')}"

    def theirs():
        return b.once((stem, "theirs"), lambda: peer.sign(f"{stem}.xml", s) or f"{stem}.xml")

    def mine():
        return b.once((stem, "ours"), lambda: ours.sign(f"ours-{stem}.xml", s) or f"ours-{stem}.xml")
    b.case(peer.name, OURS, f"signature, {what}", "accepted", lambda: ours.verify(b.path(theirs()), s), ("xml",))
    b.case(peer.name, THEIRS, f"signature, {what}", "accepted", lambda: peer.verify(b.path(mine()), s), ("xml",))
    if what not in ("rsa-sha256", "ecdsa-sha256", "whole rsa-sha256", "whole ecdsa-sha256"):
        return
    for how, change in [("content changed", lambda d: tamper.sub(re.compile(b"none"), b"nine", d, "content")), ("signature value flipped", tamper.signature_value),
                        ("digest flipped", tamper.digest)]:
        def file(source, how=how, change=change):
            name = f"{how.replace(' ', '-')}-{source}"
            b.write(name, change(b.read(source)))
            return b.path(name)
        b.case(peer.name, OURS, f"signature, {what}, {how}", "refused", lambda f=file: ours.verify(f(theirs()), s), ("xml",))
        b.case(peer.name, THEIRS, f"signature, {what}, {how}", "refused", lambda f=file: peer.verify(f(mine()), s), ("xml",))


def encryption(b, peer, ours, what):
    e = t.ENCRYPTIONS[what]
    stem = f"{type(peer).__name__}-{what.replace(' ', '-')}"

    def theirs():
        return b.once((stem, "theirs"), lambda: peer.encrypt(f"{stem}.xml", e) or f"{stem}.xml")

    def mine():
        return b.once((stem, "ours"), lambda: ours.encrypt(f"ours-{stem}.xml", e) or f"ours-{stem}.xml")

    def opened(side, source):
        out = b.path(f"opened-{stem}")
        if os.path.exists(out):
            os.remove(out)
        if (b"plain" if e.target == "p2" else b"none") in b.read(source):
            raise Wrong("the part is still in clear")
        side.decrypt(b.path(source), out, e)
        with open(out, "rb") as f:
            data = f.read()
        if b">none</" not in data or "\u00e9".encode() not in data and b"&#xE9;" not in data:
            raise Wrong(f"another plaintext: {data[:200]!r}")
        if not e.root and not re.search(rb"<n[^>]*>plain</n></part>", data):
            raise Wrong("the rest of the document is gone")
    b.case(peer.name, OURS, f"encryption, {what}", "accepted", lambda: opened(ours, theirs()), ("xml",))
    if what not in peer.writes_only and what not in READ_ONLY:
        b.case(peer.name, THEIRS, f"encryption, {what}", "accepted", lambda: opened(peer, mine()), ("xml",))
    if "gcm" not in what:
        return

    def changed(source):
        name = f"changed-{source}"
        b.write(name, tamper.leaf(b"CipherValue", 1.0, b"EncryptedData")(b.read(source)) if b"EncryptedKey" not in b.read(source) else last_cipher(b.read(source)))
        return name
    b.case(peer.name, OURS, f"encryption, {what}, cipher flipped", "refused", lambda: opened(ours, changed(theirs())), ("xml",))
    b.case(peer.name, THEIRS, f"encryption, {what}, cipher flipped", "refused", lambda: opened(peer, changed(mine())), ("xml",))


def last_cipher(data):
    """Flips a bit in the last CipherValue, which is the data's where the key stands in KeyInfo."""
    at = data.rindex(b"CipherValue", 0, data.rindex(b"CipherValue"))
    start = data.rindex(b"<", 0, at)
    return data[:start] + tamper.leaf(b"CipherValue", 0.5)(data[start:])


def register_among_peers(b):
    """Every peer reads what every peer writes: shows which failures are ours."""
    peers = [kind(b) for kind in ALL]
    for one in peers:
        for other in peers:
            for what in [w for w in one.signatures if w in other.signatures]:
                s, name = t.SIGNATURES[what], f"among-{type(one).__name__}-{what.replace(' ', '-')}.xml"
                b.case(one.name, f"→ {other.name}", f"signature, {what}", "accepted",
                       lambda one=one, other=other, s=s, n=name: other.verify(b.path(b.once(n, lambda: one.sign(n, s) or n)), s))
            for what in [w for w in one.ciphers if w in other.ciphers and w not in other.writes_only]:
                e, name = t.ENCRYPTIONS[what], f"among-{type(one).__name__}-{what.replace(' ', '-')}.xml"
                b.case(one.name, f"→ {other.name}", f"encryption, {what}", "accepted",
                       lambda one=one, other=other, e=e, n=name: other.decrypt(b.path(b.once(n, lambda: one.encrypt(n, e) or n)), b.path("opened-among.xml"), e))

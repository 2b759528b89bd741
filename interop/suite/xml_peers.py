"""The peers of the bare XML-DSig and XML-Enc engine, each behind the same four calls.

`sign` and `encrypt` leave a file, `verify` and `decrypt` raise Refused for a no. What a peer cannot do is not in its lists.
"""
import os

from . import xml_templates as t
from .harness import HERE, Refused, Wrong, run


def told(a, what):
    if a.code == 1:
        raise Refused(a.why)
    if a.code != 0:
        raise Wrong(f"{what}: {a.why}")


class Peer:
    writes_only = []

    def __init__(self, b):
        self.b = b

    def cert(self, kind="rsa", who="client"):
        return os.path.join(self.b.keys, f"{who}{'-ec' if kind == 'ec' else ''}.pem")

    def key(self, kind="rsa", who="client"):
        return self.cert(kind, who)[:-4] + ".key"

    def secret(self, kind):
        """A file of raw octets for HMAC (hmac), AES-128 and AES-256 (aes128, aes256)."""
        def make():
            return self.b.write(f"secret-{kind}", os.urandom({"aes128": 16, "aes256": 32}.get(kind, 24)))
        return self.b.once(("secret", kind), make)


class Templates(Peer):
    """Both faces of the xmlsec library work on templates."""

    def sign(self, out, s):
        template = self.b.write(f"template-{out}", t.signature(s, t.DOCUMENT))
        self._sign(template, self.b.path(out), s)


class Xmlsec1(Templates):
    name = "xmlsec1 1.2"
    signatures = ["rsa-sha256", "rsa-sha1", "rsa-sha512", "ecdsa-sha256", "hmac-sha256", "c14n 1.0", "c14n 1.1", "exc with comments", "PrefixList", "whole rsa-sha256"]
    ciphers = ["aes128-cbc", "aes256-cbc", "aes128-gcm", "aes256-gcm", "tripledes-cbc", "rsa-1_5", "content", "kw-aes256", "shared key"]

    ids = ["--id-attr:Id", "urn:b:part", "--id-attr:Id", "urn:a:part"]

    def _run(self, verb, keys, *more):
        a = run(["xmlsec1", verb, *self.ids, *keys, *more])
        if a.code != 0:
            raise Refused(a.why)

    def _sign(self, template, out, s):
        keys = ["--hmackey", self.secret("hmac")] if s.kind == "hmac" else ["--privkey-pem", self.key(s.kind)]
        self._run("--sign", keys, "--output", out, template)

    def verify(self, path, s):
        keys = ["--hmackey", self.secret("hmac")] if s.kind == "hmac" else ["--pubkey-cert-pem", self.cert(s.kind)]
        # the key is ours to say: no key is taken from the message
        self._run("--verify", ["--enabled-key-data", "hmac" if s.kind == "hmac" else "key-name", *keys], path)

    def encrypt(self, out, e):
        template = self.b.write(f"template-{out}", t.encryption(e))
        document = self.b.write(f"clear-{out}", t.DOCUMENT)
        keys = []
        if e.shared:
            keys += [f"--aeskey:{t.KEY_NAME}", self.secret(e.shared)]
        else:
            keys += ["--pubkey-cert-pem", self.cert("rsa", "server")]
        if e.transport:
            keys += ["--session-key", e.session]
        self._run("--encrypt", keys, "--xml-data", document, "--node-xpath", f"//*[@Id='{e.target}']", "--output", self.b.path(out), template)

    def decrypt(self, path, out, e):
        keys = [f"--aeskey:{t.KEY_NAME}", self.secret(e.shared)] if e.shared else ["--privkey-pem", self.key("rsa", "server")]
        self._run("--decrypt", keys, "--output", out, path)


class PythonXmlsec(Templates):
    name = "python-xmlsec 1.3.17"
    signatures = [*Xmlsec1.signatures, "rsa-pss-sha256", "rsa-sha3"]
    ciphers = [*Xmlsec1.ciphers, "rsa-oaep"]

    def _run(self, *args):
        told(run([self.b.python, os.path.join(HERE, "python", "peer_xmlsec.py"), *args]), self.name)

    def _sign(self, template, out, s):
        self._run("sign", template, out, *(["--secret", self.secret("hmac")] if s.kind == "hmac" else ["--key", self.key(s.kind), "--cert", self.cert(s.kind)]))

    def verify(self, path, s):
        self._run("verify", path, *(["--secret", self.secret("hmac")] if s.kind == "hmac" else ["--cert", self.cert(s.kind)]))

    def encrypt(self, out, e):
        template = self.b.write(f"template-{out}", t.encryption(e))
        document = self.b.write(f"clear-{out}", t.DOCUMENT)
        keys = ["--secret", self.secret(e.shared), "--secret-kind", "Aes", "--name", t.KEY_NAME] if e.shared else ["--cert", self.cert("rsa", "server")]
        self._run("encrypt", document, self.b.path(out), "--template", template, "--target", e.target, *keys)

    def decrypt(self, path, out, e):
        keys = ["--secret", self.secret(e.shared), "--secret-kind", "Aes", "--name", t.KEY_NAME] if e.shared else ["--key", self.key("rsa", "server")]
        self._run("decrypt", path, out, *keys)


class SignXml(Peer):
    """Signs whole documents: it writes the enveloped transform into every reference, also where the signature stands elsewhere, which we refuse."""
    name = "signxml 5.2.0"
    signatures = [f"whole {x}" for x in ("rsa-sha256", "rsa-sha1", "rsa-sha512", "ecdsa-sha256", "rsa-pss-sha256", "c14n 1.0", "c14n 1.1")]
    ciphers = []

    def _run(self, *args):
        told(run([self.b.python, os.path.join(HERE, "python", "peer_signxml.py"), *args]), self.name)

    def sign(self, out, s):
        document = self.b.write(f"clear-{out}", t.DOCUMENT)
        self._run("sign", document, self.b.path(out), "--key", self.key(s.kind), "--cert", self.cert(s.kind), "--algorithm", s.method, "--digest", s.digest, "--c14n", s.c14n)

    def verify(self, path, s):
        self._run("verify", path, "--cert", self.cert(s.kind))


class Node(Peer):
    name = "xml-crypto 6.3.2"
    signatures = ["rsa-sha256", "rsa-sha1", "rsa-sha512", "rsa-pss-sha256", "c14n 1.0", "exc with comments", "whole rsa-sha256"]
    ciphers = []

    def _run(self, *args):
        told(run(["node", os.path.join(HERE, "node", "peer.js"), *args]), self.name)

    def sign(self, out, s):
        document = self.b.write(f"clear-{out}", t.DOCUMENT)
        self._run("sign", document, self.b.path(out), "--key", self.key(s.kind), "--cert", self.cert(s.kind), "--algorithm", s.method, "--digest", s.digest, "--c14n", s.c14n,
                  *(["--reference", s.target] if s.target else ["--enveloped"]))

    def verify(self, path, s):
        self._run("verify", path, "--cert", self.cert(s.kind))


class NodeEncryption(Node):
    """Encrypts whole documents: EncryptedData is the root."""
    name = "xml-encryption 6.0.1"
    signatures = []
    writes_only = ["root rsa-1_5"]  # Node refuses to decrypt with it
    ciphers = ["root aes128-gcm", "root aes256-gcm", "root aes256-cbc", "root tripledes-cbc", "root rsa-1_5", "root rsa-oaep", "root rsa-oaep sha256 mgf1p"]

    def encrypt(self, out, e):
        document = self.b.write(f"clear-{out}", t.PART)
        more = (["--digest", e.oaep_digest] if e.oaep_digest else []) + (["--mgf", e.mgf] if e.mgf else [])
        self._run("encrypt", document, self.b.path(out), "--cert", self.cert("rsa", "server"), "--cipher", e.cipher, "--transport", e.transport, *more)

    def decrypt(self, path, out, e):
        self._run("decrypt", path, out, "--key", self.key("rsa", "server"))


ALL = [Xmlsec1, PythonXmlsec, SignXml, Node, NodeEncryption]

"""Further asymmetric policies, each written once and given to both sides: what the benchmark's policy does not ask for."""
import os

from . import live, tamper
from .harness import Wrong

SP11, SP12 = "http://schemas.xmlsoap.org/ws/2005/07/securitypolicy", "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702"
CXF_SUITES = "http://cxf.apache.org/custom/security-policy"
CONFIRM = "<sp:RequireSignatureConfirmation/>"
SERVED = "/sec_echo"


def policy(suite="Basic256", layout="Strict", binding="<sp:OnlySignEntireHeadersAndBody/>", initiator="AlwaysToRecipient", recipient="Never",
           reference="<sp:RequireThumbprintReference/>", wss="Wss11", confirm=CONFIRM, signed="<sp:Body/>", encrypted="<sp:Body/>", more="", sp=SP12):
    include = sp + "/IncludeToken/"
    suite = suite if suite.startswith("<") else f"<sp:{suite}/>"

    def token(name, how):
        return (f'<sp:{name}><wsp:Policy><sp:X509Token sp:IncludeToken="{include}{how}"><wsp:Policy>{reference}<sp:WssX509V3Token10/></wsp:Policy></sp:X509Token>'
                f"</wsp:Policy></sp:{name}>")
    support = "<sp:MustSupportRefKeyIdentifier/><sp:MustSupportRefIssuerSerial/>"
    if wss == "Wss11":
        support += f"<sp:MustSupportRefThumbprint/>{confirm}"
    parts = (f"<sp:SignedParts>{signed}</sp:SignedParts>" if signed else "") + (f"<sp:EncryptedParts>{encrypted}</sp:EncryptedParts>" if encrypted else "")
    return (f'<wsp:Policy xmlns:wsp="http://schemas.xmlsoap.org/ws/2004/09/policy" xmlns:sp="{sp}"><wsp:ExactlyOne><wsp:All>'
            f'<sp:AsymmetricBinding><wsp:Policy>{token("InitiatorToken", initiator)}{token("RecipientToken", recipient)}'
            f"<sp:AlgorithmSuite><wsp:Policy>{suite}</wsp:Policy></sp:AlgorithmSuite><sp:Layout><wsp:Policy><sp:{layout}/></wsp:Policy></sp:Layout>"
            f"{binding}</wsp:Policy></sp:AsymmetricBinding><sp:{wss}><wsp:Policy>{support}</wsp:Policy></sp:{wss}>{parts}{more}</wsp:All></wsp:ExactlyOne></wsp:Policy>")


TS = "<sp:IncludeTimestamp/>"
WHOLE = "<sp:OnlySignEntireHeadersAndBody/>"
XPATH = '<sp:{0}><sp:XPath xmlns:g="http://www.wso2.org/types">{1}</sp:XPath></sp:{0}>'
GCM = f'<c:Basic256GCM xmlns:c="{CXF_SUITES}"/>'
POLICIES = {
    "timestamp": policy("Basic256Sha256", binding=TS + WHOLE),
    "timestamp-lax": policy("Basic256Sha256", "Lax", TS),
    "sp11": policy("Basic128", binding=TS + WHOLE, sp=SP11),
    "encrypted-signature": policy("Basic256Sha256", binding=TS + "<sp:EncryptSignature/>" + WHOLE),
    "encrypt-first": policy("Basic256Sha256", binding=TS + "<sp:EncryptBeforeSigning/>" + WHOLE),
    "protected-token": policy("Basic256Sha256", binding=TS + "<sp:ProtectTokens/>"),
    "gcm": policy(GCM, binding=TS + WHOLE),
    "gcm128-rsa15": policy(f'<c:Basic128GCMRsa15 xmlns:c="{CXF_SUITES}"/>', binding=TS + WHOLE),
    "rsa15": policy("Basic256Sha256Rsa15", binding=TS + WHOLE),
    "triple-des": policy("TripleDesRsa15", binding=TS + WHOLE),
    "issuer-serial": policy("Basic128", binding=TS, reference="<sp:RequireIssuerSerialReference/>", wss="Wss10", recipient="Never"),
    "key-identifier": policy(reference="<sp:RequireKeyIdentifierReference/>", initiator="Never"),
    "tokens-both-ways": policy("Basic256Sha256", binding=TS, recipient="AlwaysToInitiator", reference="", initiator="Always"),
    "signed-only": policy("Basic256Sha256", binding=TS + WHOLE, encrypted=""),
    "signed-element": policy(GCM, binding=TS, more=XPATH.format("SignedElements", "//g:greetRequest")),
    "content-element": policy("Basic256Sha256", binding=TS, encrypted="", more=XPATH.format("ContentEncryptedElements", "//g:name")),
}


# CXF encrypts no element in a reply, and misses it then.
ONE_WAY = {"content-element"}


class World:
    """One server of each side that serves every policy at its own path."""

    def __init__(self, b):
        self.b = b

    def folder(self):
        def make():
            os.mkdir(self.b.path("policies"))
            for name, text in POLICIES.items():
                self.b.write(f"policies/{name}.xml", text)
            return self.b.path("policies")
        return self.b.once("policies", make)

    def file(self, name):
        return os.path.join(self.folder(), f"{name}.xml")

    def theirs(self, name):
        return live.their_server(self.b, "cxf", "--also", self.folder()).replace(SERVED, f"/{name}")

    def ours(self, name):
        return live.our_server(self.b, self.file(name))

    def call(self, name):
        return live.call(self.b, self.file(name), self.theirs(name))

    def called(self, name, url=None):
        text = self.b.java("cxf", "call", url or self.ours(name), "--policy", self.file(name))
        if "test me" not in text:
            raise Wrong(f"another answer: {text}")


def register(b):
    w = World(b)
    for name in POLICIES:
        if name not in ONE_WAY:
            b.case("CXF 4.2.3", live.THEIRS, f"policy {name}", "accepted", lambda n=name: w.called(n), ("serve",))
        b.case("CXF 4.2.3", live.OURS, f"policy {name}", "accepted", lambda n=name: w.call(n), ("call",))
    for name, what, f in [("timestamp", "Timestamp removed", tamper.without(b"Timestamp")), ("encrypted-signature", "body cipher flipped", tamper.body_cipher),
                          ("encrypt-first", "body cipher flipped", tamper.body_cipher), ("signed-only", "digest flipped", tamper.digest)]:
        b.case("CXF 4.2.3", live.OURS, f"policy {name}, reply, {what}", "refused", lambda n=name, f=f: live.through(w.theirs(n), f, lambda u: live.call(b, w.file(n), u)), ("call",))
        b.case("CXF 4.2.3", live.THEIRS, f"policy {name}, reply, {what}", "refused", lambda n=name, f=f: live.through(w.ours(n), f, lambda u: w.called(n, u)), ("serve",))


def register_among_peers(b):
    w = World(b)
    for name in POLICIES:
        b.case("CXF 4.2.3", "→ itself", f"policy {name}", "accepted", lambda n=name: w.called(n, w.theirs(n)))



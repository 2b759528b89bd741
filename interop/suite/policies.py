"""Further asymmetric policies, each written once and given to both sides: what the benchmark's policy does not ask for."""
import os

from . import live, tamper
from .harness import Wrong

SP11, SP12 = "http://schemas.xmlsoap.org/ws/2005/07/securitypolicy", "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702"
CXF_SUITES = "http://cxf.apache.org/custom/security-policy"
CONFIRM = "<sp:RequireSignatureConfirmation/>"


def wrap(inner, sp):
    return (f'<wsp:Policy xmlns:wsp="http://schemas.xmlsoap.org/ws/2004/09/policy" xmlns:sp="{sp}"><wsp:ExactlyOne><wsp:All>{inner}'
            "</wsp:All></wsp:ExactlyOne></wsp:Policy>")


def binding_of(kind, tokens, suite, layout, more):
    """A binding: its tokens, a suite by name or as an assertion, a layout, what else stands in it."""
    suite = suite if suite.startswith("<") else f"<sp:{suite}/>"
    return (f"<sp:{kind}><wsp:Policy>{tokens}<sp:AlgorithmSuite><wsp:Policy>{suite}</wsp:Policy></sp:AlgorithmSuite>"
            f"<sp:Layout><wsp:Policy><sp:{layout}/></wsp:Policy></sp:Layout>{more}</wsp:Policy></sp:{kind}>")


def parts_of(signed, encrypted):
    return (f"<sp:SignedParts>{signed}</sp:SignedParts>" if signed else "") + (f"<sp:EncryptedParts>{encrypted}</sp:EncryptedParts>" if encrypted else "")


def policy(suite="Basic256", layout="Strict", binding="<sp:OnlySignEntireHeadersAndBody/>", initiator="AlwaysToRecipient", recipient="Never",
           reference="<sp:RequireThumbprintReference/>", wss="Wss11", confirm=CONFIRM, signed="<sp:Body/>", encrypted="<sp:Body/>", more="", sp=SP12):
    include = sp + "/IncludeToken/"

    def token(name, how):
        return (f'<sp:{name}><wsp:Policy><sp:X509Token sp:IncludeToken="{include}{how}"><wsp:Policy>{reference}<sp:WssX509V3Token10/></wsp:Policy></sp:X509Token>'
                f"</wsp:Policy></sp:{name}>")
    tokens = token("InitiatorToken", initiator) + token("RecipientToken", recipient)
    support = "<sp:MustSupportRefKeyIdentifier/><sp:MustSupportRefIssuerSerial/>"
    if wss == "Wss11":
        support += f"<sp:MustSupportRefThumbprint/>{confirm}"
    return wrap(f"{binding_of('AsymmetricBinding', tokens, suite, layout, binding)}<sp:{wss}><wsp:Policy>{support}</wsp:Policy></sp:{wss}>"
                f"{parts_of(signed, encrypted)}{more}", sp)


TS = "<sp:IncludeTimestamp/>"
WHOLE = "<sp:OnlySignEntireHeadersAndBody/>"
XPATH = '<sp:{0}><sp:XPath xmlns:g="http://www.wso2.org/types">{1}</sp:XPath></sp:{0}>'
GCM = f'<c:Basic256GCM xmlns:c="{CXF_SUITES}"/>'
WSA = "http://www.w3.org/2005/08/addressing"
ADDRESSING = '<wsam:Addressing xmlns:wsam="http://www.w3.org/2007/05/addressing/metadata"><wsp:Policy/></wsam:Addressing>'
POLICIES = {
    "timestamp": policy("Basic256Sha256", binding=TS + WHOLE),
    "timestamp-lax": policy("Basic256Sha256", "Lax", TS),
    "sp11": policy("Basic128", binding=TS + WHOLE, sp=SP11),
    "encrypted-signature": policy("Basic256Sha256", binding=TS + "<sp:EncryptSignature/>" + WHOLE),
    "encrypt-first": policy("Basic256Sha256", binding=TS + "<sp:EncryptBeforeSigning/>" + WHOLE),
    "encrypt-first-lax": policy("Basic256Sha256", "Lax", binding=TS + "<sp:EncryptBeforeSigning/>" + WHOLE),
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
    "addressing": policy("Basic256Sha256", binding=TS + WHOLE, signed=f'<sp:Body/><sp:Header Namespace="{WSA}"/>', more=ADDRESSING),
    "content-element": policy("Basic256Sha256", binding=TS, encrypted="", more=XPATH.format("ContentEncryptedElements", "//g:name")),
}


# What a peer cannot do even towards itself, or does in one direction only.
RAMPART_LACKS = {"gcm", "gcm128-rsa15", "signed-element", "content-element", "addressing"}  # the last for want of its addressing module here
# CXF encrypts no element in a reply, and misses it then. Rampart puts the confirmation behind the signature that covers it, under Strict too.
ONLY_OURS, ONLY_THEIRS = {("cxf", "content-element")}, {("rampart", "encrypt-first")}


class World:
    """One server of each side that serves every policy at its own path."""

    def __init__(self, b, module, policies=None):
        """`policies`: name → text, this module's by default."""
        self.b, self.module, self.policies = b, module, policies or POLICIES
        self.server_options = self.client_options = ()
        self.open = ()  # policies that leave something open, which both our sides have to be told

    def folder(self):
        """Rampart reads `…Sha256` suites as WCF does: it gets the plain ones, and one case of its own."""
        def make():
            folder = f"policies-{self.module}-{len(self.policies)}"
            os.mkdir(self.b.path(folder))
            for name, text in self.policies.items():
                self.b.write(f"{folder}/{name}.xml", text.replace("Sha256", "") if self.module == "rampart" else text)
            self.b.write(f"{folder}/wcf.xml", POLICIES["timestamp"])
            return self.b.path(folder)
        return self.b.once(("policies", self.module, id(self.policies)), make)

    def file(self, name):
        return os.path.join(self.folder(), f"{name}.xml")

    def theirs(self, name):
        return live.their_server(self.b, self.module, "--also", self.folder()).replace("/sec_echo", f"/{name}")

    def our_file(self, name):
        return self.b.policy("wcf.toml") if name == "wcf" else self.file(name)

    def ours(self, name):
        return live.our_server(self.b, self.our_file(name), *self.server_options, *self.said(name))

    def said(self, name):
        return ("--open",) if name in self.open else ()

    def call(self, name):
        return live.call(self.b, self.our_file(name), self.theirs(name), more=(*self.client_options, *self.said(name)))

    def called(self, name, url=None, *more):
        text = self.b.java(self.module, "call", url or self.ours(name), "--policy", self.file(name), *more)
        if "test me" not in text:
            raise Wrong(f"another answer: {text}")


CHANGES = [("timestamp", "Timestamp removed", tamper.without(b"Timestamp")), ("encrypted-signature", "body cipher flipped", tamper.body_cipher),
           ("encrypt-first-lax", "body cipher flipped", tamper.body_cipher), ("signed-only", "digest flipped", tamper.digest)]


def worlds(b):
    for module, lacks in (("cxf", set()), ("rampart", RAMPART_LACKS)):
        yield World(b, module), live.PEERS[module][0], [n for n in POLICIES if n not in lacks] + (["wcf"] if module == "rampart" else [])


def register(b):
    for w, peer, names in worlds(b):
        for name in names:
            if (w.module, name) not in ONLY_OURS:
                b.case(peer, live.THEIRS, f"policy {name}", "accepted", lambda w=w, n=name: w.called(n), ("serve",))
            if (w.module, name) not in ONLY_THEIRS:
                b.case(peer, live.OURS, f"policy {name}", "accepted", lambda w=w, n=name: w.call(n), ("call",))
        for name, what, f in CHANGES:
            b.case(peer, live.OURS, f"policy {name}, reply, {what}", "refused",
                   lambda w=w, n=name, f=f: live.through(w.theirs(n), f, lambda u: live.call(b, w.file(n), u)), ("call",))
            b.case(peer, live.THEIRS, f"policy {name}, reply, {what}", "refused",
                   lambda w=w, n=name, f=f: live.through(w.ours(n), f, lambda u: w.called(n, u)), ("serve",))


def register_among_peers(b):
    for w, peer, names in worlds(b):
        for name in names:
            if (w.module, name) not in ONLY_OURS:
                b.case(peer, "→ itself", f"policy {name}", "accepted", lambda w=w, n=name: w.called(n, w.theirs(n)))

"""Our `wss4j15` manner beside WSS4J 1.5.12, element by element: what both write for the same settings.

Names, prefixes and where they are declared, the order of elements and attributes, and what each value is are compared, in the message as sent and in the message as WSS4J opened it; values that
differ in every message (Ids, times, random octets) are compared by their form. A difference is the first line that is not the same.
"""
import base64
import binascii
import difflib
import itertools
import re

from lxml import etree

from . import tokens
from .harness import SOAP11, SOAP12, Wrong, envelope

WSU_ID = "{http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd}Id"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z")
# what both have to write letter for letter
LITERAL = {"Username", "Iteration", "X509IssuerName", "X509SerialNumber", "KeyIdentifier", "BinarySecurityToken", "name"}
PARTS = {"token": tokens.TOKEN, "token and body": f"{tokens.TOKEN};{{Content}}{{%s}}Body", "body": "{Content}{%s}Body"}
IDS = ("IssuerSerial", "DirectReference", "SKIKeyIdentifier", "X509KeyIdentifier", "Thumbprint")


def kind(value):
    """The form of an Id: what stands before its number or its random part."""
    return re.match(r"(?:[A-Za-z]+-)?", value)[0] + "…"


def local(e):
    return etree.QName(e).localname


def path(e):
    return "/".join(local(x) for x in reversed([e, *e.iterancestors()]))


def attributes(e, ids):
    outside = e.getparent().nsmap if e.getparent() is not None else {}
    out = [f"xmlns:{p}" for p, u in sorted(e.nsmap.items(), key=str) if outside.get(p) != u]
    for name, value in e.attrib.items():
        q = etree.QName(name)
        shown = value
        if q.localname == "Id":
            shown = kind(value)
        elif q.localname == "URI" and value.startswith("#"):
            # what stands in ciphertext still has no path
            shown = "#" + (path(ids[value[1:]]) if value[1:] in ids else f"{kind(value[1:])} (not here)")
        prefix = next((p + ":" for p, u in e.nsmap.items() if p and u == q.namespace), "") if q.namespace else ""
        out.append(f"{prefix}{q.localname}={shown}")
    return " ".join(out)


def text(e):
    if len(e):
        return ""
    value = (e.text or "").strip()
    if local(e) in LITERAL or (local(e) == "Password" and "Digest" not in e.get("Type", "")):
        return re.sub(r"\s", "", value)
    if TIME.fullmatch(value):
        return re.sub(r"\d", "9", value)
    try:
        octets = len(base64.b64decode(re.sub(r"\s", "", value), validate=True))
    except (binascii.Error, ValueError):
        return value
    # ciphertext of content is as long as the Ids in it
    return "ciphertext" if "EncryptedData" in path(e) else f"{octets} octets" if value else ""


def shape(message):
    """One line for each element."""
    root = etree.fromstring(message)
    ids = {e.get(WSU_ID) or e.get("Id"): e for e in root.iter(etree.Element) if e.get(WSU_ID) or e.get("Id")}
    lines = []
    for e in root.iter(etree.Element):
        prefix = f"{e.prefix}:" if e.prefix else ""
        lines.append("  ".join(x for x in (path(e).rsplit("/", 1)[0] + "/" + prefix + local(e), attributes(e, ids), text(e)) if x))
    return lines


def compared(what, theirs, ours):
    for line in difflib.unified_diff(shape(theirs), shape(ours), "WSS4J 1.5.12", "ours", n=0, lineterm=""):
        if line[0] in "+-" and line[:3] not in ("+++", "---"):
            side = "ours only" if line[0] == "+" else "WSS4J only"
            raise Wrong(f"{what}: {side}: {line[1:]}")


class Case:
    """One list of actions with its settings, given to both."""

    def __init__(self, b, name, actions, soap="1.1", key="", user=tokens.USER, type="text", elements="Nonce Created", enc_id="", sig_id="", transport="", cipher="",
                 seconds=False, iterations="", signed="", encrypted=""):
        self.b, self.name, self.actions, self.soap, self.key, self.user = b, name, actions, soap, key, user
        self.ns = SOAP11 if soap == "1.1" else SOAP12
        self.type, self.elements, self.enc_id, self.sig_id, self.transport, self.cipher = type, elements, enc_id, sig_id, transport, cipher
        self.seconds, self.iterations, self.signed, self.encrypted = seconds, iterations, self.parts(signed), self.parts(encrypted)

    def parts(self, words):
        return PARTS[words].replace("%s", self.ns) if words else ""

    def theirs(self):
        out = self.b.path("structure-theirs.xml")
        options = {"--actions": self.actions, "--soap": self.soap, "--user": self.user, "--type": self.type, "--elements": self.elements or "none", "--enc-id": self.enc_id,
                   "--sig-id": self.sig_id, "--transport": self.transport, "--cipher": self.cipher, "--seconds": "on" if self.seconds else "", "--iterations": self.iterations,
                   "--signed": self.signed, "--encrypted": self.encrypted}
        self.b.java("wss4j15", "gen", "custom" + self.key, out, *(x for o, v in options.items() if v for x in (o, v)))
        return out

    def policy(self):
        """The same settings in our words."""
        xenc = "http://www.w3.org/2001/04/xmlenc#"
        has_token, encrypts = "UsernameToken" in self.actions, "Encrypt" in self.actions
        lines = {
            "actions": self.actions, "defaults": "wss4j15",
            "passwordType": {"text": "PasswordText", "digest": "PasswordDigest", "none": "PasswordNone"}[self.type] if has_token else "",
            "addUTElements": self.elements if has_token else "",
            "encryptionKeyIdentifier": self.enc_id, "signatureKeyIdentifier": self.sig_id,
            "encryptionKeyTransportAlgorithm": {"": "", "rsa15": xenc + "rsa-1_5", "oaep": xenc + "rsa-oaep-mgf1p"}[self.transport],
            "encryptionSymAlgorithm": {"": "", "aes128": xenc + "aes128-cbc", "aes192": xenc + "aes192-cbc", "aes256": xenc + "aes256-cbc", "3des": xenc + "tripledes-cbc"}[self.cipher],
            "derivedKeyIterations": self.iterations,
            "signatureParts": self.signed or (tokens.TOKEN if "UsernameTokenSignature" in self.actions else ""),
            "encryptionParts": self.encrypted or (tokens.TOKEN if encrypts and has_token else ""),
        }
        words = [f'{k} = {v if v.isdigit() else chr(34) + v + chr(34)}' for k, v in lines.items() if v]
        words += ["useDerivedKey = true"] if self.key else []
        words += ["precisionInMilliseconds = false"] if self.seconds else []
        words += ["allowUsernameTokenNoPassword = true"] if self.type == "none" else []
        return self.b.write("structure.toml", "[policy.s]\nopen = true\n[policy.s.request]\n" + "\n".join(words) + "\n")

    def ours(self, policy):
        clear = self.b.write("structure-clear.xml", envelope(self.ns, prefix="soap"))
        word = self.b.write("structure-word", tokens.WORD)
        login = ("--user", self.user, "--password-file", word) if "UsernameToken" in self.actions else ()
        return self.b.secure("structure-ours.xml", clear, "--policy", policy, "--as", "initiator", "--keys", self.b.keys, *login)

    def opened(self, file):
        out = self.b.path("structure-opened.xml")
        # WSS4J opens with the key of the profile only where it is told so
        self.b.java("wss4j15", "open", file, out, "--user", self.user, "--type", self.type, "--cipher", self.cipher or "aes128", "--key", self.key or "a")
        return self.b.read("structure-opened.xml")

    def same(self, policy=None):
        theirs, ours = self.theirs(), self.ours(policy or self.policy())
        compared("as sent", self.b.read("structure-theirs.xml"), self.b.read("structure-ours.xml"))
        compared("opened", self.opened(theirs), self.opened(ours))


SCENARIOS = {"unt1": ("UsernameToken Timestamp", ""), "unt2a": ("UsernameTokenSignature Timestamp", ""), "unt2b": ("UsernameTokenSignature Timestamp", "b"),
             "unt3": ("UsernameToken Encrypt Timestamp", ""), "unt4a": ("UsernameTokenSignature Encrypt Timestamp", ""), "unt4b": ("UsernameTokenSignature Encrypt Timestamp", "b")}


def cases(b):
    """Every scenario with everything that can be set on it, and every order of the actions that can stand together."""
    for name, (actions, key) in SCENARIOS.items():
        for soap in ("1.1", "1.2"):
            yield Case(b, f"scenario:{name} {soap}", actions, soap, key)
        if "Encrypt" in actions:
            for enc_id, transport in itertools.product(IDS, ("rsa15", "oaep")):
                yield Case(b, f"{name} {enc_id} {transport}", actions, key=key, enc_id=enc_id, transport=transport)
            for cipher in ("aes192", "aes256", "3des"):
                yield Case(b, f"{name} {cipher}", actions, key=key, cipher=cipher)
            for soap in ("1.1", "1.2"):
                yield Case(b, f"{name} token and Body {soap}", actions, soap, key, encrypted="token and body", signed="token and body" if "Signature" in actions else "")
                yield Case(b, f"{name} Body {soap}", actions, soap, key, encrypted="body", signed="body" if "Signature" in actions else "")
        yield Case(b, f"{name} seconds", actions, key=key, seconds=True)
    for type, elements in itertools.product(("text", "digest", "none"), ("", "Nonce", "Created", "Nonce Created")):
        yield Case(b, f"unt1 {type} {elements}".strip(), "UsernameToken Timestamp", type=type, elements=elements)
    yield Case(b, "unt2a digest", "UsernameTokenSignature Timestamp", type="digest")  # with none there is no password to make a key of
    for type in ("digest", "none"):
        yield Case(b, f"unt3 {type}", "UsernameToken Encrypt Timestamp", type=type)
    yield Case(b, "unt2b 5000 iterations", "UsernameTokenSignature Timestamp", key="b", iterations="5000")
    for some in (("UsernameToken",), ("Timestamp",), ("UsernameTokenSignature",), ("UsernameToken", "Encrypt"), ("UsernameTokenSignature", "Encrypt"), ("Timestamp", "Encrypt"),
                 ("UsernameToken", "Timestamp"), ("UsernameTokenSignature", "Timestamp"), ("UsernameToken", "Encrypt", "Timestamp"),
                 ("UsernameTokenSignature", "Encrypt", "Timestamp"), ("Encrypt",), ("Signature",), ("Signature", "Timestamp"), ("Signature", "Encrypt"),
                 ("Signature", "Encrypt", "Timestamp"), ("UsernameToken", "Signature"), ("UsernameToken", "Signature", "Timestamp"),
                 ("UsernameToken", "Signature", "Encrypt", "Timestamp")):
        for order in itertools.permutations(some):
            actions = " ".join(order)
            # what is encrypted has to be there
            token_later = "Encrypt" in order and any(a.startswith("Username") and i > order.index("Encrypt") for i, a in enumerate(order))
            more = {"user": "client"} if "Signature" in order else {}
            if token_later or "Signature" in order:
                more["encrypted"] = "body" if "Encrypt" in order else ""
            yield Case(b, actions, actions, **more)
    for sig_id in IDS:
        yield Case(b, f"Signature {sig_id}", "Signature Timestamp", sig_id=sig_id, user="client")


def register(b):
    for c in cases(b):
        scenario = c.name.split(" ")[0] if c.name.startswith("scenario:") else None
        b.case(tokens.Wss4j15.name, "beside ours", c.name, "accepted", lambda c=c, s=scenario: c.same(s), ("secure --user",))


def register_among_peers(b):
    """Nothing: what is compared is ours."""

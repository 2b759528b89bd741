"""WSS4J 4 against `secure` and `verify`: messages as files, every suite, both directions, good and bad."""
import os
import ssl

from . import tamper
from .harness import JAVA, PAYLOAD, SOAP12, Wrong, envelope

PEER = "WSS4J 4.0.1"
OURS, THEIRS = "theirs → ours", "ours → theirs"

# suite of the Java program: our policy, our key options, its key options
SUITES = {
    "sha1": ("rampart-c-benchmark.xml", (), ()),
    "gcm": ("gcm.toml", (), ()),
    "xenc11": ("xenc11.toml", (), ()),
    "ec": ("ec.toml", ("--as-name", "{me}-ec", "--peer-name", "{other}-ec"), ("--ec", "on")),
}


class Files:
    """The messages of one suite, each made once."""

    def __init__(self, b, suite):
        self.b, self.suite = b, suite
        policy, self.names, ec = SUITES[suite]
        self.policy = b.policy(policy)
        self.java = ("--suite", suite, *ec)

    def keys(self, role):
        me, other = ("client", "server") if role == "initiator" else ("server", "client")
        return ("--policy", self.policy, "--as", role, "--keys", self.b.keys, *(n.format(me=me, other=other) for n in self.names))

    def file(self, name):
        return f"{self.suite}-{name}.xml"

    def their_request(self, kind="plain", *more):
        def make():
            f = self.file(f"their-request-{kind}")
            self.b.java("wss4j4", "gen", "request", self.b.path(f), *self.java, *more)
            return f
        return self.b.once((self.suite, "their request", kind), make)

    def our_request(self, kind="plain", body=PAYLOAD):
        def make():
            clear = self.b.write(self.file(f"clear-{kind}"), envelope(body=body))
            f = self.file(f"our-request-{kind}")
            self.b.secure(f, clear, *self.keys("initiator"))
            return f
        return self.b.once((self.suite, "our request", kind), make)

    def their_reply(self, request, kind="plain", *more):
        def make():
            f = self.file(f"their-reply-{kind}-to-{request}")
            self.b.java("wss4j4", "gen", "response", self.b.path(f), "--request", self.b.path(request), *self.java, *more)
            return f
        return self.b.once((self.suite, "their reply", kind, request), make)

    def our_reply(self, request):
        def make():
            clear = self.b.write(self.file("clear-reply"), envelope())
            f = self.file(f"our-reply-to-{request}")
            self.b.secure(f, clear, *self.keys("recipient"), "--request", self.b.path(request))
            return f
        return self.b.once((self.suite, "our reply", request), make)

    def changed(self, message, what, change):
        return self.b.once((self.suite, "changed", what, message), lambda: self.b.changed(message, f"{what.replace(' ', '-')}-{message}", change))

    # verdicts
    def we_take_request(self, f):
        return self.note(self.b.verify(f, *self.keys("recipient")))

    def we_take_reply(self, f, request):
        return self.note(self.b.verify(f, *self.keys("initiator"), "--request", self.b.path(request)))

    @staticmethod
    def note(j):
        """A verified message says how each demanded part was protected."""
        body = [p for p in j.get("parts") or [] if p.get("part") == "/Envelope/Body"]
        if not body or not body[0].get("signed") or not body[0].get("encrypted"):
            raise Wrong(f"verified, but parts say {j.get('parts')}")
        return ""

    def they_take_request(self, f):
        return self.b.java("wss4j4", "check", "request", self.b.path(f), *self.java)

    def they_take_reply(self, f, request):
        return self.b.java("wss4j4", "check", "response", self.b.path(f), "--request", self.b.path(request), *self.java)


def register(b):
    for suite in SUITES:
        good(b, Files(b, suite))
        bad(b, Files(b, suite))
    variants(b, Files(b, "sha1"))
    crafted(b, Files(b, "sha1"))
    strangers(b, Files(b, "sha1"))


def good(b, f):
    def case(direction, what, function, *needs):
        b.case(PEER, direction, f"{f.suite}: {what}", "accepted", function, needs)
    case(OURS, "request", lambda: f.we_take_request(f.their_request()), "verify")
    case(THEIRS, "request", lambda: f.they_take_request(f.our_request()), "secure")
    case(OURS, "reply to our request", lambda: f.we_take_reply(f.their_reply(f.our_request()), f.our_request()), "secure", "verify")
    case(THEIRS, "reply to their request", lambda: f.they_take_reply(f.our_reply(f.their_request()), f.their_request()), "secure")
    case(OURS, "reply to their request, seen by us", lambda: f.we_take_reply(f.their_reply(f.their_request()), f.their_request()), "verify")


def bad(b, f):
    def case(direction, what, function, *needs):
        b.case(PEER, direction, f"{f.suite}: {what}", "refused", function, needs)
    common = tamper.COMMON + ([] if f.suite == "sha1" else tamper.TAG)
    for what, change in common:
        case(OURS, f"request, {what}", lambda w=what, c=change: f.we_take_request(f.changed(f.their_request(), w, c)), "verify")
        case(THEIRS, f"request, {what}", lambda w=what, c=change: f.they_take_request(f.changed(f.our_request(), w, c)), "secure")
    for what, change in common + tamper.REPLY:
        case(OURS, f"reply, {what}", lambda w=what, c=change: f.we_take_reply(f.changed(f.their_reply(f.our_request()), w, c), f.our_request()), "secure", "verify")
        case(THEIRS, f"reply, {what}", lambda w=what, c=change: f.they_take_reply(f.changed(f.our_reply(f.their_request()), w, c), f.their_request()), "secure")
    case(OURS, "reply to another request", lambda: f.we_take_reply(f.their_reply(f.our_request("other")), f.our_request()), "secure", "verify")
    case(THEIRS, "reply to another request", lambda: f.they_take_reply(f.our_reply(f.their_request("other")), f.their_request()), "secure")


def variants(b, f):
    """Forms that a peer may choose and that we take."""
    def case(direction, what, function, *needs):
        b.case(PEER, direction, what, "accepted", function, needs)
    for what, more in [
        ("PrefixList on everything", ("--prefixes", "on")),
        ("signing key by thumbprint, no token", ("--sign-ref", "thumbprint")),
        ("encryption key by SKI", ("--encrypt-ref", "ski")),
        ("encryption key by issuer and serial", ("--encrypt-ref", "issuer")),
    ]:
        case(OURS, f"sha1: request, {what}", lambda w=what, m=more: f.we_take_request(f.their_request(w.replace(" ", "-"), *m)), "verify")
    text = '<greetRequest xmlns="http://www.wso2.org/types"><!-- c --><name xml:lang="en" b="2" a="1">test me <![CDATA[<&>]]>&#13; \u00e9 \U0001F600</name><empty/></greetRequest>'
    case(THEIRS, "sha1: request, awkward characters", lambda: f.they_take_request(f.our_request("awkward", text)), "secure")

    def back():
        clear = b.write("awkward.xml", f'<soap:Envelope xmlns:soap="{SOAP12}" xmlns:un="urn:unused"><soap:Body>{text}</soap:Body></soap:Envelope>')
        return f.we_take_request(f.their_request("awkward", "--in", clear, "--prefixes", "on"))
    case(OURS, "sha1: request, awkward characters", back, "verify")


def crafted(b, f):
    """Well signed messages that break the policy: only a peer can make these."""
    def case(what, function, *needs):
        b.case(PEER, OURS, f"sha1: {what}", "refused", function, needs)
    for what, more in [("request not signed", ("--sign", "off")), ("request not encrypted", ("--encrypt", "off")),
                       ("request with SHA-256 and GCM", ("--suite", "gcm"))]:
        case(what, lambda w=what, m=more: f.we_take_request(f.their_request(w.replace(" ", "-"), *m)), "verify")
    for what, how in [("reply without SignatureConfirmation", "omit"), ("reply with a signed foreign confirmation", "foreign"),
                      ("reply with an unsigned confirmation", "unsigned")]:
        case(what, lambda h=how: f.we_take_reply(f.their_reply(f.our_request(), h, "--confirm", h), f.our_request()), "secure", "verify")
    case("request, another element with the Body's Id", lambda: f.we_take_request(f.changed(f.their_request(), "doubled Id", tamper.doubled_id)), "verify")
    case("request, signed body wrapped in Security", lambda: f.we_take_request(f.changed(f.their_request(), "wrapped in Security", tamper.wrapped_in_security)), "verify")


def strangers(b, f):
    """Right messages by the wrong people."""
    def case(direction, what, function, *needs):
        b.case(PEER, direction, f"sha1: request signed by {what}", "refused", function, needs)

    for who in ("expired", "revoked"):
        p12 = os.path.join(b.keys, f"{who}.p12")
        case(OURS, f"{who} client", lambda w=who, p=p12: f.we_take_request(f.their_request(w, "--client-p12", p)), "verify")

    def stranger():
        # its own Java process: the password of the key folder differs
        out = b.path("stranger.xml")
        b.must([*JAVA, "-cp", b.classpath("wss4j4"), "Rc", "gen", "request", out, "--keys", b.rogue,
                "--server-cert", os.path.join(b.keys, "server.pem"), *f.java])
        return "stranger.xml"
    case(OURS, "a stranger", lambda: f.we_take_request(b.once("stranger", stranger)), "verify")

    def stolen():
        with open(os.path.join(b.keys, "client2.pem")) as p:
            der = ssl.PEM_cert_to_DER_cert(p.read())
        return f.changed(f.their_request(), "token of client2", tamper.token(der))
    case(OURS, "client, with the token of client2", lambda: f.we_take_request(stolen()), "verify")

    def ours():
        clear = b.write("stranger-clear.xml", envelope())
        b.secure("stranger-ours.xml", clear, "--policy", f.policy, "--as", "initiator",
                 "--key", os.path.join(b.rogue, "client.key"), "--cert", os.path.join(b.rogue, "client.pem"),
                 "--peer", os.path.join(b.keys, "server.pem"), "--trust", os.path.join(b.keys, "ca.pem"))
        return f.they_take_request("stranger-ours.xml")
    case(THEIRS, "a stranger", ours, "secure")

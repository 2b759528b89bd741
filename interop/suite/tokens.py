"""UsernameTokens: the cases of tokens.tsv, every pair both ways, as files and over HTTP."""
import itertools
import os
import re
import time

from . import live, tamper
from .harness import HERE, SOAP11, SOAP12, Wrong, envelope, run
from .xml_peers import told

USER, WORD = "alice", "verySecret"
TOKEN = "{Element}{http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd}UsernameToken"
# what WSS4J has to say of a message that it accepts
SAID = {"unt2a": ["signed=UsernameToken"], "unt2b": ["signed=UsernameToken"], "unt3": ["encrypted=UsernameToken"], "utb": ["signed=Body"],
        "unt4a": ["signed=UsernameToken", "encrypted=UsernameToken"], "unt4b": ["signed=UsernameToken", "encrypted=UsernameToken"],
        "both": ["signed=UsernameToken", "signed=Body", "encrypted=UsernameToken", "encrypted=Body"]}
NEEDS = {"verify": "verify --users", "secure": "secure --user", "serve": "serve --users", "call": "call --user"}
DIRECTIONS = {"verify": "theirs → ours", "secure": "ours → theirs", "serve": "their client → serve", "call": "call → their server"}


class Peer:
    """A peer that makes (`gen`), checks, calls and serves; what it cannot do is in no line of the table."""

    seconds = False  # it writes whole seconds

    def __init__(self, b):
        self.b = b

    def process(self, *args):
        a = run(args)
        told(a, self.name)
        return a.out


class Wss4j15(Peer):
    """`both` is unt4a with the Body as a further part, signed and encrypted."""
    name = "WSS4J 1.5.12"
    BODY = "{%s}{" + SOAP11 + "}Body"
    BOTH = ("--signed", f"{TOKEN};{BODY % ''}", "--encrypted", f"{TOKEN};{BODY % 'Content'}")

    def java(self, verb, scenario, *args):
        both = scenario == "both"
        return self.b.java("wss4j15", verb, "unt4a" if both else scenario, *args, *(self.BOTH if both else ()))

    def gen(self, scenario, out, options):
        self.java("gen", scenario, out, *options)

    def check(self, scenario, file, options):
        return self.java("check", scenario, file, *options)

    def call(self, scenario, url, options):
        return self.java("call", scenario, url, *options)

    def server(self, scenario, options):
        options = tuple(o for o in options if o not in ("--soap", "1.1", "1.2"))  # it answers both

        return self.b.java_server("wss4j15", *options) + ("unt4a" if scenario == "both" else scenario)


class Wss4j4(Peer):
    """Action mode too; `utb` is UsernameTokenSignature over the Body, which has a key of the profile 1.1 here."""
    name = "WSS4J 4.0.1"
    ACTIONS = {"unt1": ("--actions", "UsernameToken Timestamp"),
               "unt3": ("--actions", "UsernameToken Encryption Timestamp", "--encrypted", TOKEN),
               "utb": ("--actions", "UsernameTokenSignature Timestamp", "--results", "UsernameTokenSignature UsernameTokenNoPassword Timestamp")}

    def gen(self, scenario, out, options):
        self.b.java("wss4j4", "token-gen", out, *self.ACTIONS[scenario], *options)

    def check(self, scenario, file, options):
        return self.b.java("wss4j4", "token-check", file, *self.ACTIONS[scenario], *self.receives(scenario), *options)

    @staticmethod
    def receives(scenario):
        """What a scenario of ours uses, which this one takes only if it is told."""
        return ("--transport", "rsa15") if scenario == "unt3" else ()

    def call(self, scenario, url, options):
        return self.b.java("wss4j4", "token-call", url, *self.ACTIONS[scenario], *options)

    def server(self, scenario, options):
        return self.b.java_server("wss4j4", *self.ACTIONS[scenario], *self.receives(scenario), *options)


class Gsoap(Peer):
    name = "gSOAP 2.8.124"
    seconds = True

    def binary(self, *args):
        return self.process(os.path.join(HERE, "gsoap", "target", "peer"), *args)

    def gen(self, _, out, options):
        self.binary("gen", out, *options)

    def check(self, _, file, options):
        return self.binary("check", file, *options)

    def call(self, _, url, options):
        return self.binary("call", url, *options)

    def server(self, _, options):
        return self.b.server("gsoap", [os.path.join(HERE, "gsoap", "target", "peer"), "serve", "{port}", *options])


class Zeep(Peer):
    name = "zeep 4.3.3"
    seconds = True

    def python(self, *args):
        return self.process(self.b.python, os.path.join(HERE, "python", "peer_zeep.py"), *args)

    def gen(self, _, out, options):
        self.python("sign", clear(self.b, SOAP12), out, *options)

    def call(self, _, url, options):
        return self.python("call", url, *options)


class Node(Peer):
    name = "node-soap 1.13.0"
    seconds = True

    def node(self, *args):
        return self.process("node", os.path.join(HERE, "node", "peer_token.js"), *args)

    def gen(self, _, out, options):
        self.node("gen", out, *options)

    def call(self, _, url, options):
        return self.node("call", url, *options)


PEERS = {"wss4j15": Wss4j15, "wss4j4": Wss4j4, "gsoap": Gsoap, "zeep": Zeep, "node": Node}


# ---- changes to a message on its way --------------------------------------------------------------------------------

def inner(local, f):
    """Changes the text of the first element `local` behind the name of the user."""
    pattern = re.compile(rb"(<(" + tamper.NAME + rb"Username)(?=[\s>]).*?<(" + tamper.NAME + local + rb")(?=[\s>])[^>]*>)([^<]*)(</\3\s*>)", re.S)
    return lambda data: tamper.sub(pattern, lambda m: m[1] + f(m[4]) + m[5], data, local.decode())


def doubled(data):
    """The token stands there twice, the second with another Id."""
    m = tamper.element(b"UsernameToken").search(data)
    if not m:
        raise ValueError("no UsernameToken")
    again = re.sub(rb"(Id=[\"'])", rb"\1x", m[0], count=1)
    return data[:m.end()] + again + data[m.end():]


def id_in_clear(data):
    """A header block in clear has the Id that the encrypted token will have: it must not be taken for it."""
    m = re.search(rb"Reference URI=([\"'])#(UsernameToken-[^\"']*)\1", data)
    head = re.search(rb"</" + tamper.NAME + rb"Header\s*>", data)
    if not m or not head:
        raise ValueError("no reference to a token")
    extra = (b"<w:Extra xmlns:w=\"urn:wrapper\" xmlns:u=\"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd\" u:Id=\""
             + m[2] + b"\"/>")
    return data[:head.start()] + extra + data[head.start():]


CHANGES = {
    "username": lambda d: tamper.sub(re.compile(rb"(Username>)alice"), rb"\1alicf", d, "Username"),
    "password": lambda d: tamper.sub(re.compile(rb"verySecret"), b"verySecreu", d, "Password"),
    "nonce": inner(b"Nonce", lambda t: tamper.flip_base64(t, 0.5)),
    "created": inner(b"Created", lambda t: re.sub(rb"\d(?=[Z.])", lambda m: str((int(m[0]) + 1) % 10).encode(), t, count=1)),
    "salt": tamper.leaf(b"Salt"),
    "iteration": inner(b"Iteration", lambda t: str(int(t) + 1).encode()),
    "signature value": tamper.signature_value,
    "digest": tamper.digest,
    "signature removed": tamper.no_signature,
    "encrypted key": tamper.key_cipher,
    "token cipher": tamper.leaf(b"CipherValue", 0.5, b"EncryptedData"),
    "body cipher": tamper.body_cipher,
    "body": lambda d: tamper.sub(re.compile(rb"test me"), b"test us", d, "body"),
    "Timestamp removed": tamper.without(b"Timestamp"),
    "token removed": tamper.without(b"UsernameToken"),
    "header removed": tamper.no_security,
    "token doubled": doubled,
    "Id in clear": id_in_clear,
}


# ---- our side -------------------------------------------------------------------------------------------------------

def clear(b, ns):
    name = "token-clear-11.xml" if ns == SOAP11 else "token-clear-12.xml"
    return b.write(name, envelope(ns))


def users(b):
    return b.once("users.toml", lambda: b.write("users.toml", f'[{USER}]\npassword = "{WORD}"\n'))


def word(b):
    return b.once("word", lambda: b.write("word", WORD + "\n"))


class Case:
    def __init__(self, b, peer, scenario, options, change, policy):
        self.b, self.peer, self.scenario, self.options, self.change = b, PEERS[peer](b), scenario, options, change
        self.policy = f"scenario:{scenario}" if policy == "-" else b.policy(policy)
        self.key = (peer, scenario, options, policy)

    def soap(self):
        return self.options[self.options.index("--soap") + 1] if "--soap" in self.options else "1.2" if isinstance(self.peer, (Wss4j4, Zeep, Node, Gsoap)) else "1.1"

    def made(self, who, make):
        """The message of a side, made once, with the change of this case."""
        def file():
            name = f"token-{len(self.b.made)}.xml"
            make(self.b.path(name))
            return name
        name = self.b.once((who, *self.key), file)
        if not self.change:
            return name
        return self.b.changed(name, f"changed-{name}", CHANGES[self.change])

    def theirs(self):
        return self.made("theirs", lambda out: self.peer.gen(self.scenario, out, self.options))

    def ours(self):
        def make(out):
            self.b.secure(os.path.basename(out), clear(self.b, SOAP11 if self.soap() == "1.1" else SOAP12), "--policy", self.policy, "--as", "initiator",
                          "--keys", self.b.keys, "--user", USER, "--password-file", word(self.b))
        return self.made("ours", make)

    def verify(self):
        j = self.b.verify(self.theirs(), "--policy", self.policy, "--as", "recipient", "--keys", self.b.keys, "--users", users(self.b))
        who = (j.get("caller") or {}).get("name")
        if who != (None if "none" in self.options else USER):  # a name without a password proves nobody
            raise Wrong(f"the caller is {who!r}")

    def secure(self):
        file = self.b.path(self.ours())
        text = self.peer.check(self.scenario, file, self.options)
        if any(word not in text for word in [f"user={USER}", *SAID.get(self.scenario, [])]):
            raise Wrong(f"another answer: {text}")

    def serve(self):
        body_is_open = self.scenario not in ("both", "utb")  # and a service has to say that it means that
        url = live.our_server(self.b, self.policy, "--users", users(self.b), *(("--open",) if body_is_open else ()))
        if self.peer.seconds:  # a token that could be older than the server's memory of tokens is refused
            self.b.once(("a second", url), lambda: time.sleep(1))
        if "answer test me" not in self.peer.call(self.scenario, url, self.options):
            raise Wrong("another answer")

    def call(self):
        live.call(self.b, self.policy, self.peer.server(self.scenario, self.options), self.soap(), ("--user", USER, "--password-file", word(self.b)))

    def itself(self):
        """The peer's message checked by the peer, which knows the right user and password."""
        return self.peer.check(self.scenario, self.b.path(self.theirs()), pick(self.options, "--cipher", "--enc-id", "--type"))


def pick(options, *names):
    """The options of these names, with their values."""
    return tuple(o for i, o in enumerate(options) if o in names or (i and options[i - 1] in names))


def spread(text):
    """The options of a line: one tuple for each combination of its braces."""
    if text == "-":
        return [()]
    parts = [p[1:-1].split(",") if p.startswith("{") else [p] for p in text.split(" ")]
    return list(itertools.product(*parts))


def table():
    with open(os.path.join(HERE, "tokens.tsv"), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                peer, scenario, verbs, options, change, expected, policy = line.rstrip("\n").split("\t")
                for o in spread(options):
                    yield peer, scenario, verbs.split(","), o, "" if change == "-" else change, expected, policy


def what(scenario, options, change):
    said = " ".join(o.removeprefix("--") if o not in ("--enc-id", "--transport", "--cipher") else "" for o in options).split()
    verb = "" if change.endswith(("removed", "doubled", "in clear")) else " changed"
    return ", ".join([scenario, *([" ".join(said)] if said else []), *([change + verb] if change else [])])


def register(b):
    for peer, scenario, verbs, options, change, expected, policy in table():
        c = Case(b, peer, scenario, options, change, policy)
        for verb in verbs:
            b.case(c.peer.name, DIRECTIONS[verb], what(scenario, options, change), expected, getattr(c, verb), (NEEDS[verb],))


def register_among_peers(b):
    """The peers among themselves, where only a change or a wrong person is a reason to refuse: what our policy adds is not theirs."""
    seen = set()
    for peer, scenario, verbs, options, change, _, policy in table():
        c = Case(b, peer, scenario, options, change, policy)
        expected = "refused" if change or {"--word", "--user"} & set(options) else "accepted"
        name = what(scenario, options, change)
        if "verify" in verbs and hasattr(c.peer, "check") and (peer, name) not in seen:
            b.case(c.peer.name, "→ itself", name, expected, c.itself)
        if "serve" in verbs:
            # the small clients have no server of their own: gSOAP's takes them
            server, with_options = (c.peer, pick(options, "--cipher", "--enc-id", "--transport", "--type")) if hasattr(c.peer, "server") else (Gsoap(b), ())
            b.case(c.peer.name, f"client → {server.name}", name, expected,
                   lambda c=c, s=server, o=with_options: c.peer.call(c.scenario, s.server(c.scenario, o), c.options))
        seen |= {(peer, name)}

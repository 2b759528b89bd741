"""What every case stands on: processes with time limits, keys, the table of results.

A case is a function that returns nothing when the verdict seen is the verdict expected, and raises otherwise:
`Wrong` (the peers disagree), `Skip` (something is not there). Nothing outlives the run: every process is started in
its own group and ended by `Bench.close`.
"""
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIMIT = 120  # seconds for one command; long, because a busy machine starts a JVM slowly
PAYLOAD = "<greetRequest xmlns=\"http://www.wso2.org/types\"><name>test me</name></greetRequest>"
ACTION = "http://example.com/ws/2004/09/policy/Test/EchoRequest"
SOAP11, SOAP12 = "http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"
# Java program: its class
MAINS = {"wss4j15": "Unt", "wss4j4": "Rc", "cxf": "Cxf", "rampart": "Ramp"}
JAVA = ["java", "-Xmx256m", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dfile.encoding=UTF-8"]


class Wrong(Exception):
    """The verdict seen is not the one expected, or a side could not do its part."""


class Skip(Exception):
    """The case cannot run here; the reason is printed."""


def envelope(ns=SOAP12, body=PAYLOAD, prefix="s"):
    return f'<{prefix}:Envelope xmlns:{prefix}="{ns}"><{prefix}:Body>{body}</{prefix}:Body></{prefix}:Envelope>'


def altered(data, change):
    """A change that must have found its place."""
    try:
        return change(data)
    except ValueError as e:
        raise Wrong(f"not changed: {e}") from None


class Answer:
    """What a command said: exit code, stdout, stderr."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    @property
    def why(self):
        text = (self.err.strip() or self.out.strip()).splitlines()
        return text[0][:300] if text else f"exit code {self.code}"


def run(args, limit=LIMIT, stdin=None, env=None, cwd=None):
    """Runs a command to its end; a command over its time is ended with its children and counts as wrong."""
    p = subprocess.Popen(args, stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         start_new_session=True, env=env, cwd=cwd)
    try:
        out, err = p.communicate(stdin, timeout=limit)
    except subprocess.TimeoutExpired:
        end(p)
        raise Wrong(f"{os.path.basename(args[0])} did not end within {limit} s") from None
    return Answer(p.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))


def end(p, patience=5):
    """Ends a process that we started, and its group."""
    if p.poll() is None:
        for s, wait in ((signal.SIGTERM, patience), (signal.SIGKILL, patience)):
            try:
                os.killpg(p.pid, s)
            except ProcessLookupError:
                break
            try:
                p.wait(wait)
                break
            except subprocess.TimeoutExpired:
                continue
    for stream in (p.stdin, p.stdout, p.stderr):
        if stream:
            stream.close()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Lines:
    """A child process that is read line by line, each with a time limit."""

    def __init__(self, args, log, env=None):
        self.name = os.path.basename(args[0])
        self.log = open(log, "wb")
        self.p = subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, start_new_session=True, env=env)
        self.buffer = b""

    def line(self, limit=LIMIT):
        until = time.monotonic() + limit
        while b"\n" not in self.buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.p.stdout], [], [], left)[0]:
                raise Wrong(f"{self.name}: no answer within {limit} s")
            data = os.read(self.p.stdout.fileno(), 65536)
            if not data:
                self.log.flush()
                with open(self.log.name, "rb") as f:
                    tail = f.read()[-300:].decode("utf-8", "replace").strip().replace("\n", " / ")
                raise Wrong(f"{self.name} ended: {tail}")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\n", 1)
        return text.decode("utf-8", "replace")

    def wait_for(self, pattern, limit=LIMIT):
        """Reads until a line matches; returns the match."""
        while True:
            m = re.search(pattern, self.line(limit))
            if m:
                return m

    def close(self):
        end(self.p)
        self.log.close()


class Row:
    def __init__(self, peer, direction, what, expected, function, needs):
        self.peer, self.direction, self.what, self.expected = peer, direction, what, expected
        self.function, self.needs = function, needs
        self.seen, self.status, self.note, self.seconds = "", "", "", 0.0

    @property
    def name(self):
        return f"{self.peer} | {self.direction} | {self.what}"


class Bench:
    """Holds the folders, the binary, the running peers, the cases and their results."""

    def __init__(self, binary):
        self.bin = binary
        self.folder = tempfile.mkdtemp(prefix="interop-")
        self.rows, self.children, self.made, self.batches = [], [], {}, {}
        self.node = os.path.join(HERE, "node")
        self.python = os.path.join(HERE, ".cache", "venv", "bin", "python")
        self._verbs = None
        self.keys, self.rogue = os.path.join(self.folder, "keys"), os.path.join(self.folder, "rogue")
        os.mkdir(os.path.join(self.folder, "state"))

    # ---- files and keys ----------------------------------------------------------------------------------------

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def write(self, name, data):
        with open(self.path(name), "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())
        return self.path(name)

    def changed(self, source, out, change):
        """The file `out`: `source` with a change that must have found its place."""
        self.write(out, altered(self.read(source), change))
        return out

    def policy(self, name):
        return os.path.join(HERE, "policies", name)

    def make_keys(self):
        """The main folder by the binary if it can, the strangers' always by our own script. Returns who made the first."""
        self.must([self.python, os.path.join(HERE, "python", "keys.py"), self.rogue])
        if self.can("keys"):
            a = self.bartizan("keys", "demo", self.keys)
            if a.code == 0:
                return "bartizan keys demo"
            shutil.rmtree(self.keys, ignore_errors=True)
        self.must([self.python, os.path.join(HERE, "python", "keys.py"), self.keys])
        return "keys.py"

    def must(self, args, **more):
        a = run(args, **more)
        if a.code != 0:
            raise Wrong(f"{os.path.basename(args[0])}: {a.why}")
        return a

    # ---- the binary --------------------------------------------------------------------------------------------

    def can(self, verb):
        """Whether the binary lists the verb in its help; `verb --option`: and the option in the verb's."""
        verb, _, option = verb.partition(" ")
        if option:
            return self.can(verb) and self.once(("option", verb, option), lambda: re.search(rf"{option}\b", run([self.bin, "help", verb], limit=30).out) is not None)
        if self._verbs is None:
            self._verbs = set()
            if self.bin and os.access(self.bin, os.X_OK):
                a = run([self.bin, "--help"], limit=30)
                self._verbs = set(re.findall(r"^\s{2,}([a-z0-9]+)\b", a.out, re.M))
        return verb in self._verbs

    def bartizan(self, *args, limit=LIMIT, stdin=None):
        env = dict(os.environ, XDG_STATE_HOME=self.path("state"), NO_COLOR="1")
        return run([self.bin, *args], limit=limit, stdin=stdin, env=env)

    def secure(self, out, *args):
        """Our secured message in the file `out`."""
        a = self.bartizan("secure", *args, "-o", self.path(out))
        if a.code != 0 or not os.path.exists(self.path(out)):
            raise Wrong(f"secure: exit code {a.code}: {a.why}")
        return self.path(out)

    def verify(self, message, *args, body=b"test me"):
        """Our verdict on a message: nothing, or `Refused` with the reason. Checks what the answer promises."""
        clear = self.path("clear.xml")
        if os.path.exists(clear):
            os.remove(clear)
        a = self.bartizan("verify", self.path(message), "--json", "-o", clear, *args)
        if a.code == 2:
            raise Wrong(f"verify could not run: {a.why}")
        try:
            j = json.loads(a.out)
        except ValueError:
            raise Wrong(f"verify --json: exit code {a.code}, no JSON: {a.why}") from None
        if a.code == 0:
            if j.get("verdict") != "verified":
                raise Wrong(f"exit code 0 with the verdict {j.get('verdict')!r}")
            if not os.path.exists(clear) or body not in self.read("clear.xml"):
                raise Wrong("verified, but the clear body is not what was sent")
            return j
        if j.get("verdict") != "refused" or not j.get("reason"):
            raise Wrong(f"exit code {a.code} without a reason: {a.out[:200]}")
        if os.path.exists(clear):
            raise Wrong("refused, but the output file was written")
        raise Refused(j["reason"])

    # ---- peers -------------------------------------------------------------------------------------------------

    def classpath(self, module):
        target = os.path.join(HERE, "java", module, "target")
        if not os.path.isdir(os.path.join(target, "classes")):
            raise Skip(f"{module} is not built")
        return f"{target}/classes:{target}/lib/*"

    def java(self, module, *args):
        """One command of a Java program, in its long-lived batch process. Raises Refused or Wrong."""
        if module not in self.batches:
            p = Lines([*JAVA, "-cp", self.classpath(module), MAINS[module], "batch", "--keys", self.keys], self.path(f"{module}.log"))
            self.children.append(p)
            p.wait_for("^ready$")
            self.batches[module] = p
        p = self.batches[module]
        p.p.stdin.write(("\t".join(args) + "\n").encode())
        p.p.stdin.flush()
        code, _, text = p.line().partition("\t")
        if code == "1":
            raise Refused(text)
        if code != "0":
            raise Wrong(f"{module}: {text}")
        return text

    def start(self, name, args, ready):
        """A server; returns the match of its readiness line."""
        env = dict(os.environ, XDG_STATE_HOME=self.path("state"), NO_COLOR="1")
        p = Lines(args, self.path(f"{name}.log"), env)
        self.children.append(p)
        return p, p.wait_for(ready)

    def server(self, name, args):
        """The root of a peer's server, which is started with `args`, a free port and `more`, when it is first wanted."""
        def make():
            port = free_port()
            self.start(f"{name}-server-{port}", [str(port) if x == "{port}" else x for x in args], r"^ready \d+")
            return f"http://127.0.0.1:{port}/"
        return self.once(("server", *args), make)

    def java_server(self, module, *more):
        return self.server(module, [*JAVA, "-cp", self.classpath(module), MAINS[module], "serve", "{port}", "--keys", self.keys, *more])

    def once(self, key, make):
        """The result of make(), made once; a failure is remembered as well."""
        if key not in self.made:
            try:
                self.made[key] = (make(), None)
            except Exception as e:  # noqa: BLE001 (kept for the other cases that want it)
                self.made[key] = (None, e)
        value, error = self.made[key]
        if error:
            raise error
        return value

    # ---- cases -------------------------------------------------------------------------------------------------

    def case(self, peer, direction, what, expected, function, needs=()):
        """`expected` is "accepted" or "refused"; the function raises Refused for the latter."""
        self.rows.append(Row(peer, direction, what, expected, function, needs))

    def perform(self, row):
        began = time.monotonic()
        try:
            missing = [v for v in row.needs if not self.can(v)]
            if missing:
                raise Skip("the binary has no verb " + ", ".join(missing))
            row.note = row.function() or ""
            row.seen = "accepted"
        except Refused as e:
            row.seen, row.note = "refused", str(e)
        except Skip as e:
            row.seen, row.status, row.note = "-", "skipped", str(e)
        except Wrong as e:
            row.seen, row.note = "error", str(e)
        except Exception as e:  # noqa: BLE001 (one broken case must not hide the others)
            row.seen, row.note = "error", f"{type(e).__name__}: {e} ({traceback.extract_tb(e.__traceback__)[-1].name})"
        if not row.status:
            row.status = "ok" if row.seen == row.expected else "FAIL"
        if not isinstance(row.note, str):
            row.note = ""
        row.seconds = time.monotonic() - began

    def close(self, keep=False):
        for p in self.children:
            p.close()
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)


class Refused(Exception):
    """The answer "no" of either side."""

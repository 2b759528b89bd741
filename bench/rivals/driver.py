"""python-xmlsec and lxml, driven by the Rust program over standard input and output.

One command a line, one answer a line: `ok ...` or `no REASON`. The Rust program writes documents and keys into FOLDER
(the only argument) and says when it is this process's turn, so turns interleave with those of the other engines. Times
are CPU times of this thread.

  check CASE             does a case with FOLDER/check/* and writes FOLDER/answer
  turns CASE SIZE COUNT  reads FOLDER/SIZE/0..COUNT-1
  turn MICROS BATCH      works for at least so long; answers µs of one operation
"""

import os
import sys
import time

from lxml import etree

try:
    import xmlsec
except ImportError:
    xmlsec = None

FOLDER = sys.argv[1]
WSU = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"
SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
XENC = "http://www.w3.org/2001/04/xmlenc#"
DS = "http://www.w3.org/2000/09/xmldsig#"
BODY, TIMESTAMP = f"{{{SOAP}}}Body", f"{{{WSU}}}Timestamp"
# What stands in a document of each kind; the case says which one it takes.
KINDS = ("unsigned", "template", "signed", "sealed")
TAKES = {"parse": "unsigned", "c14n": "unsigned", "verify": "signed", "sign": "template", "encrypt": "unsigned",
         "decrypt": "sealed"}


def octets(*names):
    with open(os.path.join(FOLDER, *names), "rb") as file:
        return file.read()


def key():
    return xmlsec.Key.from_file(os.path.join(FOLDER, "key.pem"), xmlsec.KeyFormat.PEM)


if xmlsec is not None:
    KEY = key()
    MANAGER = xmlsec.KeysManager()
    MANAGER.add_key(key())
    SEALING = octets("sealing.xml")


def context(root):
    """A fresh context (it cannot be used twice) that knows the Ids of both parts."""
    made = xmlsec.SignatureContext()
    made.key = KEY
    made.register_id(root.find(BODY), "Id", WSU)
    made.register_id(root.find(f".//{TIMESTAMP}"), "Id", WSU)
    return made


def verify(text):
    root = etree.fromstring(text)
    signatures = root.findall(f".//{{{DS}}}Signature")
    if len(signatures) != 1:
        raise ValueError("not one signature")
    context(root).verify(signatures[0])


def sign(text):
    root = etree.fromstring(text)
    context(root).sign(root.find(f".//{{{DS}}}Signature"))
    return etree.tostring(root)


def encrypt(text):
    root = etree.fromstring(text)
    body = root.find(BODY)
    template = etree.fromstring(SEALING)
    # A template is a part of the document that it is for; libxmlsec moves it to its place.
    root.append(template)
    made = xmlsec.EncryptionContext(MANAGER)
    made.key = xmlsec.Key.generate(xmlsec.constants.KeyDataAes, 256, xmlsec.constants.KeyDataTypeSession)
    made.encrypt_xml(template, body)
    return etree.tostring(root)


def decrypt(text):
    root = etree.fromstring(text)
    data = root.find(f".//{{{XENC}}}EncryptedData")
    xmlsec.EncryptionContext(MANAGER).decrypt(data)
    return etree.tostring(root)


def canonical(root):
    return etree.tostring(root.find(BODY), method="c14n", exclusive=True, with_comments=False)


ACTS = {"parse": etree.fromstring, "c14n": canonical, "verify": verify, "sign": sign, "encrypt": encrypt,
        "decrypt": decrypt}


def check(case):
    text = octets("check", TAKES[case])
    if case == "parse":
        answer = str(sum(1 for _ in etree.fromstring(text).iter("*"))).encode()
    elif case == "c14n":
        answer = canonical(etree.fromstring(text))
    else:
        answer = ACTS[case](text) or b""
    with open(os.path.join(FOLDER, "answer"), "wb") as file:
        file.write(answer)
    return "ok"


class Turns:
    """A case over a rotation of documents."""

    def __init__(self, case, size, count):
        texts = [octets(size, str(at), TAKES[case]) for at in range(int(count))]
        self.inputs = [etree.fromstring(text) for text in texts] if case == "c14n" else texts
        self.act, self.next = ACTS[case], 0

    def turn(self, least, batch):
        act, inputs, spent, done = self.act, self.inputs, 0.0, 0
        while done == 0 or spent < least:
            ready = [inputs[(self.next + at) % len(inputs)] for at in range(batch)]
            self.next = (self.next + batch) % len(inputs)
            start = time.thread_time()
            for one in ready:
                act(one)
            spent += (time.thread_time() - start) * 1e6
            done += batch
        return f"ok {spent / done}"


def main():
    have = f"lxml {etree.__version__} libxml2 {'.'.join(map(str, etree.LIBXML_VERSION))}"
    if xmlsec is not None:
        have += f" xmlsec {xmlsec.__version__} libxmlsec {'.'.join(map(str, xmlsec.get_libxmlsec_version()))}"
    print(f"ok {have}", flush=True)
    turns = None
    for line in sys.stdin:
        word, *rest = line.split()
        try:
            if word == "check":
                answer = check(rest[0])
            elif word == "turns":
                turns, answer = Turns(*rest), "ok"
            else:
                answer = turns.turn(float(rest[0]), int(rest[1]))
        except Exception as error:  # Whatever a library raises is its answer.
            answer = f"no {type(error).__name__}: {error}".replace("\n", " ")
        print(answer, flush=True)


main()

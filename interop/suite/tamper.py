"""Changes to a secured message, made on its text so that nothing else of it moves.

Each function takes and returns octets and raises ValueError when there is nothing to change.
"""
import base64
import re

NAME = rb"(?:[\w.-]+:)?"


def element(local):
    return re.compile(rb"<(" + NAME + local + rb")(?=[\s>])[^>]*>.*?</\1\s*>", re.S)


def sub(pattern, replacement, data, what):
    out, n = pattern.subn(replacement, data, count=1)
    if n != 1 or out == data:
        raise ValueError(f"no {what} to change")
    return out


def flip_base64(text, at):
    """One bit of the octet at the fraction `at` of the decoded text."""
    raw = bytearray(base64.b64decode(re.sub(rb"&#13;|\s", b"", text)))
    raw[min(int(len(raw) * at), len(raw) - 1)] ^= 1
    return base64.b64encode(bytes(raw))


def leaf(local, at=0.5, within=None):
    """Flips a bit in the first element `local` (after the first `within`)."""
    pattern = re.compile(rb"(<(" + NAME + local + rb")(?=[\s>])[^>]*>)([^<]*)(</\2\s*>)", re.S)

    def change(data):
        start = 0
        if within:
            m = re.search(rb"<" + NAME + within + rb"(?=[\s>])", data)
            if not m:
                raise ValueError(f"no {within.decode()}")
            start = m.start()
        head, tail = data[:start], data[start:]
        return head + sub(pattern, lambda m: m[1] + flip_base64(m[3], at) + m[4], tail, local.decode())
    return change


def open_tag(data, local):
    return re.search(rb"<(" + NAME + local + rb")(?=[\s>])([^>]*)>", data)


def wrapped_body(data):
    """XSW: the signed Body moves into a header block, a forged one without an Id takes its place."""
    m = element(b"Body").search(data)
    head = re.search(rb"</" + NAME + rb"Header\s*>", data)
    if not m or not head:
        raise ValueError("no Body or Header")
    name = m[1]
    forged = b"<" + name + b"><greetRequest xmlns=\"http://www.wso2.org/types\"><name>forged</name></greetRequest></" + name + b">"
    wrapper = b"<w:Wrapper xmlns:w=\"urn:wrapper\">" + m[0] + b"</w:Wrapper>"
    return data[:head.start()] + wrapper + data[head.start():m.start()] + forged + data[m.end():]


def wrapped_in_security(data):
    """The same, with the signed Body inside the Security header."""
    m = element(b"Body").search(data)
    sec = re.search(rb"</" + NAME + rb"Security\s*>", data)
    if not m or not sec:
        raise ValueError("no Body or Security")
    name = m[1]
    forged = b"<" + name + b"><greetRequest xmlns=\"http://www.wso2.org/types\"><name>forged</name></greetRequest></" + name + b">"
    wrapper = b"<w:Wrapper xmlns:w=\"urn:wrapper\">" + m[0] + b"</w:Wrapper>"
    return data[:sec.start()] + wrapper + data[sec.start():m.start()] + forged + data[m.end():]


def doubled_id(data):
    """A second element with the Body's Id stands in front of the Body."""
    m = open_tag(data, b"Body")
    ident = re.search(rb"(?:[\w.-]+:)?[iI]d=([\"'])(.*?)\1", m[2]) if m else None
    head = re.search(rb"</" + NAME + rb"Header\s*>", data)
    if not ident or not head:
        raise ValueError("no Body with an Id, or no Header")
    extra = (b"<w:Extra xmlns:w=\"urn:wrapper\" xmlns:u=\"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd\" u:Id=\""
             + ident[2] + b"\"/>")
    return data[:head.start()] + extra + data[head.start():]


def without(local):
    """Removes the first element of that name."""
    pattern = re.compile(rb"<(" + NAME + local + rb")(?=[\s>/])(?:[^>]*/>|[^>]*>.*?</\1\s*>)", re.S)
    return lambda data: sub(pattern, b"", data, local.decode())


def foreign_confirmation(data):
    """Flips a bit in the Value of the SignatureConfirmation."""
    pattern = re.compile(rb"(<" + NAME + rb"SignatureConfirmation\b[^>]*?\sValue=([\"']))(.*?)(\2)", re.S)
    return sub(pattern, lambda m: m[1] + flip_base64(m[3], 0.5) + m[4], data, "SignatureConfirmation")


def token(certificate):
    """Puts another certificate (DER) into the BinarySecurityToken."""
    pattern = re.compile(rb"(<(" + NAME + rb"BinarySecurityToken)(?=[\s>])[^>]*>)([^<]*)(</\2\s*>)", re.S)
    return lambda data: sub(pattern, lambda m: m[1] + base64.b64encode(certificate) + m[4], data, "BinarySecurityToken")


body_cipher = leaf(b"CipherValue", 0.5, b"Body")
body_cipher_last = leaf(b"CipherValue", 1.0, b"Body")
key_cipher = leaf(b"CipherValue", 0.5, b"EncryptedKey")
signature_value = leaf(b"SignatureValue")
digest = leaf(b"DigestValue")
no_signature = without(b"Signature")
no_confirmation = without(b"SignatureConfirmation")
no_security = without(b"Security")

# What either side must refuse, whoever made the message.
COMMON = [
    ("body cipher flipped", body_cipher),
    ("encrypted key flipped", key_cipher),
    ("signature value flipped", signature_value),
    ("digest flipped", digest),
    ("signed body wrapped in a header", wrapped_body),
    ("signature removed", no_signature),
    ("Security header removed", no_security),
]
# Only where the cipher is authenticated: a changed last block of CBC may be padding alone.
TAG = [("authentication tag flipped", body_cipher_last)]
REPLY = [
    ("SignatureConfirmation removed", no_confirmation),
    ("SignatureConfirmation changed", foreign_confirmation),
]

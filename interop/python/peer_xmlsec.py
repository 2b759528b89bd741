"""python-xmlsec as a peer: works on templates, as the library does.

    sign      IN OUT  --key PEM | --secret FILE   [--cert PEM]      IN holds an empty ds:Signature
    verify    IN      --cert PEM | --pub PEM | --secret FILE
    encrypt   IN OUT  --cert PEM | --secret FILE  --template FILE --target ID [--content]
    decrypt   IN OUT  --key PEM | --secret FILE

--name NAME names the key. Every attribute Id of the document is an ID. Exit codes: 0 yes, 1 refused, 2 could not run.
"""
import argparse
import sys

import xmlsec
from lxml import etree

DS, XENC = "http://www.w3.org/2000/09/xmldsig#", "http://www.w3.org/2001/04/xmlenc#"


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("verb", choices=["sign", "verify", "encrypt", "decrypt"])
    p.add_argument("input")
    p.add_argument("output", nargs="?")
    for name in ("key", "cert", "pub", "secret", "template", "target", "name", "secret-kind"):
        p.add_argument("--" + name)
    p.add_argument("--content", action="store_true")
    return p.parse_args()


def key(a):
    if a.secret:
        kind = getattr(xmlsec.constants, "KeyData" + (a.secret_kind or "Hmac"))
        k = xmlsec.Key.from_binary_file(kind, a.secret)
    elif a.key:
        k = xmlsec.Key.from_file(a.key, xmlsec.constants.KeyDataFormatPem)
        if a.cert:
            k.load_cert_from_file(a.cert, xmlsec.constants.KeyDataFormatPem)
    elif a.cert:
        k = xmlsec.Key.from_file(a.cert, xmlsec.constants.KeyDataFormatCertPem)
    else:
        k = xmlsec.Key.from_file(a.pub, xmlsec.constants.KeyDataFormatPem)
    if a.name:
        k.name = a.name
    return k


def load(path):
    doc = etree.parse(path, etree.XMLParser(resolve_entities=False, no_network=True, remove_blank_text=False))
    xmlsec.tree.add_ids(doc.getroot(), ["Id"])
    return doc


def by_id(doc, ident):
    found = doc.xpath("//*[@Id=$i]", i=ident) if ident else [doc.getroot()]
    if len(found) != 1:
        sys.exit(f"no element {ident}")
    return found[0]


def manager(a):
    m = xmlsec.KeysManager()
    m.add_key(key(a))
    return m


def encrypt(a):
    doc = load(a.input)
    template = load(a.template).getroot()
    ctx = xmlsec.EncryptionContext(manager(a))
    cipher = template.find(f"{{{XENC}}}EncryptionMethod").get("Algorithm")
    wraps = template.find(f".//{{{XENC}}}EncryptedKey") is not None
    if wraps:
        bits = 192 if "tripledes" in cipher else 256 if "256" in cipher else 192 if "192" in cipher else 128
        kind = xmlsec.constants.KeyDataDes if "tripledes" in cipher else xmlsec.constants.KeyDataAes
        ctx.key = xmlsec.Key.generate(kind, bits, xmlsec.constants.KeyDataTypeSession)
    else:
        ctx.key = key(a)
    ctx.encrypt_xml(template, by_id(doc, a.target))
    return doc


def main():
    a = arguments()
    if a.verb == "encrypt":
        out = encrypt(a)
    else:
        out = load(a.input)
        if a.verb in ("sign", "verify"):
            node = out.find(f".//{{{DS}}}Signature") if out.getroot().tag != f"{{{DS}}}Signature" else out.getroot()
            ctx = xmlsec.SignatureContext()
            ctx.key = key(a)
            getattr(ctx, a.verb)(node)
        else:
            node = out.getroot() if out.getroot().tag == f"{{{XENC}}}EncryptedData" else out.find(f".//{{{XENC}}}EncryptedData")
            whole = node is out.getroot()
            ctx = xmlsec.EncryptionContext(manager(a))
            if a.secret and a.secret_kind and node.find(f".//{{{XENC}}}EncryptedKey") is None:
                ctx.key = key(a)
            result = ctx.decrypt(node)
            if isinstance(result, bytes):
                with open(a.output, "wb") as f:
                    f.write(result)
                return 0
            out = result.getroottree() if whole else out
    if a.output:
        out.write(a.output, encoding="UTF-8")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except xmlsec.Error as e:
        print(f"{type(e).__name__}: {e}", file=sys.stderr)
        sys.exit(1)
    except OSError as e:
        print(e, file=sys.stderr)
        sys.exit(2)

"""signxml as a peer: enveloped signatures over whole documents.

    sign   IN OUT  --key PEM --cert PEM --algorithm FRAGMENT --digest FRAGMENT --c14n URI
    verify IN      --cert PEM

Exit codes: 0 yes, 1 refused, 2 could not run.
"""
import argparse
import sys

from lxml import etree
from signxml import DigestAlgorithm, SignatureConfiguration, SignatureMethod, XMLSigner, XMLVerifier
from signxml.exceptions import SignXMLException


class Signer(XMLSigner):
    """Also signs with SHA-1, which the peers of the benchmark still do."""

    def check_deprecated_methods(self):
        pass


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("verb", choices=["sign", "verify"])
    p.add_argument("input")
    p.add_argument("output", nargs="?")
    for name in ("key", "cert", "algorithm", "digest", "c14n"):
        p.add_argument("--" + name)
    return p.parse_args()


def read(path):
    with open(path, "rb") as f:
        return f.read()


def main():
    a = arguments()
    root = etree.fromstring(read(a.input))
    if a.verb == "sign":
        signer = Signer(signature_algorithm=a.algorithm, digest_algorithm=a.digest, c14n_algorithm=a.c14n)
        signed = signer.sign(root, key=read(a.key), cert=read(a.cert).decode(), always_add_key_value=False)
        etree.ElementTree(signed).write(a.output, encoding="UTF-8")
        return 0
    config = SignatureConfiguration(signature_methods=frozenset(SignatureMethod), digest_algorithms=frozenset(DigestAlgorithm), require_x509=True)
    result = XMLVerifier().verify(root, x509_cert=read(a.cert).decode(), expect_config=config, id_attribute="Id")
    print("covers", result.signed_xml.tag if result.signed_xml is not None else "octets")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (SignXMLException, ValueError) as e:
        print(f"{type(e).__name__}: {e}", file=sys.stderr)
        sys.exit(1)
    except OSError as e:
        print(e, file=sys.stderr)
        sys.exit(2)

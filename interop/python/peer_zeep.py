"""zeep's signature and UsernameToken plug-ins as a peer.

    sign   IN OUT  --key PEM --cert PEM [--plugin binary|x509data]
    verify IN      --peer PEM
    call   URL     --key PEM --cert PEM --peer PEM [--plugin binary|x509data]
    sign   IN OUT  --plugin text|digest|none [--user NAME] [--word PASSWORD] [--zulu on|off|token]
    call   URL     --plugin text|digest|none [--user NAME] [--word PASSWORD] [--zulu on|off|token] [--save REQUEST]

`binary` carries the certificate in a BinarySecurityToken, `x509data` in ds:X509Data inside the reference; both sign Body and Timestamp.
The others send a UsernameToken and a Timestamp, unsigned; `--zulu off` writes the time zone as zeep does unless it is told otherwise, `token` in the
token alone.
Exit codes: 0 yes, 1 refused, 2 could not run.
"""
import argparse
import datetime
import os
import sys

import xmlsec
from lxml import etree
from zeep import Client, Settings
from zeep.exceptions import Error
from zeep.plugins import HistoryPlugin
from zeep.wsse.signature import BinarySignature, Signature
from zeep.wsse.username import UsernameToken
from zeep.wsse.utils import WSU, get_security_header, get_timestamp

METHODS = {"signature_method": xmlsec.constants.TransformRsaSha256, "digest_method": xmlsec.constants.TransformSha256}


def timestamp(zulu=True):
    now = datetime.datetime.now(datetime.timezone.utc)
    return WSU.Timestamp(
        WSU.Created(get_timestamp(now, zulu_timestamp=zulu)), WSU.Expires(get_timestamp(now + datetime.timedelta(minutes=5), zulu_timestamp=zulu)))


def token(a):
    password = None if a.plugin == "none" else a.word
    return UsernameToken(a.user, password, use_digest=a.plugin == "digest", timestamp_token=timestamp(a.zulu != "off"), zulu_timestamp=a.zulu == "on")


class Plugin:
    """Timestamp, then the signature; the answer is checked with the peer's certificate, not with our own."""

    def __init__(self, a):
        if a.key:
            self.signer = {"binary": BinarySignature, "x509data": Signature}[a.plugin](a.key, a.cert, **METHODS)
            self.checker = Signature(a.key, a.peer) if a.peer else None
        else:
            self.checker = Signature(a.peer, a.peer)

    def apply(self, envelope, headers):
        get_security_header(envelope).append(timestamp())
        return self.signer.apply(envelope, headers)

    def verify(self, envelope):
        return self.checker.verify(envelope)


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("verb", choices=["sign", "verify", "call"])
    p.add_argument("input")
    p.add_argument("output", nargs="?")
    for name in ("key", "cert", "peer"):
        p.add_argument("--" + name)
    p.add_argument("--plugin", choices=["binary", "x509data", "text", "digest", "none"], default="binary")
    p.add_argument("--user", default="alice")
    p.add_argument("--word", default="verySecret")
    p.add_argument("--zulu", choices=["on", "off", "token"], default="on")
    p.add_argument("--save")
    return p.parse_args()


def main():
    a = arguments()
    plugin = Plugin(a) if a.plugin in ("binary", "x509data") else token(a)
    if a.verb == "call":
        here = os.path.dirname(os.path.abspath(__file__))
        history = HistoryPlugin()
        client = Client(os.path.join(here, "echo.wsdl"), wsse=plugin, plugins=[history], settings=Settings(xml_huge_tree=False))
        answer = client.create_service("{urn:bartizan:echo}EchoBinding", a.input).echo(name="test me")
        if a.save:
            etree.ElementTree(history.last_sent["envelope"]).write(a.save, encoding="UTF-8")
        print("answer", answer)
        return 0 if answer == "test me" else 1
    envelope = etree.parse(a.input).getroot()
    if a.verb == "verify":
        plugin.verify(envelope)
        return 0
    envelope, _ = plugin.apply(envelope, {})
    etree.ElementTree(envelope).write(a.output, encoding="UTF-8")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Error, xmlsec.Error, AttributeError, IndexError) as e:  # zeep answers a missing header with the last two
        print(f"{type(e).__name__}: {e}", file=sys.stderr)
        sys.exit(1)
    except OSError as e:
        print(e, file=sys.stderr)
        sys.exit(2)

"""The document that is signed and encrypted, the kinds of signature and encryption, and their templates."""
from dataclasses import dataclass, replace

DS, DSMORE, DSMORE7 = "http://www.w3.org/2000/09/xmldsig#", "http://www.w3.org/2001/04/xmldsig-more#", "http://www.w3.org/2007/05/xmldsig-more#"
XENC, XENC11 = "http://www.w3.org/2001/04/xmlenc#", "http://www.w3.org/2009/xmlenc11#"
EXC, EXC_COMMENTS = "http://www.w3.org/2001/10/xml-exc-c14n#", "http://www.w3.org/2001/10/xml-exc-c14n#WithComments"
C14N10, C14N11 = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315", "http://www.w3.org/2006/12/xml-c14n11"
KEY_NAME = "shared"

PART = ('<b:part xmlns:b="urn:b" Id="p1" z="1" a="2">text &amp; \u00e9 &#13; <!-- inside --><x xmlns="">none</x><b:y xmlns:u="urn:u2" u:q="3"/></b:part>')
DOCUMENT = ('<doc xmlns="urn:a" xmlns:b="urn:b" xmlns:u="urn:u"><!-- before --><b:part Id="p1" z="1" a="2">text &amp; \u00e9 &#13; <!-- inside -->'
            '<x xmlns="">none</x><b:y xmlns:u="urn:u2" u:q="3"/></b:part><part Id="p2"><n>plain</n></part></doc>')


@dataclass
class Signature:
    """`target` is the Id that is signed, or none for the whole document with the enveloped transform."""
    method: str
    digest: str
    c14n: str = EXC
    target: str = "p1"
    kind: str = "rsa"  # rsa, ec or hmac
    prefixes: str = ""
    ours: tuple = ()  # options of `xml sign`
    legacy: bool = False


SHA1, SHA256, SHA512 = DS + "sha1", XENC + "sha256", XENC + "sha512"
RSA = DSMORE + "rsa-sha256"
SIGNATURES = {
    "rsa-sha256": Signature(RSA, SHA256),
    "rsa-sha1": Signature(DS + "rsa-sha1", SHA1, legacy=True),
    "rsa-sha512": Signature(DSMORE + "rsa-sha512", SHA512),
    "ecdsa-sha256": Signature(DSMORE + "ecdsa-sha256", SHA256, kind="ec"),
    "hmac-sha256": Signature(DSMORE + "hmac-sha256", SHA256, kind="hmac"),
    "rsa-pss-sha256": Signature(DSMORE7 + "sha256-rsa-MGF1", SHA256),
    "rsa-sha3": Signature(RSA, DSMORE7 + "sha3-256"),
    "c14n 1.0": Signature(RSA, SHA256, C14N10),
    "c14n 1.1": Signature(RSA, SHA256, C14N11),
    "exc with comments": Signature(RSA, SHA256, EXC_COMMENTS),
    "PrefixList": Signature(RSA, SHA256, prefixes="u #default"),
}
SIGNATURES |= {f"whole {name}": replace(s, target="") for name, s in SIGNATURES.items()}


def signature(s, document):
    """The document with an empty Signature at its end."""
    inclusive = f'<ec:InclusiveNamespaces xmlns:ec="{EXC}" PrefixList="{s.prefixes}"/>' if s.prefixes else ""
    transforms = "" if s.target else f'<ds:Transform Algorithm="{DS}enveloped-signature"/>'
    transforms += f'<ds:Transform Algorithm="{s.c14n}">{inclusive}</ds:Transform>'
    uri = f"#{s.target}" if s.target else ""
    sig = (f'<ds:Signature xmlns:ds="{DS}"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="{s.c14n}"/><ds:SignatureMethod Algorithm="{s.method}"/>'
           f'<ds:Reference URI="{uri}"><ds:Transforms>{transforms}</ds:Transforms><ds:DigestMethod Algorithm="{s.digest}"/><ds:DigestValue/></ds:Reference>'
           '</ds:SignedInfo><ds:SignatureValue/></ds:Signature>')
    return document.replace("</doc>", sig + "</doc>")


@dataclass
class Encryption:
    cipher: str = XENC11 + "aes256-gcm"
    transport: str = XENC + "rsa-oaep-mgf1p"
    oaep_digest: str = ""  # sha1, sha256
    mgf: str = ""
    target: str = "p1"
    content: bool = False
    root: bool = False
    shared: str = ""  # aes128 or aes256: encrypted with a shared key, by name
    wrap: str = ""
    session: str = "aes-256"
    legacy: bool = False


ENCRYPTIONS = {
    "aes128-cbc": Encryption(XENC + "aes128-cbc", session="aes-128", legacy=True),
    "aes256-cbc": Encryption(XENC + "aes256-cbc", legacy=True),
    "aes128-gcm": Encryption(XENC11 + "aes128-gcm", session="aes-128"),
    "aes256-gcm": Encryption(),
    "tripledes-cbc": Encryption(XENC + "tripledes-cbc", session="des-192", legacy=True),
    "rsa-1_5": Encryption(transport=XENC + "rsa-1_5", legacy=True),
    "rsa-oaep": Encryption(transport=XENC11 + "rsa-oaep", oaep_digest="sha256", mgf="sha256"),
    "content": Encryption(content=True, target="p2"),
    "kw-aes256": Encryption(transport=XENC + "kw-aes256", shared="aes256"),
    "shared key": Encryption(transport="", shared="aes256"),
    "root aes128-gcm": Encryption(XENC11 + "aes128-gcm", root=True, target=""),
    "root aes256-gcm": Encryption(root=True, target=""),
    "root aes256-cbc": Encryption(XENC + "aes256-cbc", root=True, target="", legacy=True),
    "root tripledes-cbc": Encryption(XENC + "tripledes-cbc", root=True, target="", legacy=True),
    "root rsa-1_5": Encryption(transport=XENC + "rsa-1_5", root=True, target="", legacy=True),
    "root rsa-oaep": Encryption(transport=XENC11 + "rsa-oaep", oaep_digest="sha256", mgf="sha256", root=True, target=""),
    "root rsa-oaep sha256 mgf1p": Encryption(oaep_digest="sha256", root=True, target=""),
}


def encryption(e):
    """The empty EncryptedData that the xmlsec library fills."""
    kind = XENC + ("Content" if e.content else "Element")
    if not e.transport:
        info = f"<ds:KeyInfo><ds:KeyName>{KEY_NAME}</ds:KeyName></ds:KeyInfo>"
    else:
        name = f"<ds:KeyInfo><ds:KeyName>{KEY_NAME}</ds:KeyName></ds:KeyInfo>" if e.shared else ""
        inner = ""
        if e.oaep_digest:
            uri = {"sha1": SHA1, "sha256": SHA256}[e.oaep_digest]
            inner += f'<ds:DigestMethod Algorithm="{uri}"/>'
        if e.mgf:
            inner += f'<xenc11:MGF xmlns:xenc11="{XENC11}" Algorithm="{XENC11}mgf1{e.mgf}"/>'
        info = (f'<ds:KeyInfo><xenc:EncryptedKey><xenc:EncryptionMethod Algorithm="{e.transport}">{inner}</xenc:EncryptionMethod>{name}'
                "<xenc:CipherData><xenc:CipherValue/></xenc:CipherData></xenc:EncryptedKey></ds:KeyInfo>")
    return (f'<xenc:EncryptedData xmlns:xenc="{XENC}" xmlns:ds="{DS}" Type="{kind}"><xenc:EncryptionMethod Algorithm="{e.cipher}"/>{info}'
            "<xenc:CipherData><xenc:CipherValue/></xenc:CipherData></xenc:EncryptedData>")

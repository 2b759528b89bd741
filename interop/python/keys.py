"""keys.py DIR   makes a key folder laid out as `bartizan keys demo` does: ca, server, client, client2, expired, revoked.

The runner uses it for the keys of strangers (a second CA), and for the main folder while the binary cannot make one.
"""
import datetime
import os
import secrets
import sys

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509.oid import NameOID

NOW = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
DAY = datetime.timedelta(days=1)


def name(common):
    return x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, "interop"), x509.NameAttribute(NameOID.COMMON_NAME, common)])


def certificate(key, subject, issuer, issuer_key, first, last, ca):
    b = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key.public_key())
    b = b.serial_number(x509.random_serial_number()).not_valid_before(first).not_valid_after(last)
    b = b.add_extension(x509.BasicConstraints(ca, None), critical=True)
    b = b.add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    b = b.add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False)
    rsa_key = isinstance(key, rsa.RSAPrivateKey)
    b = b.add_extension(
        x509.KeyUsage(
            digital_signature=not ca, content_commitment=False, key_encipherment=not ca and rsa_key, data_encipherment=not ca and rsa_key,
            key_agreement=not ca and not rsa_key, key_cert_sign=ca, crl_sign=ca, encipher_only=False, decipher_only=False),
        critical=True)
    if not ca:
        b = b.add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
    return b.sign(issuer_key, hashes.SHA256())


def save(folder, file, data, mode=0o644):
    fd = os.open(os.path.join(folder, file), os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(fd, "wb") as f:
        f.write(data)


def main(folder):
    os.makedirs(folder, exist_ok=True)
    pem = serialization.Encoding.PEM
    pkcs8 = serialization.PrivateFormat.PKCS8
    clear = serialization.NoEncryption()
    password = secrets.token_urlsafe(18).encode()
    save(folder, "password", password + b"\n", 0o600)
    ca_key = rsa.generate_private_key(65537, 2048)
    ca_name = name("interop CA " + secrets.token_hex(4))
    ca = certificate(ca_key, ca_name, ca_name, ca_key, NOW - DAY, NOW + 3650 * DAY, True)
    save(folder, "ca.pem", ca.public_bytes(pem))
    save(folder, "ca.key", ca_key.private_bytes(pem, pkcs8, clear), 0o600)
    crl = x509.CertificateRevocationListBuilder().issuer_name(ca_name).last_update(NOW - DAY).next_update(NOW + 3650 * DAY)
    for who in ("server", "client", "client2", "expired", "revoked"):
        for twin in ("", "-ec"):
            key = ec.generate_private_key(ec.SECP256R1()) if twin else rsa.generate_private_key(65537, 2048)
            last = NOW - DAY if who == "expired" else NOW + 3650 * DAY
            cert = certificate(key, name(who + twin), ca_name, ca_key, NOW - 2 * DAY, last, False)
            save(folder, f"{who}{twin}.pem", cert.public_bytes(pem))
            save(folder, f"{who}{twin}.key", key.private_bytes(pem, pkcs8, clear), 0o600)
            save(folder, f"{who}{twin}.p12", pkcs12.serialize_key_and_certificates(who.encode(), key, cert, [ca], serialization.BestAvailableEncryption(password)), 0o600)
            if who == "revoked":
                crl = crl.add_revoked_certificate(x509.RevokedCertificateBuilder().serial_number(cert.serial_number).revocation_date(NOW - DAY).build())
    save(folder, "ca.crl", crl.sign(ca_key, hashes.SHA256()).public_bytes(pem))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])

"""UsernameTokens and symmetric bindings as policies, each written once and given to CXF, to Rampart and to us."""
import json

from . import live, tamper
from .harness import Refused, Wrong
from .policies import CONFIRM, SP11, SP12, TS, WHOLE, World, binding_of, parts_of, policy, wrap
from .tokens import NEEDS, USER, users, word

SP13 = "http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200802"


def username(options="<sp:WssUsernameToken10/>", include="AlwaysToRecipient", sp=SP12):
    return f'<sp:UsernameToken sp:IncludeToken="{sp}/IncludeToken/{include}"><wsp:Policy>{options}</wsp:Policy></sp:UsernameToken>'


def supporting(kind, token):
    return f"<sp:{kind}><wsp:Policy>{token}</wsp:Policy></sp:{kind}>"


def x509(options="", include="Never", sp=SP12):
    return (f'<sp:X509Token sp:IncludeToken="{sp}/IncludeToken/{include}"><wsp:Policy>{options}<sp:RequireThumbprintReference/>'
            "<sp:WssX509V3Token11/></wsp:Policy></sp:X509Token>")


def symmetric(suite="Basic256", layout="Strict", binding=TS + WHOLE, token=None, derived=False, signed="<sp:Body/>", encrypted="<sp:Body/>", confirm="", more="", sp=SP12, holders=("ProtectionToken",)):
    token = token or x509("<sp:RequireDerivedKeys/>" if derived else "", sp=sp)
    tokens = "".join(f"<sp:{h}><wsp:Policy>{token}</wsp:Policy></sp:{h}>" for h in holders)
    support = "<sp:MustSupportRefKeyIdentifier/><sp:MustSupportRefIssuerSerial/><sp:MustSupportRefThumbprint/><sp:MustSupportRefEncryptedKey/>"
    return wrap(f"{binding_of('SymmetricBinding', tokens, suite, layout, binding)}<sp:Wss11><wsp:Policy>{support}{confirm}</wsp:Policy></sp:Wss11>"
                f"{parts_of(signed, encrypted)}{more}", sp)


def alone(kind, token, sp=SP12):
    """A supporting token without a binding."""
    return wrap(supporting(kind, token), sp)


def sp13(name):
    return f'<sp13:{name} xmlns:sp13="{SP13}"/>'


GCM = '<c:Basic256GCM xmlns:c="http://cxf.apache.org/custom/security-policy"/>'
TEXT, V11 = username(), "<sp:WssUsernameToken11/>"
# Our certificate, sent along.
SENT = x509(include="AlwaysToRecipient")
DIGEST = username("<sp:HashPassword/>" + V11)
# A token alone: no binding, the reply has no Security header.
TOKENS = {
    "ut-text": alone("SupportingTokens", TEXT),
    "ut-text-11": alone("SupportingTokens", username(V11)),
    "ut-digest": alone("SupportingTokens", DIGEST),
    "ut-digest-sp11": alone("SupportingTokens", username("<sp:WssUsernameToken10/>", sp=SP11), SP11),
    "ut-no-password": alone("SupportingTokens", username("<sp:NoPassword/>" + V11)),
    "ut-text-sp13": alone("SupportingTokens", username(sp13("Nonce") + sp13("Created") + V11)),
}
# A token beside the asymmetric binding.
ASYMMETRIC = {
    "asym-supporting": policy("Basic256", binding=TS + WHOLE, more=supporting("SupportingTokens", TEXT)),
    "asym-signed-token": policy("Basic256", binding=TS + WHOLE, more=supporting("SignedSupportingTokens", DIGEST)),
    "asym-encrypted-token": policy("Basic256", binding=TS + WHOLE, more=supporting("EncryptedSupportingTokens", TEXT)),
    "asym-signed-encrypted-token": policy("Basic256", binding=TS + WHOLE, more=supporting("SignedEncryptedSupportingTokens", TEXT)),
    "asym-endorsing-token": policy("Basic256", binding=TS + WHOLE, more=supporting("EndorsingSupportingTokens", username("<sp:RequireDerivedKeys/>" + V11))),
    "asym-endorsing-token-key": policy("Basic256", binding=TS + WHOLE, more=supporting("EndorsingSupportingTokens", username(V11))),
    "asym-signed-endorsing-token": policy("Basic256", binding=TS + WHOLE, more=supporting("SignedEndorsingSupportingTokens", username(V11))),
    "asym-endorsing-encrypted-token": policy("Basic256", binding=TS + WHOLE, more=supporting("EndorsingEncryptedSupportingTokens", username(V11))),
    "asym-signed-endorsing-encrypted-token": policy("Basic256", binding=TS + WHOLE, more=supporting("SignedEndorsingEncryptedSupportingTokens", username(V11))),
}
SYMMETRIC = {
    "sym": symmetric(),
    "sym-derived": symmetric(derived=True),
    "sym-no-timestamp": symmetric(binding=WHOLE),
    "sym-derived-no-timestamp": symmetric(binding=WHOLE, derived=True),
    "sym-sha256": symmetric("Basic128Sha256", "Lax"),
    "sym-gcm": symmetric(GCM),
    "sym-rsa15": symmetric("Basic128Rsa15", derived=True),
    "sym-sp11": symmetric(sp=SP11),
    "sym-derived-sp11": symmetric(sp=SP11, derived=True),
    "sym-confirm": symmetric(confirm=CONFIRM),
    "sym-encrypted-signature": symmetric(binding=TS + "<sp:EncryptSignature/>" + WHOLE),
    "sym-derived-encrypted-signature": symmetric(binding=TS + "<sp:EncryptSignature/>" + WHOLE, derived=True),
    "sym-encrypt-first": symmetric(binding=TS + "<sp:EncryptBeforeSigning/>" + WHOLE),
    "sym-derived-encrypt-first": symmetric(binding=TS + "<sp:EncryptBeforeSigning/>" + WHOLE, derived=True),
    "sym-signed-only": symmetric(encrypted=""),
    "sym-protect-tokens": symmetric(binding=TS + "<sp:ProtectTokens/>"),
    "sym-token": symmetric(more=supporting("SignedEncryptedSupportingTokens", TEXT)),
    "sym-derived-token": symmetric(derived=True, more=supporting("SignedSupportingTokens", DIGEST)),
    "sym-endorsed": symmetric(more=supporting("EndorsingSupportingTokens", SENT)),
    "sym-signed-endorsed": symmetric("Basic128", more=supporting("SignedEndorsingSupportingTokens", SENT)),
    "sym-endorsed-encrypted": symmetric("Basic128", more=supporting("EndorsingEncryptedSupportingTokens", SENT)),
    "sym-signed-endorsed-encrypted": symmetric("Basic128", more=supporting("SignedEndorsingEncryptedSupportingTokens", SENT)),
    "sym-endorsed-sha256": symmetric("Basic128Sha256", "Lax", more=supporting("EndorsingSupportingTokens", SENT)),
    "sym-endorsed-confirm": symmetric("Basic128", confirm=CONFIRM, more=supporting("EndorsingSupportingTokens", SENT)),
    "sym-endorsed-protect-tokens": symmetric("Basic128", binding=TS + "<sp:ProtectTokens/>", more=supporting("EndorsingSupportingTokens", SENT)),
    "sym-endorsed-encrypted-signature": symmetric("Basic128", binding=TS + "<sp:EncryptSignature/>" + WHOLE, more=supporting("EndorsingSupportingTokens", SENT)),
    "sym-derived-endorsed": symmetric("Basic128", derived=True, binding=TS + "<sp:EncryptSignature/>" + WHOLE, confirm=CONFIRM, more=supporting("EndorsingSupportingTokens", SENT)),
    "sym-endorsed-encrypt-first": symmetric("Basic128", binding=TS + "<sp:EncryptBeforeSigning/>" + WHOLE, more=supporting("EndorsingSupportingTokens", SENT)),
    "sym-endorsing-token": symmetric(more=supporting("EndorsingSupportingTokens", username("<sp:RequireDerivedKeys/>" + V11))),
    "sym-endorsing-token-key": symmetric(more=supporting("EndorsingSupportingTokens", username(V11))),
    "sym-endorsing-token-sp11": symmetric(sp=SP11, more=supporting("EndorsingSupportingTokens", username("<sp:RequireDerivedKeys/>", sp=SP11))),
    "sym-endorsing-token-encrypted-signature": symmetric(binding=TS + "<sp:EncryptSignature/>" + WHOLE, more=supporting("EndorsingSupportingTokens", username("<sp:RequireDerivedKeys/>" + V11))),
    "sym-signed-endorsing-token": symmetric(more=supporting("SignedEndorsingSupportingTokens", username(V11))),
    "sym-endorsing-encrypted-token": symmetric(more=supporting("EndorsingEncryptedSupportingTokens", username(V11))),
    "sym-signed-endorsing-encrypted-token": symmetric(more=supporting("SignedEndorsingEncryptedSupportingTokens", username("<sp:RequireDerivedKeys/>" + V11))),
    "sym-endorsed-by-both": symmetric(more=supporting("EndorsingSupportingTokens", SENT) + supporting("SignedEndorsingSupportingTokens", username(V11))),
    "sym-username": symmetric("Basic128", token=username("<sp:RequireDerivedKeys/>" + V11, "AlwaysToRecipient")),
    "sym-username-signed-only": symmetric("Basic128", token=username(V11, "AlwaysToRecipient"), encrypted=""),
    "sym-username-whole-key": symmetric("Basic128", token=username(V11, "AlwaysToRecipient")),
    "sym-username-256": symmetric("Basic256", token=username("<sp:RequireDerivedKeys/>" + V11, "AlwaysToRecipient")),
    "sym-username-gcm": symmetric(GCM, token=username("<sp:RequireDerivedKeys/>" + V11, "AlwaysToRecipient")),
    "sym-username-confirm": symmetric("Basic128", token=username("<sp:RequireDerivedKeys/>" + V11, "AlwaysToRecipient"), confirm=CONFIRM),
    "sym-username-encrypted-signature": symmetric("Basic128", binding=TS + "<sp:EncryptSignature/>" + WHOLE, token=username("<sp:RequireDerivedKeys/>" + V11, "AlwaysToRecipient")),
    "sym-username-encrypt-first": symmetric("Basic128", binding=TS + "<sp:EncryptBeforeSigning/>" + WHOLE, token=username("<sp:RequireDerivedKeys/>" + V11, "AlwaysToRecipient")),
    "sym-username-protect-tokens": symmetric("Basic128", binding=TS + "<sp:ProtectTokens/>", token=username("<sp:RequireDerivedKeys/>" + V11, "AlwaysToRecipient")),
    "sym-username-sp11": symmetric("Basic128", token=username("<sp:RequireDerivedKeys/>", "AlwaysToRecipient", SP11), sp=SP11),
    "sym-username-endorsed": symmetric("Basic128", token=username("<sp:RequireDerivedKeys/>" + V11, "AlwaysToRecipient"), more=supporting("EndorsingSupportingTokens", SENT)),
    "sym-two-holders": symmetric(holders=("SignatureToken", "EncryptionToken")),
}
POLICIES = TOKENS | ASYMMETRIC | SYMMETRIC
CHANGES = [("sym", "body cipher flipped", tamper.body_cipher), ("sym", "signature value flipped", tamper.signature_value),
           ("sym-derived", "body cipher flipped", tamper.body_cipher), ("sym-derived", "Timestamp removed", tamper.without(b"Timestamp")),
           ("sym-derived", "nonce of the derived key flipped", tamper.leaf(b"Nonce", 0.5, b"DerivedKeyToken")),
           ("sym-username", "body cipher flipped", tamper.body_cipher), ("sym-username", "nonce of the derived key flipped", tamper.leaf(b"Nonce", 0.5, b"DerivedKeyToken")),
           ("sym-username-signed-only", "signature value flipped", tamper.signature_value), ("sym-username-signed-only", "Timestamp removed", tamper.without(b"Timestamp"))]


# What we do not compile yet. A name that compiles after all fails its case until it is taken out of here and meets the peers.
UNBUILT = set()
# The key of a password proves the user: no such policy is open.
BY_USER = {n for n in SYMMETRIC if n.startswith("sym-username")}
# A secret that anybody can send names nobody: such a policy is open in so many words.
# Who endorses is named as well.
ENDORSED = {n for n in SYMMETRIC if "endors" in n}
NAMELESS = {n: "" for n in SYMMETRIC if n not in BY_USER | ENDORSED | {"sym-token", "sym-derived-token"}}
# A token under CBC and under no signature.
LONE = {n: "" for n in ("asym-encrypted-token", "asym-endorsing-encrypted-token", "sym-endorsing-encrypted-token")}
# What Rampart 1.7 cannot do even towards itself.
RAMPART_LACKS = {"ut-no-password", "sym-gcm", "sym-derived-encrypt-first", "sym-two-holders", "sym-endorsed-by-both"} | BY_USER
RAMPART_LACKS |= {n for n in POLICIES if "endorsing" in n}


# What is met in one direction only: Rampart's client sends neither Nonce nor Created for the assertions of 1.3.
ONLY_OURS = {("rampart", "ut-text-sp13")}
# CXF's server looks for the token of the request in its reply, to sign it, and fails; its client does what is asked.
ONLY_THEIRS = {("cxf", "sym-username-protect-tokens")}

# CXF encrypts a supporting token that nobody asked to have encrypted, with CBC and outside of the signature: we do not read that.
WE_REFUSE = {("cxf", "asym-supporting")}
# Rampart sends a secret of 16 octets under every suite, and says AES-256 of what it encrypts with it: a suite of 256 bits means what it says here.
WE_REFUSE |= {("rampart", n) for n in SYMMETRIC if n not in ("sym-sha256", "sym-rsa15") and not (n in ENDORSED and "Basic128" in SYMMETRIC[n])}
# Its endorsing signature has a dangling reference where encryption comes first, and ProtectTokens signs no EncryptedKey there.
WE_REFUSE |= {("rampart", n) for n in ("sym-endorsed-encrypt-first", "sym-endorsed-protect-tokens")}


def worlds(b):
    """Each peer, and the policies that it can do."""
    for module, lacks in (("cxf", set()), ("rampart", RAMPART_LACKS)):
        yield World(b, module, POLICIES), live.PEERS[module][0], [n for n in POLICIES if n not in lacks]


def with_users(w):
    w.server_options = ("--users", users(w.b))
    w.open = TOKENS | NAMELESS | LONE
    w.client_options = ("--user", USER, "--password-file", word(w.b))
    return w


def compiles(b, name):
    a = b.bartizan("policy", "check", b.write(f"policy-{name}.xml", POLICIES[name]), "--json")
    found = [d for p in json.loads(a.out)["policies"] for d in p["diagnostics"]]
    if a.code != 0:
        raise Wrong(f"not usable: {found}")
    unbuilt = [d["message"] for d in found if d["code"] == "not_compiled"]
    if unbuilt:
        raise Refused("; ".join(unbuilt))


def register(b):
    for name in sorted(UNBUILT):
        b.case("–", "policy check", f"policy {name} is not compiled yet", "refused", lambda n=name: compiles(b, n), ("policy",))
    for w, peer, names in worlds(b):
        names = [n for n in names if n not in UNBUILT]
        for name in names:
            if (w.module, name) not in ONLY_OURS:
                expected = "refused" if (w.module, name) in WE_REFUSE else "accepted"
                b.case(peer, live.THEIRS, f"policy {name}", expected, lambda w=w, n=name: with_users(w).called(n), (NEEDS["serve"],))
            if (w.module, name) not in ONLY_THEIRS:
                b.case(peer, live.OURS, f"policy {name}", "accepted", lambda w=w, n=name: with_users(w).call(n), (NEEDS["call"],))
        for name in [n for n in ("ut-text", "ut-digest", "asym-signed-token", "sym-token", "sym-username", "sym-username-signed-only", "asym-endorsing-token", "sym-endorsing-token-key") if n in names and (w.module, n) not in WE_REFUSE]:
            b.case(peer, live.THEIRS, f"policy {name}, wrong password", "refused",
                   lambda w=w, n=name: with_users(w).called(n, None, "--word", "wrong"), (NEEDS["serve"],))
        for name, what, f in [c for c in CHANGES if c[0] in names]:
            b.case(peer, live.OURS, f"policy {name}, reply, {what}", "refused",
                   lambda w=w, n=name, f=f: live.through(w.theirs(n), f, lambda u: live.call(b, with_users(w).file(n), u, more=(*w.client_options, *w.said(n)))), (NEEDS["call"],))
            if (w.module, name) not in WE_REFUSE:
                b.case(peer, live.THEIRS, f"policy {name}, reply, {what}", "refused",
                       lambda w=w, n=name, f=f: live.through(with_users(w).ours(n), f, lambda u: w.called(n, u)), (NEEDS["serve"],))


def register_among_peers(b):
    for w, peer, names in worlds(b):
        for name in [n for n in names if (w.module, n) not in ONLY_THEIRS]:
            b.case(peer, "→ itself", f"policy {name}", "accepted", lambda w=w, n=name: w.called(n, w.theirs(n)))
        for name, what, f in [c for c in CHANGES if c[0] in names]:
            b.case(peer, "→ itself", f"policy {name}, reply, {what}", "refused",
                   lambda w=w, n=name, f=f: live.through(w.theirs(n), f, lambda u: w.called(n, u)))

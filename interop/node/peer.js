"use strict";
// xml-crypto and xml-encryption as peers.
//
//   sign    IN OUT --key PEM --cert PEM --algorithm URI --digest URI --c14n URI [--enveloped] [--reference ID]
//   verify  IN     --cert PEM
//   encrypt IN OUT --cert PEM --cipher URI --transport URI [--digest sha1|sha256|sha512] [--mgf sha1|sha256]   the root element
//   decrypt IN OUT --key PEM
//
// Exit codes: 0 yes, 1 refused, 2 could not run.
const fs = require("fs");
const { createPublicKey } = require("crypto");
const { DOMParser } = require("@xmldom/xmldom");
const { SignedXml } = require("xml-crypto");
const encryption = require("xml-encryption");

const DS = "http://www.w3.org/2000/09/xmldsig#";
const ENVELOPED = DS + "enveloped-signature";

function parse(argv) {
  const rest = [];
  const o = {};
  for (let i = 0; i < argv.length; i++) {
    if (!argv[i].startsWith("--")) rest.push(argv[i]);
    else if (argv[i] === "--enveloped") o.enveloped = true;
    else o[argv[i].slice(2)] = argv[++i];
  }
  return [rest, o];
}

function sign(input, output, o) {
  const s = new SignedXml({
    privateKey: fs.readFileSync(o.key),
    publicCert: fs.readFileSync(o.cert),
    signatureAlgorithm: o.algorithm,
    canonicalizationAlgorithm: o.c14n,
  });
  s.addReference({
    xpath: o.reference ? `//*[@Id='${o.reference}']` : "/*",
    isEmptyUri: !o.reference,
    digestAlgorithm: o.digest,
    transforms: o.enveloped ? [ENVELOPED, o.c14n] : [o.c14n],
  });
  s.computeSignature(fs.readFileSync(input, "utf8"), { prefix: "ds" });
  fs.writeFileSync(output, s.getSignedXml());
}

function verify(input, o) {
  const xml = fs.readFileSync(input, "utf8");
  const node = new DOMParser().parseFromString(xml, "text/xml").getElementsByTagNameNS(DS, "Signature")[0];
  if (!node) throw new Error("no signature");
  const s = new SignedXml({ publicCert: fs.readFileSync(o.cert), getCertFromKeyInfo: () => null });
  s.loadSignature(node);
  if (!s.checkSignature(xml)) throw new Error("the signature does not verify");
  if (s.getSignedReferences().length === 0) throw new Error("nothing is signed");
}

function encrypt(input, output, o) {
  const pem = fs.readFileSync(o.cert);
  const options = {
    rsa_pub: createPublicKey(pem).export({ type: "spki", format: "pem" }),
    pem,
    encryptionAlgorithm: o.cipher,
    keyEncryptionAlgorithm: o.transport,
    disallowEncryptionWithInsecureAlgorithm: false,
    warnInsecureAlgorithm: false,
  };
  if (o.digest) options.keyEncryptionDigest = o.digest;
  if (o.mgf) options.keyEncryptionMgf = o.mgf;
  encryption.encrypt(fs.readFileSync(input, "utf8"), options, (e, xml) => {
    if (e) refuse(e);
    fs.writeFileSync(output, xml);
  });
}

function decrypt(input, output, o) {
  const options = { key: fs.readFileSync(o.key), disallowDecryptionWithInsecureAlgorithm: false, warnInsecureAlgorithm: false };
  encryption.decrypt(fs.readFileSync(input, "utf8"), options, (e, text) => {
    if (e) refuse(e);
    fs.writeFileSync(output, text);
  });
}

function refuse(e) {
  console.error(`${e.name}: ${e.message}`);
  process.exit(e.code === "ENOENT" ? 2 : 1);
}

const [[verb, input, output], o] = parse(process.argv.slice(2));
try {
  if (verb === "sign") sign(input, output, o);
  else if (verb === "verify") verify(input, o);
  else if (verb === "encrypt") encrypt(input, output, o);
  else if (verb === "decrypt") decrypt(input, output, o);
  else throw Object.assign(new Error("sign|verify|encrypt|decrypt IN [OUT]"), { code: "ENOENT" });
} catch (e) {
  refuse(e);
}

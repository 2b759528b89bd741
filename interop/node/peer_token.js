"use strict";
// node-soap's WSSecurity as a peer: a UsernameToken and a Timestamp, nothing signed.
//
//   gen OUT | call URL   [--type text|digest] [--user NAME] [--word PASSWORD] [--elements "Nonce Created"] [--soap 1.1|1.2] [--save REQUEST]
//
// A digest has a Nonce and a Created whatever `--elements` says. Exit codes: 0 yes, 1 refused, 2 could not run.
const fs = require("fs");
const path = require("path");
const soap = require("soap");

const SENT = "test me";
const WSDL = path.join(__dirname, "..", "python", "echo.wsdl");

function parse(argv) {
  const rest = [];
  const o = { type: "text", user: "alice", word: "verySecret", elements: "Nonce Created", soap: "1.2" };
  for (let i = 0; i < argv.length; i++) {
    if (argv[i].startsWith("--")) o[argv[i].slice(2)] = argv[++i];
    else rest.push(argv[i]);
  }
  return [rest, o];
}

function security(o) {
  return new soap.WSSecurity(o.user, o.word, {
    passwordType: { text: "PasswordText", digest: "PasswordDigest" }[o.type],
    hasNonce: o.elements.includes("Nonce"),
    hasTokenCreated: o.type === "digest" || o.elements.includes("Created"),
    hasTimeStamp: true,
    mustUnderstand: true,
  });
}

function gen(file, o) {
  const ns = o.soap === "1.1" ? "http://schemas.xmlsoap.org/soap/envelope/" : "http://www.w3.org/2003/05/soap-envelope";
  const body = `<greetRequest xmlns="http://www.wso2.org/types"><name>${SENT}</name></greetRequest>`;
  fs.writeFileSync(file, `<soap:Envelope xmlns:soap="${ns}"><soap:Header>${security(o).toXML()}</soap:Header><soap:Body>${body}</soap:Body></soap:Envelope>`);
}

async function call(url, o) {
  const client = await soap.createClientAsync(WSDL, { endpoint: url, forceSoap12Headers: o.soap !== "1.1" });
  client.setSecurity(security(o));
  const [answer] = await client.echoAsync({ name: SENT });
  if (o.save) fs.writeFileSync(o.save, client.lastRequest);
  if (!answer || answer.name !== SENT) throw new Error(`another answer: ${JSON.stringify(answer)}`);
  console.log(`answer ${answer.name}`);
}

async function main() {
  const [[verb, where], o] = parse(process.argv.slice(2));
  if (verb === "gen" && where) gen(where, o);
  else if (verb === "call" && where) await call(where, o);
  else throw Object.assign(new Error("gen OUT | call URL"), { code: "ENOENT" });
}

main().catch((e) => {
  console.error(`${e.name}: ${e.message}`);
  process.exit(e.code === "ENOENT" ? 2 : 1);
});

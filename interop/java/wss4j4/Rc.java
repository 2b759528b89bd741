import com.sun.net.httpserver.*;
import java.io.*;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.security.*;
import java.security.cert.X509Certificate;
import java.util.*;
import java.util.concurrent.Executors;
import javax.security.auth.callback.*;
import javax.xml.parsers.*;
import javax.xml.transform.*;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.apache.wss4j.common.WSEncryptionPart;
import org.apache.wss4j.common.crypto.*;
import org.apache.wss4j.common.ext.*;
import org.apache.wss4j.common.util.KeyUtils;
import org.apache.wss4j.dom.*;
import org.apache.wss4j.dom.engine.*;
import org.apache.wss4j.dom.handler.*;
import org.apache.wss4j.dom.message.*;
import org.w3c.dom.*;

/** WSS4J 4.0.1, its DOM API driven by hand, as both ends of the Rampart/C benchmark policy. */
public class Rc {
    /** The namespace of the envelope: --soap 1.2 (default) or 1.1; a reply takes that of its request. */
    static String soap() { return Soap.version("1.2"); }

    record Suite(String sig, String digest, String keyEnc, String content, boolean agreement) { }
    static Suite suite() throws Peer.Usage {
        return switch (Peer.opt("suite", "sha1")) {
            case "sha1" -> new Suite(WSConstants.RSA_SHA1, WSConstants.SHA1, WSConstants.KEYTRANSPORT_RSAOAEP, WSConstants.AES_256, false);
            case "gcm" -> new Suite(WSConstants.RSA_SHA256, WSConstants.SHA256, WSConstants.KEYTRANSPORT_RSAOAEP, WSConstants.AES_256_GCM, false);
            case "xenc11" -> new Suite(WSConstants.RSA_SHA256, WSConstants.SHA256, WSConstants.KEYTRANSPORT_RSAOAEP_XENC11, WSConstants.AES_256_GCM, false);
            case "ec" -> new Suite(WSConstants.ECDSA_SHA256, WSConstants.SHA256, WSConstants.KEYWRAP_AES256, WSConstants.AES_256_GCM, true);
            default -> throw new Peer.Usage("--suite sha1|gcm|xenc11|ec");
        };
    }
    static int reference(String name, String otherwise) throws Peer.Usage {
        return switch (Peer.opt(name, otherwise)) {
            case "direct" -> WSConstants.BST_DIRECT_REFERENCE;
            case "thumbprint" -> WSConstants.THUMBPRINT_IDENTIFIER;
            case "ski" -> WSConstants.SKI_KEY_IDENTIFIER;
            case "issuer" -> WSConstants.ISSUER_SERIAL;
            case "x509" -> WSConstants.X509_KEY_IDENTIFIER;
            default -> throw new Peer.Usage("--" + name + " direct|thumbprint|ski|issuer|x509");
        };
    }

    /** One end of the exchange: its keys, and what it does to a message. */
    static final class End {
        final Suite s = suite();
        final boolean server;
        final Merlin crypto = new Merlin();
        final X509Certificate peer;
        final char[] pw = Peer.password();

        End(boolean server) throws Exception {
            this.server = server;
            String me = server ? "server" : "client", other = server ? "client" : "server";
            peer = Peer.certificate(other);
            crypto.setKeyStore(Peer.store("PKCS12", me, other)); // thumbprint references are resolved in the store
            crypto.setTrustStore(Peer.trust());
        }

        static WSEncryptionPart body(Document d) { return new WSEncryptionPart("Body", d.getDocumentElement().getNamespaceURI(), "Content"); }

        /**
         * Secures d in place. {@code confirm} is the SignatureValue that a reply confirms.
         * --confirm omit|foreign|unsigned makes a reply that a client must refuse.
         */
        void secure(Document d, byte[] confirm, X509Certificate to) throws Exception {
            WSSecHeader h = new WSSecHeader(d);
            h.insertSecurityHeader();
            List<WSEncryptionPart> parts = new ArrayList<>(List.of(body(d)));
            String how = Peer.opt("confirm", "right");
            if (server && !how.equals("omit")) {
                WSSecSignatureConfirmation c = new WSSecSignatureConfirmation(h);
                byte[] value = confirm.clone();
                if (how.equals("foreign")) value[value.length / 2] ^= 1;
                c.setSignatureValue(value);
                c.prepare();
                c.prependToHeader();
                if (!how.equals("unsigned")) parts.add(new WSEncryptionPart("SignatureConfirmation", WSConstants.WSSE11_NS, "Element"));
            }
            WSSecSignature sig = new WSSecSignature(h);
            sig.setUserInfo(server ? "server" : "client", new String(pw));
            sig.setKeyIdentifierType(reference("sign-ref", server ? "thumbprint" : "direct"));
            sig.setSignatureAlgorithm(s.sig);
            sig.setDigestAlgo(s.digest);
            sig.setAddInclusivePrefixes(Peer.opt("prefixes", "off").equals("on"));
            sig.prepare(crypto);
            var refs = sig.addReferencesToSign(parts);
            if (reference("sign-ref", server ? "thumbprint" : "direct") == WSConstants.BST_DIRECT_REFERENCE) sig.appendBSTElementToHeader();
            if (!Peer.opt("sign", "on").equals("off")) sig.computeSignature(refs, false, null);
            if (Peer.opt("encrypt", "on").equals("off")) return;

            WSSecEncrypt enc = new WSSecEncrypt(h);
            enc.setUseThisCert(to);
            enc.setKeyIdentifierType(reference("encrypt-ref", "thumbprint"));
            enc.setSymmetricEncAlgorithm(s.content);
            enc.setKeyEncAlgo(s.keyEnc);
            if (s.keyEnc.equals(WSConstants.KEYTRANSPORT_RSAOAEP_XENC11)) {
                enc.setDigestAlgorithm(WSConstants.SHA256);
                enc.setMGFAlgorithm(WSConstants.MGF_SHA256);
            }
            if (s.agreement) {
                enc.setKeyAgreementMethod(WSConstants.AGREEMENT_METHOD_ECDH_ES);
                enc.setKeyDerivationMethod(WSConstants.KEYDERIVATION_CONCATKDF);
                enc.setDigestAlgorithm(WSConstants.SHA256);
            }
            enc.getParts().add(body(d));
            enc.build(crypto, KeyUtils.getKeyGenerator(s.content).generateKey());
        }

        /** Verifies and decrypts d in place; {@code confirm} is what a reply has to confirm. */
        Result receive(Document d, byte[] confirm) throws Exception {
            RequestData r = new RequestData();
            r.setWssConfig(CONFIG);
            r.setSigVerCrypto(crypto);
            r.setDecCrypto(crypto);
            r.setCallbackHandler(cs -> { for (Callback c : cs) if (c instanceof WSPasswordCallback p) p.setPassword(new String(pw)); });
            WSHandlerResult res = new WSSecurityEngine().processSecurityHeader(d, r);
            if (res == null) throw new Peer.Refused("no Security header");
            Element body = Soap.body(d);
            boolean signed = false, encrypted = false, confSigned = false, confRight = false;
            byte[] value = null;
            X509Certificate cert = null;
            for (WSSecurityEngineResult x : res.getResults()) {
                List<?> refs = (List<?>) x.get(WSSecurityEngineResult.TAG_DATA_REF_URIS);
                switch ((Integer) x.get(WSSecurityEngineResult.TAG_ACTION)) {
                    case WSConstants.SIGN -> {
                        value = (byte[]) x.get(WSSecurityEngineResult.TAG_SIGNATURE_VALUE);
                        cert = (X509Certificate) x.get(WSSecurityEngineResult.TAG_X509_CERTIFICATE);
                        if (!s.sig.equals(x.get(WSSecurityEngineResult.TAG_SIGNATURE_METHOD))) throw new Peer.Refused("signature algorithm");
                        for (Object o : refs) {
                            Element e = ((WSDataRef) o).getProtectedElement();
                            if (e == body) signed = true;
                            if ("SignatureConfirmation".equals(e.getLocalName())) confSigned = true;
                        }
                    }
                    case WSConstants.ENCR -> {
                        for (Object o : refs) {
                            WSDataRef w = (WSDataRef) o;
                            if (w.isContent() && w.getXpath().equals(bodyPath(d))) encrypted = true;
                            if (!s.content.equals(w.getAlgorithm())) throw new Peer.Refused("content algorithm");
                        }
                    }
                    case WSConstants.SC -> {
                        var c = (org.apache.wss4j.dom.message.token.SignatureConfirmation) x.get(WSSecurityEngineResult.TAG_SIGNATURE_CONFIRMATION);
                        confRight = confirm != null && MessageDigest.isEqual(confirm, c.getSignatureValue());
                    }
                    default -> { }
                }
            }
            if (!signed) throw new Peer.Refused("body not signed");
            if (!encrypted) throw new Peer.Refused("body not encrypted");
            if (!server && !confSigned) throw new Peer.Refused("no signed SignatureConfirmation");
            if (!server && !confRight) throw new Peer.Refused("SignatureConfirmation does not match");
            return new Result(value, cert, d);
        }
        static String bodyPath(Document d) { String p = d.getDocumentElement().getPrefix(); return "/" + p + ":Envelope/" + p + ":Body"; }
    }
    record Result(byte[] signature, X509Certificate cert, Document message) { }
    static final WSSConfig CONFIG = WSSConfig.getNewInstance();

    static Document parse(byte[] b) throws Exception {
        DocumentBuilderFactory f = DocumentBuilderFactory.newDefaultInstance();
        f.setNamespaceAware(true);
        f.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        DocumentBuilder p = f.newDocumentBuilder();
        p.setErrorHandler(null);
        return p.parse(new ByteArrayInputStream(b));
    }
    static byte[] serialise(Document d) throws Exception {
        Transformer t = TransformerFactory.newDefaultInstance().newTransformer();
        t.setOutputProperty(OutputKeys.OMIT_XML_DECLARATION, "yes");
        ByteArrayOutputStream out = new ByteArrayOutputStream(8192);
        t.transform(new DOMSource(d), new StreamResult(out));
        return out.toByteArray();
    }
    static byte[] read(String option) throws Exception { return Files.readAllBytes(Path.of(Peer.need(option))); }

    /** The SignatureValue of a secured request: the first ds:Signature in it. */
    static byte[] signatureOf(byte[] m) throws Exception {
        Node n = parse(m).getElementsByTagNameNS("http://www.w3.org/2000/09/xmldsig#", "SignatureValue").item(0);
        if (n == null) throw new Peer.Refused("the request has no signature");
        return Base64.getMimeDecoder().decode(n.getTextContent());
    }

    static byte[] request(End client) throws Exception {
        Document d = parse(Peer.has("in") ? read("in") : Soap.envelope(soap(), Soap.PAYLOAD));
        client.secure(d, null, client.peer);
        return serialise(d);
    }
    /** Checks a request and answers its body, secured. */
    static byte[] exchange(End server, byte[] request) throws Exception {
        Result r = server.receive(parse(request), null);
        Document d = parse(Soap.envelope(r.message.getDocumentElement().getNamespaceURI(), ""));
        Soap.echo(r.message, d);
        server.secure(d, r.signature, r.cert);
        return serialise(d);
    }

    static void command(List<String> a) throws Exception {
        switch (a.get(0)) {
            case "gen" -> {
                byte[] m = a.get(1).equals("request") ? request(new End(false)) : exchange(new End(true), read("request"));
                Files.write(Path.of(a.get(2)), m);
                Peer.say(a.get(1) + " " + m.length + " bytes");
            }
            case "check" -> {
                byte[] m = Files.readAllBytes(Path.of(a.get(2)));
                Result r = a.get(1).equals("request") ? new End(true).receive(parse(m), null) : new End(false).receive(parse(m), signatureOf(read("request")));
                Peer.say("signed by " + r.cert.getSubjectX500Principal() + ", body " + Soap.body(r.message).getTextContent());
                if (Peer.has("out")) Files.write(Path.of(Peer.need("out")), serialise(r.message));
            }
            case "call" -> call(a.get(1));
            case "serve" -> serve(Integer.parseInt(a.get(1)));
            case "token-gen" -> Token.gen(Path.of(a.get(1)));
            case "token-check" -> Token.check(Path.of(a.get(1)));
            case "token-call" -> Token.call(a.get(1));
            default -> throw new Peer.Usage("gen request|response OUT, check request|response IN, call URL, serve PORT, token-gen OUT, token-check IN, token-call URL, batch");
        }
    }

    /** One exchange as a client; --save and --save-reply keep the two messages. */
    static void call(String url) throws Exception {
        End client = new End(false);
        byte[] out = request(client);
        if (Peer.has("save")) Files.write(Path.of(Peer.need("save")), out);
        HttpResponse<byte[]> r = Soap.post(url, soap(), out);
        if (Peer.has("save-reply")) Files.write(Path.of(Peer.need("save-reply")), r.body());
        Result v = client.receive(parse(r.body()), signatureOf(out));
        Peer.say("answer " + Soap.body(v.message).getTextContent());
    }

    interface Exchange { byte[] answer(byte[] request) throws Exception; }

    /** The benchmark's echo, or with --actions the one of those actions. */
    static void serve(int port) throws Exception {
        Exchange exchange;
        if (Peer.has("actions")) {
            Token t = new Token(true);
            exchange = t::exchange;
        } else {
            End server = new End(true);
            exchange = in -> exchange(server, in);
        }
        byte[] fault = Soap.envelope(WSConstants.URI_SOAP12_ENV, "<soap:Fault xmlns:wsse=\"" + WSConstants.WSSE_NS + "\"><soap:Code><soap:Value>soap:Sender</soap:Value><soap:Subcode><soap:Value>wsse:InvalidSecurity</soap:Value></soap:Subcode></soap:Code><soap:Reason><soap:Text xml:lang=\"en\">refused</soap:Text></soap:Reason></soap:Fault>");
        HttpServer s = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 128);
        s.setExecutor(Executors.newFixedThreadPool(4));
        s.createContext("/", x -> {
            byte[] in = x.getRequestBody().readAllBytes(), out;
            int code = 200;
            try { out = exchange.answer(in); } catch (Exception e) { out = fault; code = 400; if (Peer.has("trace")) e.printStackTrace(); }
            String type = x.getRequestHeaders().getFirst("Content-Type");
            x.getResponseHeaders().set("Content-Type", Soap.type(type != null && type.startsWith("text/xml") ? Soap.V11 : Soap.V12));
            x.sendResponseHeaders(code, out.length);
            x.getResponseBody().write(out);
            x.close();
        });
        s.start();
        System.out.println("ready " + s.getAddress().getPort());
    }

    public static void main(String[] argv) throws Exception { Peer.main(argv, Rc::command); }
}

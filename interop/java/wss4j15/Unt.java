import com.sun.net.httpserver.HttpServer;
import java.io.*;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.security.KeyStore;
import java.util.*;
import java.util.concurrent.*;
import javax.security.auth.callback.*;
import javax.xml.parsers.*;
import javax.xml.transform.*;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.apache.ws.security.*;
import org.apache.ws.security.components.crypto.*;
import org.apache.ws.security.handler.*;
import org.apache.ws.security.message.token.*;
import org.apache.ws.security.util.WSSecurityUtil;
import org.w3c.dom.*;

/**
 * WSS4J 1.5.12 in action mode: the four UsernameToken scenarios, sent and received.
 *
 * <p>A case is unt1, unt2a, unt2b, unt3, unt4a or unt4b; the letter says how the key of the signature is derived
 * (a: WSE style; b: UsernameToken Profile 1.1, {@code useDerivedKey}).
 */
public class Unt {
    static final String WSSE = WSConstants.WSSE_NS;
    static final List<String> CASES = List.of("unt1", "unt2a", "unt2b", "unt3", "unt4a", "unt4b");
    /** The key that both sides know under a name, for --enc-id EmbeddedKeyName. */
    static final byte[] NAMED_KEY = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    /** One side of one case: the settings that a deployment would have written down. */
    static final class Side extends WSHandler {
        private final Map<String, Object> settings;
        private final Vector<Object> actions = new Vector<>();
        private final Crypto crypto;
        private final int mask, ttl = TokenOptions.ttl();
        private final String user = TokenOptions.user(), word = TokenOptions.word();
        private final char[] storeWord = Peer.password();
        private final boolean derived, wordless = Peer.opt("type", "text").equals("none");

        /** {@code name} is a case, or with --actions whatever they make; then a last letter b means a key of the profile all the same. */
        Side(String name, boolean sender, Crypto crypto) throws Exception {
            if (!CASES.contains(name) && !Peer.has("actions")) throw new Peer.Usage("a case is one of " + CASES);
            this.crypto = crypto;
            derived = name.endsWith("b");
            String list = Peer.opt("actions", list(name, sender));
            mask = WSSecurityUtil.decodeAction(list, actions);
            settings = TokenOptions.settings(list, "rsa15", this::password);
            if (!TokenOptions.elements().equals("none")) settings.put(WSHandlerConstants.ADD_UT_ELEMENTS, TokenOptions.elements());
            settings.put(WSHandlerConstants.USE_DERIVED_KEY, Boolean.toString(derived));
            if (Peer.has("key-length")) settings.put(WSHandlerConstants.WSE_SECRET_KEY_LENGTH, Peer.need("key-length"));
            String token = "{Element}{" + WSSE + "}UsernameToken";
            if (list.contains("UsernameTokenSignature")) settings.putIfAbsent(WSHandlerConstants.SIGNATURE_PARTS, token);
            if (list.contains("UsernameToken")) settings.putIfAbsent(WSHandlerConstants.ENCRYPTION_PARTS, token);
            if (Peer.opt("enc-id", "").equals("EmbeddedKeyName")) {
                settings.put(WSHandlerConstants.ENC_KEY_NAME, "shared");
                settings.put(WSHandlerConstants.ENC_CALLBACK_REF, (CallbackHandler) this::password);
            }
        }

        private static String list(String name, boolean sender) {
            boolean signs = name.startsWith("unt2") || name.startsWith("unt4"), encrypts = name.startsWith("unt3") || name.startsWith("unt4");
            StringJoiner a = new StringJoiner(" ");
            if (signs) a.add("UsernameTokenSignature");
            if (!signs || !sender) a.add("UsernameToken"); // the receiver's list has the token's own result as well
            if (encrypts) a.add("Encrypt");
            return a.add("Timestamp").toString();
        }

        private void password(Callback[] all) throws UnsupportedCallbackException {
            for (Callback c : all) {
                WSPasswordCallback p = (WSPasswordCallback) c;
                switch (p.getUsage()) {
                    case WSPasswordCallback.DECRYPT, WSPasswordCallback.SIGNATURE -> p.setPassword(new String(storeWord));
                    case WSPasswordCallback.KEY_NAME -> p.setKey(Arrays.copyOf(NAMED_KEY, TokenOptions.keySize()));
                    case WSPasswordCallback.USERNAME_TOKEN_UNKNOWN -> {
                        // 1.5 hands over a text password to be compared here; a token with a Salt comes with none and wants it filled in
                        if (p.getPassword() == null && (derived || wordless) && user.equals(p.getIdentifier())) p.setPassword(word);
                        else if (!user.equals(p.getIdentifier()) || !word.equals(p.getPassword()))
                            throw new UnsupportedCallbackException(c, "wrong user or password");
                    }
                    default -> {
                        if (!user.equals(p.getIdentifier())) throw new UnsupportedCallbackException(c, "no such user");
                        if (!wordless || derived) p.setPassword(word); // PasswordNone and a password is a NullPointerException in 1.5.12
                    }
                }
            }
        }

        @Override protected Crypto loadEncryptionCrypto(RequestData r) { return crypto; }
        @Override protected Crypto loadDecryptionCrypto(RequestData r) { return crypto; }
        @Override public Crypto loadSignatureCrypto(RequestData r) { return crypto; }
        @Override public Object getOption(String k) { return settings.get(k); }
        @SuppressWarnings("unchecked")
        @Override public Object getProperty(Object c, String k) { return ((Map<String, Object>) c).get(k); }
        @SuppressWarnings("unchecked")
        @Override public void setProperty(Object c, String k, Object v) { ((Map<String, Object>) c).put(k, v); }
        @Override public String getPassword(Object c) { return null; }
        @Override public void setPassword(Object c, String p) { }

        byte[] send(byte[] envelope) throws Exception {
            Document d = parse(envelope);
            RequestData r = new RequestData();
            r.setMsgContext(new HashMap<String, Object>());
            r.setUsername(user);
            doSenderAction(mask, d, r, actions, true);
            return serialise(d);
        }

        /** Verifies what is in the header of d, which is decrypted in place. */
        Vector<?> open(Document d) throws Exception {
            Vector<?> all = secEngine.processSecurityHeader(d, null, (CallbackHandler) settings.get(WSHandlerConstants.PW_CALLBACK_REF), crypto, crypto);
            if (all == null) throw new Peer.Refused("no Security header");
            return all;
        }

        /** Checks d, which is decrypted in place, and returns the results in the order in which the header stands. */
        List<WSSecurityEngineResult> receive(Document d) throws Exception {
            RequestData r = new RequestData();
            r.setMsgContext(new HashMap<String, Object>());
            doReceiverAction(mask, r);
            Vector<?> all = open(d);
            List<WSSecurityEngineResult> results = new ArrayList<>();
            for (Object x : all) results.add((WSSecurityEngineResult) x);
            if (!checkReceiverResults(all, actions)) throw new Peer.Refused("other actions: " + results.stream().map(x -> what(x)).toList());
            for (WSSecurityEngineResult x : results)
                if (x.get(WSSecurityEngineResult.TAG_TIMESTAMP) instanceof Timestamp t && !verifyTimestamp(t, ttl)) throw new Peer.Refused("the Timestamp is not current");
            for (WSSecurityEngineResult x : results)
                if (x.get(WSSecurityEngineResult.TAG_PRINCIPAL) instanceof java.security.Principal p && !user.equals(p.getName())) throw new Peer.Refused("another user: " + p.getName());
            return results;
        }
    }

    static String what(WSSecurityEngineResult r) {
        return switch ((Integer) r.get(WSSecurityEngineResult.TAG_ACTION)) {
            case WSConstants.UT -> "UsernameToken";
            case WSConstants.UT_SIGN -> "UsernameTokenSignature";
            case WSConstants.ENCR -> "Encrypt";
            case WSConstants.TS -> "Timestamp";
            case WSConstants.BST -> "BinarySecurityToken";
            case WSConstants.SIGN -> "Signature";
            default -> String.valueOf(r.get(WSSecurityEngineResult.TAG_ACTION));
        };
    }

    /** One result in words: whom it names, and what was signed or decrypted. */
    static String told(WSSecurityEngineResult r) {
        StringBuilder b = new StringBuilder(what(r));
        if (r.get(WSSecurityEngineResult.TAG_PRINCIPAL) instanceof java.security.Principal p) b.append(" user=").append(p.getName());
        if (r.get(WSSecurityEngineResult.TAG_DATA_REF_URIS) instanceof List<?> l)
            for (Object x : l)
                if (x instanceof WSDataRef w && w.getName() != null) b.append(what(r).equals("Encrypt") ? " encrypted=" : " signed=").append(w.getName().getLocalPart());
        return b.toString();
    }

    static final ThreadLocal<DocumentBuilder> BUILDER = ThreadLocal.withInitial(() -> {
        try {
            DocumentBuilderFactory f = DocumentBuilderFactory.newDefaultInstance();
            f.setNamespaceAware(true);
            f.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            DocumentBuilder p = f.newDocumentBuilder();
            p.setErrorHandler(null);
            return p;
        } catch (ParserConfigurationException e) { throw new IllegalStateException(e); }
    });
    static final ThreadLocal<Transformer> WRITER = ThreadLocal.withInitial(() -> {
        try {
            Transformer t = TransformerFactory.newDefaultInstance().newTransformer();
            t.setOutputProperty(OutputKeys.OMIT_XML_DECLARATION, "yes");
            return t;
        } catch (TransformerException e) { throw new IllegalStateException(e); }
    });
    static Document parse(byte[] b) throws Exception { return BUILDER.get().parse(new ByteArrayInputStream(b)); }
    static byte[] serialise(Document d) throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream(8192);
        WRITER.get().transform(new DOMSource(d), new StreamResult(out));
        return out.toByteArray();
    }
    static byte[] clear() throws Exception { return Peer.has("in") ? Files.readAllBytes(Path.of(Peer.need("in"))) : Soap.envelope(Soap.version("1.1"), Soap.PAYLOAD); }

    /** Merlin reads its store from a file. JKS, because 1.5 fetches the private key for every message, and from PKCS#12 that is a PBKDF2 run each time. */
    static Crypto crypto(boolean sender) throws Exception {
        Path f = Files.createTempFile("unt", ".jks");
        try {
            KeyStore ks = Peer.store("JKS", sender ? "client" : "server", sender ? "server" : "client");
            try (OutputStream out = Files.newOutputStream(f)) { ks.store(out, Peer.password()); }
            Properties p = new Properties();
            String prefix = "org.apache.ws.security.crypto.merlin.";
            p.setProperty(prefix + "file", f.toString());
            p.setProperty(prefix + "keystore.type", "JKS");
            p.setProperty(prefix + "keystore.password", new String(Peer.password()));
            p.setProperty(prefix + "load.cacerts", "false");
            return new Merlin(p);
        } finally { Files.delete(f); }
    }

    static void command(List<String> a) throws Exception {
        switch (a.get(0)) {
            case "gen" -> {
                byte[] m = new Side(a.get(1), true, crypto(true)).send(clear());
                Files.write(Path.of(a.get(2)), m);
                Peer.say(a.get(1) + " " + m.length + " bytes");
            }
            case "check" -> {
                Document d = parse(Files.readAllBytes(Path.of(a.get(2))));
                for (WSSecurityEngineResult r : new Side(a.get(1), false, crypto(false)).receive(d)) Peer.say(told(r));
                Peer.say("body " + Soap.body(d).getTextContent());
                if (Peer.has("out")) Files.write(Path.of(Peer.need("out")), serialise(d));
            }
            case "open" -> {
                Document d = parse(Files.readAllBytes(Path.of(a.get(1))));
                new Side(Peer.opt("key", "a").equals("b") ? "unt2b" : "unt1", false, crypto(false)).open(d);
                Files.write(Path.of(a.get(2)), serialise(d));
            }
            case "call" -> call(a.get(1), a.get(2));
            case "serve" -> serve(Integer.parseInt(a.get(1)));
            default -> throw new Peer.Usage("gen CASE OUT, check CASE IN, open IN OUT, call CASE URL, serve PORT, batch");
        }
    }

    /** One exchange as a client; the reply is unsecured, and its body must be the one sent. */
    static void call(String name, String url) throws Exception {
        byte[] out = new Side(name, true, crypto(true)).send(clear());
        if (Peer.has("save")) Files.write(Path.of(Peer.need("save")), out);
        HttpResponse<byte[]> r = Soap.post(url, Soap.version("1.1"), out);
        Peer.say("answer " + Soap.answer(r, parse(r.body())));
    }

    /**
     * The echo of every case at /CASE, on a thread pool (--threads, default 16) behind the JDK's bare server; /none answers
     * without reading the message, which is what the server alone costs. Start the JVM with -Dsun.net.httpserver.nodelay=true.
     */
    static void serve(int port) throws Exception {
        HttpServer s = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 128);
        s.setExecutor(Executors.newFixedThreadPool(Integer.parseInt(Peer.opt("threads", "16"))));
        Crypto crypto = crypto(false);
        List<String> paths = new ArrayList<>(CASES);
        paths.add("none");
        for (String path : paths) {
            Side side = path.equals("none") ? null : new Side(path, false, crypto);
            s.createContext("/" + path, x -> {
                byte[] in = x.getRequestBody().readAllBytes(), out;
                String ns = Soap.V11;
                int code = 200;
                try {
                    if (side == null) out = Soap.envelope(ns, Soap.PAYLOAD);
                    else {
                        Document d = parse(in);
                        ns = d.getDocumentElement().getNamespaceURI();
                        side.receive(d);
                        out = serialise(Soap.echo(d, parse(Soap.envelope(ns, ""))));
                    }
                } catch (Exception e) {
                    out = fault(ns);
                    code = 500;
                    if (Peer.has("trace")) e.printStackTrace();
                }
                x.getResponseHeaders().set("Content-Type", Soap.type(ns));
                x.sendResponseHeaders(code, out.length);
                x.getResponseBody().write(out);
                x.close();
            });
        }
        s.start();
        System.out.println("ready " + s.getAddress().getPort());
    }

    static byte[] fault(String ns) {
        return Soap.envelope(ns, ns.equals(Soap.V12)
            ? "<soap:Fault><soap:Code><soap:Value>soap:Sender</soap:Value></soap:Code><soap:Reason><soap:Text xml:lang=\"en\">refused</soap:Text></soap:Reason></soap:Fault>"
            : "<soap:Fault><faultcode>soap:Client</faultcode><faultstring>refused</faultstring></soap:Fault>");
    }

    public static void main(String[] argv) throws Exception {
        if (!"on".equals(System.getProperty("interop.log"))) System.setProperty("org.apache.commons.logging.Log", "org.apache.commons.logging.impl.NoOpLog");
        Peer.main(argv, Unt::command);
    }
}

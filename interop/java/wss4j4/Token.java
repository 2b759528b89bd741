import java.nio.file.*;
import java.util.*;
import javax.security.auth.callback.*;
import org.apache.wss4j.common.ConfigurationConstants;
import org.apache.wss4j.common.crypto.*;
import org.apache.wss4j.common.ext.WSPasswordCallback;
import org.apache.wss4j.dom.*;
import org.apache.wss4j.dom.engine.*;
import org.apache.wss4j.dom.handler.*;
import org.apache.wss4j.dom.util.WSSecurityUtil;
import org.w3c.dom.*;

/**
 * WSS4J 4.0.1 in action mode with a UsernameToken, driven by the settings that its users write.
 *
 * <p>{@code --actions} takes the sender's list, {@code --results} the receiver's where it is another one. UsernameTokenSignature signs
 * the Body here: since 1.6 the token itself can no longer be the signed part.
 */
final class Token extends WSHandler {
    private final Map<String, Object> settings;
    private final Merlin crypto = new Merlin();
    private final List<Integer> expected;
    private final List<HandlerAction> actions;
    private final String user = TokenOptions.user(), word = TokenOptions.word(), storeWord = new String(Peer.password());

    Token(boolean server) throws Exception {
        String me = server ? "server" : "client", list = Peer.opt("actions", "UsernameToken Timestamp"), results = Peer.opt("results", list);
        crypto.setKeyStore(Peer.store("PKCS12", me, server ? "client" : "server"));
        crypto.setTrustStore(Peer.trust());
        actions = WSSecurityUtil.decodeHandlerAction(list, WSSConfig.getNewInstance());
        expected = WSSecurityUtil.decodeAction(results);
        settings = TokenOptions.settings(list, "oaep", this::password);
        // a receiver demands the type that is set; a token with a Salt has no password, and so no type
        if (server && results.contains("NoPassword")) {
            settings.remove(ConfigurationConstants.PASSWORD_TYPE);
            settings.put(ConfigurationConstants.ALLOW_USERNAMETOKEN_NOPASSWORD, "true");
        }
        settings.put(ConfigurationConstants.ADD_USERNAMETOKEN_NONCE, Boolean.toString(TokenOptions.elements().contains("Nonce")));
        settings.put(ConfigurationConstants.ADD_USERNAMETOKEN_CREATED, Boolean.toString(TokenOptions.elements().contains("Created")));
        settings.put(ConfigurationConstants.TTL_USERNAMETOKEN, Integer.toString(TokenOptions.ttl()));
        settings.put(ConfigurationConstants.ALLOW_RSA15_KEY_TRANSPORT_ALGORITHM, Boolean.toString(TokenOptions.isRsa15("oaep")));
    }

    private void password(Callback[] all) {
        for (Callback c : all)
            if (c instanceof WSPasswordCallback p) {
                if (p.getUsage() == WSPasswordCallback.USERNAME_TOKEN) { if (user.equals(p.getIdentifier())) p.setPassword(word); }
                else p.setPassword(storeWord);
            }
    }

    @Override protected Crypto loadEncryptionCrypto(RequestData r) { return crypto; }
    @Override protected Crypto loadDecryptionCrypto(RequestData r) { return crypto; }
    @Override public Crypto loadSignatureCrypto(RequestData r) { return crypto; }
    @Override public Crypto loadSignatureVerificationCrypto(RequestData r) { return crypto; }
    @Override public Object getOption(String k) { return settings.get(k); }
    @SuppressWarnings("unchecked")
    @Override public Object getProperty(Object c, String k) { return ((Map<String, Object>) c).get(k); }
    @SuppressWarnings("unchecked")
    @Override public void setProperty(Object c, String k, Object v) { ((Map<String, Object>) c).put(k, v); }
    @Override public String getPassword(Object c) { return null; }
    @Override public void setPassword(Object c, String p) { }

    private RequestData request() {
        RequestData r = new RequestData();
        r.setMsgContext(new HashMap<String, Object>());
        r.setUsername(user);
        return r;
    }

    byte[] send(byte[] envelope) throws Exception {
        Document d = Rc.parse(envelope);
        doSenderAction(d, request(), actions, true);
        return Rc.serialise(d);
    }

    /** Checks d, which is decrypted in place. No replay cache: the runner asks for that elsewhere. */
    List<WSSecurityEngineResult> receive(Document d) throws Exception {
        RequestData r = request();
        r.setWssConfig(Rc.CONFIG);
        doReceiverAction(expected, r);
        r.setSigVerCrypto(crypto);
        r.setDecCrypto(crypto);
        r.setCallbackHandler(this::password);
        WSHandlerResult all = new WSSecurityEngine().processSecurityHeader(d, r);
        if (all == null || all.getResults().isEmpty()) throw new Peer.Refused("no Security header");
        if (!checkReceiverResultsAnyOrder(all.getResults(), expected)) throw new Peer.Refused("other actions: " + all.getResults().stream().map(Token::what).toList());
        for (WSSecurityEngineResult x : all.getResults())
            if (x.get(WSSecurityEngineResult.TAG_PRINCIPAL) instanceof java.security.Principal p && !user.equals(p.getName())) throw new Peer.Refused("another user: " + p.getName());
        return all.getResults();
    }

    static String what(WSSecurityEngineResult r) {
        return switch ((Integer) r.get(WSSecurityEngineResult.TAG_ACTION)) {
            case WSConstants.UT -> "UsernameToken";
            case WSConstants.UT_NOPASSWORD -> "UsernameTokenNoPassword";
            case WSConstants.UT_SIGN -> "UsernameTokenSignature";
            case WSConstants.ENCR -> "Encryption";
            case WSConstants.TS -> "Timestamp";
            case WSConstants.BST -> "BinarySecurityToken";
            default -> String.valueOf(r.get(WSSecurityEngineResult.TAG_ACTION));
        };
    }

    static String told(WSSecurityEngineResult r) {
        StringBuilder b = new StringBuilder(what(r));
        if (r.get(WSSecurityEngineResult.TAG_PRINCIPAL) instanceof java.security.Principal p) b.append(" user=").append(p.getName());
        if (r.get(WSSecurityEngineResult.TAG_DATA_REF_URIS) instanceof List<?> l)
            for (Object x : l)
                if (x instanceof WSDataRef w && w.getName() != null) b.append(what(r).equals("Encryption") ? " encrypted=" : " signed=").append(w.getName().getLocalPart());
        return b.toString();
    }

    static void gen(Path out) throws Exception {
        byte[] m = new Token(false).send(Peer.has("in") ? Rc.read("in") : Soap.envelope(Rc.soap(), Soap.PAYLOAD));
        Files.write(out, m);
        Peer.say(m.length + " bytes");
    }

    static void check(Path in) throws Exception {
        Document d = Rc.parse(Files.readAllBytes(in));
        for (WSSecurityEngineResult r : new Token(true).receive(d)) Peer.say(told(r));
        Peer.say("body " + Soap.body(d).getTextContent());
    }

    /** One exchange as a client; the reply is unsecured. */
    static void call(String url) throws Exception {
        byte[] out = new Token(false).send(Soap.envelope(Rc.soap(), Soap.PAYLOAD));
        if (Peer.has("save")) Files.write(Path.of(Peer.need("save")), out);
        var r = Soap.post(url, Rc.soap(), out);
        Peer.say("answer " + Soap.answer(r, Rc.parse(r.body())));
    }

    /** Checks a request and answers its body, unsecured. */
    byte[] exchange(byte[] request) throws Exception {
        Document d = Rc.parse(request);
        receive(d);
        return Rc.serialise(Soap.echo(d, Rc.parse(Soap.envelope(d.getDocumentElement().getNamespaceURI(), ""))));
    }
}

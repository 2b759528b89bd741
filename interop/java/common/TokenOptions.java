import java.util.*;
import javax.security.auth.callback.CallbackHandler;

/**
 * The options of a program that sends or takes UsernameTokens, as settings of WSS4J's handlers: 1.5 and 4 call them by the same names, and the
 * words they take are the same.
 */
final class TokenOptions {
    private static final String XENC = "http://www.w3.org/2001/04/xmlenc#", XENC11 = "http://www.w3.org/2009/xmlenc11#";

    private TokenOptions() { }

    static String user() { return Peer.opt("user", "alice"); }
    static String word() { return Peer.opt("word", "verySecret"); }
    /** What the token holds besides the name and the password: "Nonce Created", either, or "none". */
    static String elements() { return Peer.opt("elements", "Nonce Created"); }
    static int ttl() { return Integer.parseInt(Peer.opt("ttl", "300")); }

    /** Settings of one side. {@code transport} is the key transport where none is asked for. */
    static Map<String, Object> settings(String actions, String transport, CallbackHandler password) throws Peer.Usage {
        Map<String, Object> to = new HashMap<>();
        to.put("action", actions);
        to.put("user", user());
        to.put("signatureUser", "client");
        to.put("encryptionUser", "server");
        to.put("passwordCallbackRef", password);
        to.put("passwordType", switch (Peer.opt("type", "text")) {
            case "text" -> "PasswordText";
            case "digest" -> "PasswordDigest";
            case "none" -> "PasswordNone";
            default -> throw new Peer.Usage("--type text|digest|none");
        });
        to.put("timeToLive", Integer.toString(ttl()));
        to.put("precisionInMilliseconds", Peer.opt("seconds", "off").equals("on") ? "false" : "true");
        to.put("encryptionKeyTransportAlgorithm", transport(transport));
        to.put("encryptionSymAlgorithm", switch (Peer.opt("cipher", "aes128")) {
            case "aes128" -> XENC + "aes128-cbc";
            case "aes192" -> XENC + "aes192-cbc";
            case "aes256" -> XENC + "aes256-cbc";
            case "3des" -> XENC + "tripledes-cbc";
            case "aes128-gcm" -> XENC11 + "aes128-gcm"; // WSS4J 4 alone knows GCM
            case "aes256-gcm" -> XENC11 + "aes256-gcm";
            default -> throw new Peer.Usage("--cipher aes128|aes192|aes256|3des|aes128-gcm|aes256-gcm");
        });
        for (String[] o : new String[][] {{"encrypted", "encryptionParts"}, {"signed", "signatureParts"}, {"enc-id", "encryptionKeyIdentifier"}, {"sig-id", "signatureKeyIdentifier"},
                                          {"iterations", "derivedKeyIterations"}, {"sig-alg", "signatureAlgorithm"}, {"digest-alg", "signatureDigestAlgorithm"}})
            if (Peer.has(o[0])) to.put(o[1], Peer.need(o[0]));
        return to;
    }

    /** Octets of a key of --cipher. */
    static int keySize() { return switch (Peer.opt("cipher", "aes128")) { case "aes128", "aes128-gcm" -> 16; case "aes192", "3des" -> 24; default -> 32; }; }

    private static String transport(String otherwise) throws Peer.Usage {
        return switch (Peer.opt("transport", otherwise)) {
            case "rsa15" -> XENC + "rsa-1_5";
            case "oaep" -> XENC + "rsa-oaep-mgf1p";
            default -> throw new Peer.Usage("--transport rsa15|oaep");
        };
    }
    static boolean isRsa15(String otherwise) { return Peer.opt("transport", otherwise).equals("rsa15"); }
}

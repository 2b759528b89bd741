import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.security.*;
import java.security.cert.*;
import java.util.*;

/**
 * What every peer program shares: options, key stores, exit codes and the batch loop.
 *
 * <p>Exit codes: 0 accepted, 1 refused, 2 could not run. {@code batch} reads one command per line from stdin
 * (arguments separated by tabs) and answers each with one line {@code CODE TAB TEXT}, so that a test run pays for one
 * Java start instead of one per message.
 */
final class Peer {
    /** The answer "no": a message that the peer does not accept. */
    static final class Refused extends Exception {
        Refused(String why) { super(why); }
    }
    static final class Usage extends Exception {
        Usage(String why) { super(why); }
    }
    interface Command { void run(List<String> args) throws Exception; }

    private static Map<String, String> base = Map.of();
    private static Map<String, String> opt = new HashMap<>();
    private static final StringBuilder said = new StringBuilder();
    private static boolean batch;

    private Peer() { }

    static String opt(String name, String otherwise) { return opt.getOrDefault(name, otherwise); }
    static boolean has(String name) { return opt.containsKey(name); }
    static String need(String name) throws Usage {
        String v = opt.get(name);
        if (v == null) throw new Usage("--" + name + " is missing");
        return v;
    }

    /** One line of result. */
    static void say(String line) {
        if (batch) said.append(said.isEmpty() ? "" : "; ").append(line);
        else System.out.println(line);
    }

    static List<String> parse(String[] argv, Map<String, String> from) throws Usage {
        opt = new HashMap<>(from);
        List<String> rest = new ArrayList<>();
        for (int i = 0; i < argv.length; i++) {
            if (!argv[i].startsWith("--")) { rest.add(argv[i]); continue; }
            if (i + 1 == argv.length) throw new Usage(argv[i] + " wants a value");
            opt.put(argv[i].substring(2), argv[++i]);
        }
        return rest;
    }

    /** Runs a program. Only a command that returns normally with {@code serving} set leaves the JVM alive. */
    static void main(String[] argv, Command command) throws IOException {
        List<String> args;
        try { args = parse(argv, Map.of()); } catch (Usage e) { System.err.println(e.getMessage()); System.exit(2); return; }
        if (args.equals(List.of("batch"))) { loop(command); System.exit(0); }
        StringBuilder why = new StringBuilder();
        int code = one(command, args, why);
        if (code != 0) System.err.println((code == 1 ? "refused: " : "error: ") + why);
        System.out.flush();
        if (code != 0 || args.isEmpty() || !args.get(0).equals("serve")) System.exit(code);
    }

    private static void loop(Command command) throws IOException {
        batch = true;
        base = opt;
        PrintStream out = System.out;
        System.setOut(System.err); // whatever a library prints must not look like an answer
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        out.println("ready");
        for (String line; (line = in.readLine()) != null;) {
            said.setLength(0);
            StringBuilder why = new StringBuilder();
            int code;
            try { code = one(command, parse(line.split("\t"), base), why); } catch (Usage e) { code = 2; why.append(e.getMessage()); }
            out.println(code + "\t" + (code == 0 ? said : why).toString().replaceAll("[\\r\\n\\t]+", " "));
            out.flush();
        }
    }

    private static int one(Command command, List<String> args, StringBuilder why) {
        try {
            command.run(args);
            return 0;
        } catch (Usage | IndexOutOfBoundsException | NoSuchFileException | FileNotFoundException e) {
            why.append(e);
            return 2;
        } catch (Throwable e) {
            for (Throwable t = e; t != null; t = t.getCause()) why.append(why.isEmpty() ? "" : " / ").append(t);
            if (has("trace")) e.printStackTrace();
            return 1;
        }
    }

    // ---- keys ----------------------------------------------------------------------------------------------------

    /** {@code --password-file}, else the file {@code password} of {@code --keys}, else "changeit". */
    static char[] password() throws Exception {
        String file = opt("password-file", null);
        if (file == null && has("keys") && Files.exists(Path.of(need("keys"), "password"))) file = Path.of(need("keys"), "password").toString();
        return file == null ? "changeit".toCharArray() : Files.readString(Path.of(file)).strip().toCharArray();
    }

    private static String file(String who) throws Exception {
        if (has(who + "-p12")) return need(who + "-p12");
        return Path.of(need("keys"), who + (opt("ec", "off").equals("on") ? "-ec" : "") + ".p12").toString();
    }

    /** The private key and chain of a PKCS#12 file, whatever its alias is. */
    static KeyStore.PrivateKeyEntry entry(String who) throws Exception {
        char[] pw = password();
        KeyStore ks = KeyStore.getInstance("PKCS12");
        try (InputStream in = new FileInputStream(file(who))) { ks.load(in, pw); }
        String alias = null;
        for (String a : Collections.list(ks.aliases()))
            if (ks.isKeyEntry(a) && (alias == null || a.equals(who))) alias = a;
        if (alias == null) throw new KeyStoreException("no private key for " + who);
        return (KeyStore.PrivateKeyEntry) ks.getEntry(alias, new KeyStore.PasswordProtection(pw));
    }

    /** The certificate of a side: {@code --WHO-cert PEM}, else the one in its PKCS#12 file. */
    static X509Certificate certificate(String who) throws Exception {
        return has(who + "-cert") ? pem(need(who + "-cert")) : (X509Certificate) entry(who).getCertificate();
    }

    static X509Certificate ca() throws Exception { return pem(has("ca") ? need("ca") : Path.of(need("keys"), "ca.pem").toString()); }

    private static X509Certificate pem(String file) throws Exception {
        try (InputStream in = new FileInputStream(file)) {
            return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }

    /** An in-memory store with our key under {@code me} and the other side's certificate under {@code other}. */
    static KeyStore store(String type, String me, String other) throws Exception {
        char[] pw = password();
        KeyStore ks = KeyStore.getInstance(type);
        ks.load(null, pw);
        KeyStore.PrivateKeyEntry e = entry(me);
        ks.setKeyEntry(me, e.getPrivateKey(), pw, e.getCertificateChain());
        ks.setCertificateEntry(other, certificate(other));
        return ks;
    }

    /** A trust store that holds the CA alone. */
    static KeyStore trust() throws Exception {
        KeyStore ts = KeyStore.getInstance("PKCS12");
        ts.load(null, null);
        ts.setCertificateEntry("ca", ca());
        return ts;
    }
}

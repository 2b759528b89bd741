import com.sun.net.httpserver.*;
import java.io.*;
import java.net.InetSocketAddress;
import java.nio.file.*;
import java.security.KeyStore;
import java.util.*;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import javax.security.auth.callback.*;
import javax.xml.namespace.QName;
import org.apache.axiom.om.*;
import org.apache.axiom.om.util.AXIOMUtil;
import org.apache.axiom.soap.SOAP12Constants;
import org.apache.axis2.AxisFault;
import org.apache.axis2.Constants;
import org.apache.axis2.addressing.EndpointReference;
import org.apache.axis2.client.*;
import org.apache.axis2.context.*;
import org.apache.axis2.description.*;
import org.apache.axis2.engine.AxisEngine;
import org.apache.axis2.transport.TransportListener;
import org.apache.axis2.transport.http.HTTPTransportUtils;
import org.apache.axis2.util.MessageContextBuilder;
import org.apache.neethi.*;
import org.apache.ws.security.WSPasswordCallback;

/** Axis2 1.7.0 with Rampart 1.7.0 (WSS4J 1.6.16): both ends of a policy. */
public class Ramp {
    static final String ACTION = "http://example.com/ws/2004/09/policy/Test/EchoRequest";

    /** Axis2 wants a listener for each transport that it answers on; the sockets are ours. */
    public static class Listener implements TransportListener {
        @Override public void init(ConfigurationContext c, TransportInDescription d) { }
        @Override public void start() { }
        @Override public void stop() { }
        @Override public EndpointReference[] getEPRsForService(String s, String ip) { return null; }
        @Override public SessionContext getSessionContext(MessageContext m) { return null; }
        @Override public void destroy() { }
    }
    public static class Callbacks implements CallbackHandler {
        @Override public void handle(Callback[] cs) {
            try {
                for (Callback c : cs)
                    if (c instanceof WSPasswordCallback w) {
                        if (w.getUsage() != WSPasswordCallback.USERNAME_TOKEN) w.setPassword(new String(Peer.password()));
                        else if (Peer.opt("user", "alice").equals(w.getIdentifier())) w.setPassword(Peer.opt("word", "verySecret"));
                    }
            } catch (Exception e) { throw new IllegalStateException(e); }
        }
    }
    public static class Receiver extends org.apache.axis2.receivers.AbstractInOutMessageReceiver {
        @Override public void invokeBusinessLogic(MessageContext in, MessageContext out) throws AxisFault {
            OMElement body = in.getEnvelope().getBody().getFirstElement();
            var env = getSOAPFactory(in).getDefaultEnvelope();
            env.getBody().addChild(body.cloneOMElement());
            out.setEnvelope(env);
        }
    }

    /** One key store for Merlin (1.6 reads trusted certificates from it too), written to a temporary file. */
    static String store(boolean server) throws Exception {
        KeyStore ks = Peer.store("JKS", server ? "server" : "client", server ? "client" : "server");
        ks.setCertificateEntry("ca", Peer.ca());
        Path f = Files.createTempFile("ramp", ".jks");
        f.toFile().deleteOnExit();
        try (OutputStream out = Files.newOutputStream(f)) { ks.store(out, Peer.password()); }
        return f.toString();
    }

    /** The policy of --policy with Rampart's own configuration assertion added to its alternative. */
    static Policy policy(boolean server, Path file) throws Exception {
        String merlin = "org.apache.ws.security.crypto.merlin.";
        String crypto = "<ramp:crypto provider=\"org.apache.ws.security.components.crypto.Merlin\">"
            + "<ramp:property name=\"" + merlin + "keystore.type\">JKS</ramp:property>"
            + "<ramp:property name=\"" + merlin + "file\">" + store(server) + "</ramp:property>"
            + "<ramp:property name=\"" + merlin + "keystore.password\">" + new String(Peer.password()) + "</ramp:property></ramp:crypto>";
        String cfg = "<ramp:RampartConfig xmlns:ramp=\"http://ws.apache.org/rampart/policy\"><ramp:user>" + Peer.opt("user", "alice") + "</ramp:user><ramp:userCertAlias>" + (server ? "server" : "client") + "</ramp:userCertAlias>"
            + "<ramp:encryptionUser>" + (server ? "useReqSigCert" : "server") + "</ramp:encryptionUser><ramp:passwordCallbackClass>Ramp$Callbacks</ramp:passwordCallbackClass>"
            + "<ramp:signatureCrypto>" + crypto + "</ramp:signatureCrypto><ramp:encryptionCrypto>" + crypto + "</ramp:encryptionCrypto></ramp:RampartConfig>";
        String p = Files.readString(file).replaceFirst("</wsp:All>\\s*</wsp:ExactlyOne>\\s*</wsp:Policy>\\s*$",
            Matcher.quoteReplacement(cfg) + "</wsp:All></wsp:ExactlyOne></wsp:Policy>");
        return PolicyEngine.getPolicy(new ByteArrayInputStream(p.getBytes("UTF-8")));
    }

    /** An Axis2 repository in a temporary folder, with the rampart module archive of --lib. */
    static ConfigurationContext context() throws Exception {
        Path repo = Files.createTempDirectory("axis2repo");
        Files.createDirectories(repo.resolve("modules"));
        Files.createDirectories(repo.resolve("services"));
        Path here = Path.of(Ramp.class.getProtectionDomain().getCodeSource().getLocation().toURI()), mar;
        try (var s = Files.list(here.resolveSibling("lib"))) { mar = s.filter(x -> x.toString().endsWith(".mar")).findFirst().orElseThrow(); }
        Files.copy(mar, repo.resolve("modules/rampart.mar"));
        Path xml = repo.resolve("axis2.xml");
        try (InputStream in = Ramp.class.getResourceAsStream("/axis2.xml")) { Files.copy(in, xml); }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try (var s = Files.walk(repo)) { s.sorted(Comparator.reverseOrder()).forEach(f -> f.toFile().delete()); } catch (IOException e) { /* a temporary folder stays */ }
        }));
        return ConfigurationContextFactory.createConfigurationContextFromFileSystem(repo.toString(), xml.toString());
    }

    /** The echo under --policy at any path, and for every file NAME.xml of the folder --also at /axis2/services/NAME under that. */
    static void serve(int port) throws Exception {
        ConfigurationContext cc = context();
        publish(cc, "sec_echo", Path.of(Peer.need("policy")));
        if (Peer.has("also")) {
            try (var files = Files.newDirectoryStream(Path.of(Peer.need("also")), "*.xml")) {
                for (Path f : files) {
                    try {
                        publish(cc, f.getFileName().toString().replace(".xml", ""), f);
                    } catch (Exception e) { System.err.println(f + ": " + e); } // a policy that Rampart does not know is not served
                }
            }
        }
        HttpServer h = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 128);
        h.setExecutor(Executors.newFixedThreadPool(4));
        h.createContext("/", x -> {
            ByteArrayOutputStream out = new ByteArrayOutputStream(8192);
            String path = x.getRequestURI().getPath();
            int code = process(cc, path.startsWith("/axis2/services/") ? path : "/axis2/services/sec_echo", x.getRequestBody().readAllBytes(), x.getRequestHeaders(), out);
            byte[] b = out.toByteArray();
            x.getResponseHeaders().set("Content-Type", "application/soap+xml; charset=utf-8");
            x.sendResponseHeaders(code, b.length == 0 ? -1 : b.length);
            if (b.length > 0) x.getResponseBody().write(b);
            x.close();
        });
        h.start();
        System.out.println("ready " + h.getAddress().getPort());
    }

    static void publish(ConfigurationContext cc, String name, Path policy) throws Exception {
        AxisService s = new AxisService(name);
        InOutAxisOperation op = new InOutAxisOperation(new QName("echoString"));
        op.setMessageReceiver(new Receiver());
        s.addOperation(op);
        s.mapActionToOperation(ACTION, op);
        s.addMessageElementQNameToOperationMapping(new QName("http://www.wso2.org/types", "greetRequest"), op);
        s.getPolicySubject().attachPolicy(policy(true, policy));
        cc.getAxisConfiguration().addService(s);
        s.engageModule(cc.getAxisConfiguration().getModule("rampart"));
    }

    /** One request through the Axis2 engine; the reply or fault goes to {@code out}, the HTTP status is returned. */
    static int process(ConfigurationContext cc, String path, byte[] body, Headers headers, ByteArrayOutputStream out) {
        MessageContext m = null;
        try {
            m = cc.createMessageContext();
            m.setIncomingTransportName("http");
            m.setTransportIn(cc.getAxisConfiguration().getTransportIn("http"));
            m.setTransportOut(cc.getAxisConfiguration().getTransportOut("http"));
            m.setServerSide(true);
            m.setProperty(MessageContext.TRANSPORT_OUT, out);
            m.setProperty(Constants.OUT_TRANSPORT_INFO, new Info());
            HTTPTransportUtils.processHTTPPostRequest(m, new ByteArrayInputStream(body), out, headers.getFirst("Content-Type"), headers.getFirst("SOAPAction"), path);
            return 200;
        } catch (Exception e) {
            if (Peer.has("trace")) e.printStackTrace();
            try {
                out.reset();
                MessageContext f = MessageContextBuilder.createFaultMessageContext(m, e);
                f.setProperty(MessageContext.TRANSPORT_OUT, out);
                f.setProperty(Constants.OUT_TRANSPORT_INFO, new Info());
                AxisEngine.sendFault(f);
            } catch (Exception e2) { if (Peer.has("trace")) e2.printStackTrace(); }
            return 500;
        }
    }
    static final class Info implements org.apache.axis2.transport.OutTransportInfo {
        @Override public void setContentType(String t) { }
    }

    static void call(String url) throws Exception {
        ServiceClient c = new ServiceClient(context(), null);
        Options op = new Options();
        op.setTo(new EndpointReference(url));
        op.setAction(ACTION);
        op.setSoapVersionURI(SOAP12Constants.SOAP_ENVELOPE_NAMESPACE_URI);
        op.setProperty(org.apache.rampart.RampartMessageData.KEY_RAMPART_POLICY, policy(false, Path.of(Peer.need("policy"))));
        op.setProperty(org.apache.axis2.transport.http.HTTPConstants.CHUNKED, Peer.opt("chunking", "off").equals("on") ? "true" : "false");
        op.setTimeOutInMilliSeconds(60000);
        c.setOptions(op);
        c.engageModule("rampart");
        String text = Peer.opt("text", "test me");
        OMElement r = c.sendReceive(AXIOMUtil.stringToOM("<greetRequest xmlns=\"http://www.wso2.org/types\"><name>" + text + "</name></greetRequest>"));
        if (!text.equals(r.getFirstElement().getText())) throw new Peer.Refused("another answer: " + r);
        Peer.say("answer " + r.getFirstElement().getText());
        c.cleanupTransport();
    }

    static void command(List<String> a) throws Exception {
        switch (a.get(0)) {
            case "serve" -> serve(Integer.parseInt(a.get(1)));
            case "call" -> call(a.get(1));
            default -> throw new Peer.Usage("serve PORT, call URL, batch");
        }
    }
    public static void main(String[] argv) throws Exception {
        if (!"on".equals(System.getProperty("interop.log"))) System.setProperty("org.apache.commons.logging.Log", "org.apache.commons.logging.impl.NoOpLog");
        Peer.main(argv, Ramp::command);
    }
}

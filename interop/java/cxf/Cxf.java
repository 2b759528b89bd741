import jakarta.jws.WebService;
import jakarta.xml.ws.soap.SOAPBinding;
import java.io.*;
import java.nio.file.*;
import java.util.*;
import javax.security.auth.callback.*;
import javax.xml.namespace.QName;
import org.apache.cxf.endpoint.Client;
import org.apache.cxf.frontend.ClientProxy;
import org.apache.cxf.io.*;
import org.apache.cxf.jaxws.*;
import org.apache.cxf.message.Message;
import org.apache.cxf.phase.*;
import org.apache.wss4j.common.crypto.Merlin;
import org.apache.wss4j.common.ext.WSPasswordCallback;

/**
 * CXF 4.2.3: echo service and client, the policy attached in the WSDL.
 *
 * <p>A policy that asks for a UsernameToken gets {@code --user} and {@code --word} (alice, verySecret).
 */
public class Cxf {
    static final String NS = "urn:bartizan:echo";

    @WebService(serviceName = "SecEchoService", portName = "SecEchoPort", targetNamespace = NS, endpointInterface = "Echo")
    public static class Impl implements Echo {
        @Override public Greet echoString(Greet in) { return in; }
    }

    /** The WSDL with a policy and the address filled in, as a temporary file. */
    static String wsdl(Path file, String address) throws Exception {
        String policy = Files.readString(file).replaceFirst("<\\?xml[^>]*\\?>", "");
        policy = policy.replaceFirst("<wsp:Policy ", "<wsp:Policy wsu:Id=\"P\" xmlns:wsu=\"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd\" ");
        String w = """
            <wsdl:definitions xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/"
              xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:bartizan:echo" targetNamespace="urn:bartizan:echo"
              xmlns:g="http://www.wso2.org/types" xmlns:wsp="http://schemas.xmlsoap.org/ws/2004/09/policy">
            @POLICY@
            <wsdl:types>
              <xs:schema targetNamespace="http://www.wso2.org/types" elementFormDefault="qualified"><xs:element name="greetRequest" type="g:GreetRequest"/>
                <xs:complexType name="GreetRequest"><xs:sequence><xs:element name="name" type="xs:string" minOccurs="0"/></xs:sequence></xs:complexType></xs:schema>
            </wsdl:types>
            <wsdl:message name="echoString"><wsdl:part name="in" element="g:greetRequest"/></wsdl:message>
            <wsdl:message name="echoStringResponse"><wsdl:part name="out" element="g:greetRequest"/></wsdl:message>
            <wsdl:portType name="SecEcho"><wsdl:operation name="echoString"><wsdl:input message="t:echoString"/><wsdl:output message="t:echoStringResponse"/></wsdl:operation></wsdl:portType>
            <wsdl:binding name="SecEchoBinding" type="t:SecEcho">
              <wsp:PolicyReference URI="#P"/>
              <soap12:binding transport="http://schemas.xmlsoap.org/soap/http" style="document"/>
              <wsdl:operation name="echoString"><soap12:operation soapAction="http://example.com/ws/2004/09/policy/Test/EchoRequest"/>
                <wsdl:input><soap12:body use="literal"/></wsdl:input><wsdl:output><soap12:body use="literal"/></wsdl:output></wsdl:operation>
            </wsdl:binding>
            <wsdl:service name="SecEchoService"><wsdl:port name="SecEchoPort" binding="t:SecEchoBinding"><soap12:address location="@ADDRESS@"/></wsdl:port></wsdl:service>
            </wsdl:definitions>
            """.replace("@POLICY@", policy).replace("@ADDRESS@", address);
        Path f = Files.createTempFile("echo", ".wsdl");
        f.toFile().deleteOnExit();
        Files.writeString(f, w);
        return f.toUri().toString();
    }

    static Map<String, Object> properties(boolean server) throws Exception {
        String me = server ? "server" : "client", pw = new String(Peer.password());
        Merlin m = new Merlin();
        m.setKeyStore(Peer.store("PKCS12", me, server ? "client" : "server"));
        m.setTrustStore(Peer.trust());
        m.setDefaultX509Identifier(me);
        Map<String, Object> p = new HashMap<>();
        p.put("security.signature.crypto", m);
        p.put("security.encryption.crypto", m);
        p.put("security.signature.username", me);
        p.put("security.encryption.username", server ? "useReqSigCert" : "server");
        String user = Peer.opt("user", "alice"), word = Peer.opt("word", "verySecret");
        p.put("security.username", user);
        p.put("security.callback-handler", (CallbackHandler) cs -> {
            for (Callback c : cs)
                if (c instanceof WSPasswordCallback w) {
                    if (w.getUsage() != WSPasswordCallback.USERNAME_TOKEN) w.setPassword(pw);
                    else if (user.equals(w.getIdentifier())) w.setPassword(word);
                }
        });
        if (Peer.opt("prefixes", "on").equals("off")) p.put("ws-security.add.inclusive.prefixes", "false");
        if (Peer.opt("stax", "off").equals("on")) p.put("ws-security.enable.streaming", "true");
        String replay = Peer.opt("replay", "off").equals("on") ? "true" : "false";
        p.put("ws-security.enable.nonce.cache", replay);
        p.put("ws-security.enable.timestamp.cache", replay);
        if (Peer.has("ttl")) { // seconds that Timestamps and tokens may be old
            p.put("ws-security.timestamp.timeToLive", Peer.need("ttl"));
            p.put("ws-security.usernametoken.timeToLive", Peer.need("ttl"));
        }
        p.put("allowUsernameTokenNoPassword", "true"); // a token with a Salt has none; a policy that wants a password still asks for it
        p.put("ws-security.return.security.error", "true");
        return p;
    }

    /** The echo at /sec_echo under --policy, and for every file NAME.xml of the folder --also at /NAME under that. */
    static void serve(int port) throws Exception {
        publish("http://127.0.0.1:" + port + "/sec_echo", Path.of(Peer.need("policy")));
        if (Peer.has("also")) {
            try (var files = Files.newDirectoryStream(Path.of(Peer.need("also")), "*.xml")) {
                for (Path f : files) publish("http://127.0.0.1:" + port + "/" + f.getFileName().toString().replace(".xml", ""), f);
            }
        }
        System.out.println("ready " + port);
        Thread.currentThread().join();
    }
    static void publish(String address, Path policy) throws Exception {
        JaxWsServerFactoryBean f = new JaxWsServerFactoryBean();
        f.setServiceBean(new Impl());
        f.setWsdlURL(wsdl(policy, address));
        f.setServiceName(new QName(NS, "SecEchoService"));
        f.setEndpointName(new QName(NS, "SecEchoPort"));
        f.setBindingId(SOAPBinding.SOAP12HTTP_BINDING);
        f.setAddress(address);
        f.setProperties(properties(true));
        f.create();
    }

    static void call(String url) throws Exception {
        JaxWsProxyFactoryBean f = new JaxWsProxyFactoryBean();
        f.setServiceClass(Echo.class);
        f.setWsdlURL(wsdl(Path.of(Peer.need("policy")), url));
        f.setServiceName(new QName(NS, "SecEchoService"));
        f.setEndpointName(new QName(NS, "SecEchoPort"));
        f.setAddress(url);
        f.setProperties(properties(false));
        Echo e = (Echo) f.create();
        Client c = ClientProxy.getClient(e);
        ((org.apache.cxf.transport.http.HTTPConduit) c.getConduit()).getClient().setAllowChunking(Peer.opt("chunking", "off").equals("on"));
        if (Peer.has("save")) c.getOutInterceptors().add(new AbstractPhaseInterceptor<Message>(Phase.PRE_STREAM) {
            @Override public void handleMessage(Message m) {
                CacheAndWriteOutputStream tee = new CacheAndWriteOutputStream(m.getContent(OutputStream.class));
                tee.setThreshold(1 << 24);
                m.setContent(OutputStream.class, tee);
                tee.registerCallback(new CachedOutputStreamCallback() {
                    @Override public void onClose(CachedOutputStream o) { keep("save", o); }
                    @Override public void onFlush(CachedOutputStream o) { }
                });
            }
        });
        if (Peer.has("save-reply")) c.getInInterceptors().add(new AbstractPhaseInterceptor<Message>(Phase.RECEIVE) {
            @Override public void handleMessage(Message m) {
                try {
                    byte[] b = m.getContent(InputStream.class).readAllBytes();
                    Files.write(Path.of(Peer.opt("save-reply", "")), b);
                    m.setContent(InputStream.class, new ByteArrayInputStream(b));
                } catch (IOException x) { throw new UncheckedIOException(x); }
            }
        });
        Echo.Greet in = new Echo.Greet();
        in.name = Peer.opt("text", "test me");
        Echo.Greet out = e.echoString(in);
        if (!in.name.equals(out.name)) throw new Peer.Refused("another answer: " + out.name);
        Peer.say("answer " + out.name);
    }
    static void keep(String option, CachedOutputStream o) {
        try { Files.write(Path.of(Peer.opt(option, "")), o.getBytes()); } catch (IOException x) { throw new UncheckedIOException(x); }
    }

    static void command(List<String> a) throws Exception {
        switch (a.get(0)) {
            case "serve" -> serve(Integer.parseInt(a.get(1)));
            case "call" -> call(a.get(1));
            default -> throw new Peer.Usage("serve PORT, call URL, batch");
        }
    }
    public static void main(String[] argv) throws Exception {
        java.util.logging.LogManager.getLogManager().reset();
        Peer.main(argv, Cxf::command);
    }
}

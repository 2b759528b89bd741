import java.net.URI;
import java.net.http.*;
import java.nio.charset.StandardCharsets;
import org.w3c.dom.*;

/** Envelopes, as every program of these makes and reads them. */
final class Soap {
    static final String V11 = "http://schemas.xmlsoap.org/soap/envelope/", V12 = "http://www.w3.org/2003/05/soap-envelope";
    static final String PAYLOAD = "<greetRequest xmlns=\"http://www.wso2.org/types\"><name>test me</name></greetRequest>";

    private Soap() { }

    /** The namespace that --soap 1.1 or 1.2 asks for. */
    static String version(String otherwise) { return Peer.opt("soap", otherwise).equals("1.1") ? V11 : V12; }

    static byte[] envelope(String ns, String body) {
        return ("<soap:Envelope xmlns:soap=\"" + ns + "\"><soap:Body>" + body + "</soap:Body></soap:Envelope>").getBytes(StandardCharsets.UTF_8);
    }

    /** The Body that is a child of the Envelope. */
    static Element body(Document d) throws Peer.Refused {
        for (Node n = d.getDocumentElement().getFirstChild(); n != null; n = n.getNextSibling())
            if (n instanceof Element e && "Body".equals(e.getLocalName()) && d.getDocumentElement().getNamespaceURI().equals(e.getNamespaceURI())) return e;
        throw new Peer.Refused("no Body");
    }

    static String type(String ns) { return ns.equals(V12) ? "application/soap+xml; charset=utf-8" : "text/xml; charset=utf-8"; }

    static HttpResponse<byte[]> post(String url, String ns, byte[] message) throws Exception {
        return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build().send(
            HttpRequest.newBuilder(URI.create(url)).header("Content-Type", type(ns)).header("SOAPAction", "\"\"").POST(HttpRequest.BodyPublishers.ofByteArray(message)).build(),
            HttpResponse.BodyHandlers.ofByteArray());
    }

    /** The text of an unsecured answer, which must be no fault. */
    static String answer(HttpResponse<byte[]> r, Document d) throws Peer.Refused {
        Element body = body(d);
        if (r.statusCode() != 200 || body.getElementsByTagNameNS(body.getNamespaceURI(), "Fault").getLength() > 0) throw new Peer.Refused("HTTP " + r.statusCode() + " " + body.getTextContent());
        return body.getTextContent();
    }

    /** Gives {@code to} the content of the Body of {@code from}. */
    static Document echo(Document from, Document to) throws Peer.Refused {
        for (Node n = body(from).getFirstChild(); n != null; n = n.getNextSibling()) body(to).appendChild(to.importNode(n, true));
        return to;
    }
}

import jakarta.jws.*;
import jakarta.jws.soap.SOAPBinding;
import jakarta.xml.bind.annotation.*;

/** The echo service as JAX-WS sees it: answers the body that it was sent. */
@WebService(name = "SecEcho", targetNamespace = "urn:bartizan:echo")
@SOAPBinding(parameterStyle = SOAPBinding.ParameterStyle.BARE)
@XmlSeeAlso(Echo.Greet.class)
public interface Echo {
    String TYPES = "http://www.wso2.org/types";

    @XmlRootElement(name = "greetRequest", namespace = TYPES)
    @XmlAccessorType(XmlAccessType.FIELD)
    @XmlType(name = "GreetRequest", namespace = TYPES)
    class Greet { @XmlElement(namespace = TYPES) public String name; }

    @WebMethod(operationName = "echoString", action = "http://example.com/ws/2004/09/policy/Test/EchoRequest")
    @WebResult(name = "greetRequest", targetNamespace = TYPES, partName = "out")
    Greet echoString(@WebParam(name = "greetRequest", targetNamespace = TYPES, partName = "in") Greet in);
}

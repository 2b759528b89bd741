// The echo service for soapcpp2: the body of the reply is the one of the request.
//gsoap g service name: Echo
//gsoap g service namespace: http://www.wso2.org/types
//gsoap g service protocol: SOAP
//gsoap g service style: document
//gsoap g service encoding: literal
//gsoap g schema form: qualified
#import "wsse.h"

struct _g__greetRequest { char *name; };

//gsoap g service method-action: greet http://example.com/ws/2004/09/policy/Test/EchoRequest
int __g__greet(struct _g__greetRequest *g__greetRequest, struct _g__greetRequest *answer);

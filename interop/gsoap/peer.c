/* gSOAP's wsse plug-in as a peer: a UsernameToken with a text or digest password and a Timestamp, nothing signed.
 *
 *   gen OUT | call URL    [--type text|digest|none] [--user NAME] [--word PASSWORD] [--soap 1.1|1.2]
 *   check IN | serve PORT [--user NAME] [--word PASSWORD]
 *
 * Exit codes: 0 yes, 1 refused, 2 could not run. `serve` prints "ready PORT". The plug-in remembers the digests that it has seen.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "wsseapi.h"
#include "Echo.nsmap"

#define LIFETIME 300 /* seconds of the Timestamp, as other stacks have it */
#define SENT "test me"

static const char *user = "alice", *word = "verySecret", *type = "text", *version = "1.2";
static const char *const ACTION = "http://example.com/ws/2004/09/policy/Test/EchoRequest";

/* The service: a current Timestamp, the known user and the right password, else the fault that the plug-in has set. */
int __g__greet(struct soap *soap, struct _g__greetRequest *in, struct _g__greetRequest *out) {
  const char *name = soap_wsse_get_Username(soap);
  if (!name)
    return soap->error;
  if (!soap_wsse_Timestamp(soap) || soap_wsse_verify_Timestamp(soap))
    return soap->error ? soap->error : soap_sender_fault(soap, "no Timestamp", NULL);
  if (strcmp(name, user))
    return soap_sender_fault(soap, "no such user", NULL);
  if (soap_wsse_verify_Password(soap, word))
    return soap->error;
  if (!in->name || strcmp(in->name, SENT))
    return soap_sender_fault(soap, "another body", NULL);
  soap_wsse_delete_Security(soap); /* the reply is unsecured */
  out->name = in->name;
  return SOAP_OK;
}

static struct soap *start(int mode) {
  struct soap *soap = soap_new1(mode);
  soap_register_plugin(soap, soap_wsse);
  soap->connect_timeout = soap->send_timeout = soap->recv_timeout = 60;
  return soap;
}

static int token(struct soap *soap) {
  soap_set_version(soap, strcmp(version, "1.1") ? 2 : 1);
  soap_wsse_delete_Security(soap);
  if (!strcmp(type, "digest"))
    soap_wsse_add_UsernameTokenDigest(soap, "User", user, word);
  else if (!strcmp(type, "text"))
    soap_wsse_add_UsernameTokenText(soap, "User", user, word);
  else if (!strcmp(type, "none"))
    soap_wsse_add_UsernameTokenText(soap, "User", user, NULL);
  else
    return 2;
  return soap_wsse_add_Timestamp(soap, "Time", LIFETIME) ? 1 : 0;
}

static int refused(struct soap *soap) {
  soap_print_fault(soap, stderr);
  return 1;
}

/* Writes the message as it would be sent, without the lines of HTTP. */
static int gen(const char *file) {
  struct soap *soap = start(SOAP_XML_TREE);
  struct _g__greetRequest in = {SENT};
  int code = token(soap);
  if (code)
    return code;
  soap->sendfd = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (soap->sendfd < 0)
    return 2;
  if (soap_send___g__greet(soap, "", ACTION, &in))
    return refused(soap);
  close(soap->sendfd);
  return 0;
}

static int check(const char *file) {
  struct soap *soap = start(SOAP_XML_TREE);
  soap->recvfd = open(file, O_RDONLY);
  if (soap->recvfd < 0)
    return 2;
  soap->sendfd = open("/dev/null", O_WRONLY);
  if (soap_serve(soap))
    return refused(soap);
  printf("user=%s\n", user);
  return 0;
}

static int call(const char *url) {
  struct soap *soap = start(SOAP_XML_TREE);
  struct _g__greetRequest in = {SENT}, out = {NULL};
  int code = token(soap);
  if (code)
    return code;
  if (soap_call___g__greet(soap, url, ACTION, &in, &out))
    return refused(soap);
  if (!out.name || strcmp(out.name, SENT)) {
    fprintf(stderr, "another answer\n");
    return 1;
  }
  printf("answer %s\n", out.name);
  return 0;
}

static int serve(int port) {
  struct soap *soap = start(SOAP_XML_TREE);
  soap->bind_flags = SO_REUSEADDR;
  soap->accept_timeout = 0;
  if (!soap_valid_socket(soap_bind(soap, "127.0.0.1", port, 64)))
    return refused(soap) + 1;
  printf("ready %d\n", port);
  fflush(stdout);
  while (soap_valid_socket(soap_accept(soap))) {
    soap_serve(soap);
    soap_destroy(soap);
    soap_end(soap);
  }
  return 2;
}

int main(int argc, char **argv) {
  const char *rest[2] = {NULL, NULL};
  int i, n = 0;
  for (i = 1; i < argc; i++) {
    const char **option = !strcmp(argv[i], "--user") ? &user : !strcmp(argv[i], "--word") ? &word : !strcmp(argv[i], "--type") ? &type
                          : !strcmp(argv[i], "--soap") ? &version : NULL;
    if (option && i + 1 < argc)
      *option = argv[++i];
    else if (n < 2)
      rest[n++] = argv[i];
  }
  if (n == 2 && !strcmp(rest[0], "gen"))
    return gen(rest[1]);
  if (n == 2 && !strcmp(rest[0], "check"))
    return check(rest[1]);
  if (n == 2 && !strcmp(rest[0], "call"))
    return call(rest[1]);
  if (n == 2 && !strcmp(rest[0], "serve"))
    return serve(atoi(rest[1]));
  fprintf(stderr, "gen OUT | check IN | call URL | serve PORT\n");
  return 2;
}

"""Canonical forms by libxml2 (through lxml), asked for over a pipe.

A question is a PrefixList and a document, each behind its length (32 bits, big-endian). An answer is a number of forms,
each behind its length; all ones stand for a form that does not exist, and, as the number, for a document that is refused.
"""
import io
import struct
import sys

from lxml import etree

source, sink = sys.stdin.buffer, sys.stdout.buffer
NONE = 0xFFFFFFFF


def take():
    head = source.read(4)
    if len(head) < 4:
        sys.exit(0)
    return source.read(struct.unpack(">I", head)[0])


def block(octets):
    return struct.pack(">I", len(octets)) + octets


def form(tree, **how):
    out = io.BytesIO()
    try:
        tree.write_c14n(out, **how)
    except etree.C14NError:
        return struct.pack(">I", NONE)
    return block(out.getvalue())


while True:
    prefixes, document = take().decode().split(), take()
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True, remove_blank_text=False)
    try:
        tree = etree.parse(io.BytesIO(document), parser)
    except etree.XMLSyntaxError as error:
        sink.write(struct.pack(">I", NONE) + block(str(error).encode("utf-8", "replace")))
        sink.flush()
        continue
    forms = [
        form(tree, exclusive=exclusive, with_comments=comments)
        for exclusive in (False, True)
        for comments in (False, True)
    ]
    forms.append(form(tree, exclusive=True, with_comments=False, inclusive_ns_prefixes=prefixes))
    sink.write(struct.pack(">I", len(forms)) + b"".join(forms))
    sink.flush()

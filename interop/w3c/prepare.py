#!/usr/bin/env python3
"""prepare.py PACKAGE OUT   turns the W3C XML conformance suite into a table that a test can run without an oracle.

OUT/cases.csv has one row a document: its Id, what it shows (`class`), its octets (`document`) and, where libxml2 made
one, its canonical form (`canonical`, inclusive 1.0 with comments). Classes:

  not-wf    XML 1.0 without a document type, not well-formed (or not so with namespaces): to be refused
  wf        XML 1.0 without a document type, well-formed (the suite calls it invalid): to be accepted
  no-ns     as wf, but outside Namespaces in XML, as the suite says: to be refused, for its names
  word      as wf, with a comment, instruction or CDATA section that speaks of document types: to be accepted
  dtd       any other document with a document type, as it stands: to be refused
  cut       XML 1.0, well-formed, the document type taken out, by which libxml2 sees no difference: to be accepted
  other     XML 1.1 or an error that a processor may ignore, without a document type: refused, or accepted as listed

Every DTD that changes what a document says (entities, default attributes, attribute types) keeps it out of `cut`.
"""
import csv
import io
import os
import sys
from collections import Counter

from lxml import etree

BASE = "{http://www.w3.org/XML/1998/namespace}base"


def location(test):
    path, up = test.get("URI"), test.getparent()
    while up is not None:
        path, up = (up.get(BASE) or "") + path, up.getparent()
    return path


def decode(octets):
    """The text and how it was coded; None for codings outside UTF-8 and UTF-16."""
    for mark, name in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        if octets.startswith(mark):
            return octets[2:].decode(name, "surrogatepass"), (mark, name)
    for mark in (b"\xef\xbb\xbf", b""):
        if octets.startswith(mark):
            try:
                return octets[len(mark):].decode("utf-8"), (mark, "utf-8")
            except UnicodeDecodeError:
                return octets.decode("latin-1"), (b"", "latin-1")
    return None


def type_extent(text):
    """Where the document type begins and ends, comments, instructions and quoted texts within it heeded."""
    at = 0
    while True:
        at = text.find("<", at)
        if at < 0 or not text.startswith(("<!", "<?"), at):
            return None
        if text.startswith("<!DOCTYPE", at):
            break
        comment = text.startswith("<!--", at)
        end = text.find("-->", at + 4) if comment else text.find("?>", at + 2)
        if end < 0:
            return None
        at = end + 2
    start, inside, at = at, False, at + 9
    while at < len(text):
        c = text[at]
        if c in "\"'":
            at = text.find(c, at + 1)
        elif text.startswith("<!--", at):
            at = text.find("-->", at + 4) + 2
        elif text.startswith("<?", at):
            at = text.find("?>", at) + 1
        elif c == "[":
            inside = True
        elif c == "]":
            inside = False
        elif c == ">" and not inside:
            return start, at + 1
        if at <= 0:
            return None
        at += 1
    return None


def has_word(octets):
    """As the counts of the suite go: the word occurs, in whatever coding."""
    plain = octets.replace(b"\0", b"")
    return b"<!DOCTYPE" in plain


def read(octets, name=None):
    """The tree that libxml2 reads; None if it refuses. Nothing is fetched from a network."""
    # That a namespace name is no URI, or a relative one, is a remark of libxml2, no breach of Namespaces in XML; its
    # binding takes the first for an error unless told to recover, which is then safe: there was no other.
    remarks = ("is not absolute", "is not a valid URI")
    for recover in (False, True):
        parser = etree.XMLParser(load_dtd=True, attribute_defaults=True, resolve_entities=True, no_network=True,
                                 huge_tree=True, strip_cdata=False, recover=recover)
        try:
            return etree.parse(io.BytesIO(octets), parser, base_url=name)
        except (etree.XMLSyntaxError, LookupError):
            if not len(parser.error_log) or not all(e.message.endswith(remarks) for e in parser.error_log):
                return None
    return None


def canonical(tree):
    """The canonical form, or None where there is none (relative namespace names)."""
    out = io.BytesIO()
    try:
        tree.write_c14n(out, exclusive=False, with_comments=True)
    except (etree.C14NError, etree.LxmlError, ValueError):
        return None
    return out.getvalue()


def cut(octets, path):
    """The document without its type and its form, if libxml2 sees the same content in both."""
    decoded = decode(octets)
    extent = decoded and type_extent(decoded[0])
    if not extent:
        return None
    text, (mark, coding) = decoded
    try:
        shorter = mark + (text[:extent[0]] + text[extent[1]:]).encode(coding, "surrogatepass")
    except UnicodeEncodeError:
        return None
    whole, rest = read(octets, path), read(shorter)
    if whole is None or rest is None:
        return None
    forms = canonical(whole), canonical(rest)
    return (shorter, forms[1]) if forms[0] == forms[1] else None


def main():
    package, out = sys.argv[1:]
    documents = os.path.join(out, "documents")
    os.makedirs(documents)
    index = etree.parse(os.path.join(package, "cleaned", "xmlconf-flattened.xml"),
                        etree.XMLParser(load_dtd=True, resolve_entities=True, no_network=True, huge_tree=True))
    rows, seen = [], Counter()

    def row(name, kind, version, octets, form=None):
        stem = f"{len(rows):04}"
        with open(os.path.join(documents, stem + ".xml"), "wb") as file:
            file.write(octets)
        if form is not None:
            with open(os.path.join(documents, stem + ".c14n"), "wb") as file:
                file.write(form)
        seen[kind] += 1
        rows.append([name, kind, version, f"documents/{stem}.xml", "" if form is None else f"documents/{stem}.c14n"])

    for test in index.iter("TEST"):
        name, kind = test.get("ID"), test.get("TYPE")
        if name in {r[0] for r in rows}:
            name += "-again"  # one Id of the suite stands twice
        version = test.get("VERSION") or "1.0"
        path = os.path.join(package, "xmlconf", location(test))
        with open(path, "rb") as file:
            octets = file.read()
        if has_word(octets) and kind == "invalid" and (tree := read(octets)) is not None and not tree.docinfo.doctype:
            row(name, "word", version, octets, canonical(tree))
        elif has_word(octets):
            row(name, "dtd", version, octets)
            if kind in ("valid", "invalid") and version == "1.0" and test.get("NAMESPACE") != "no":
                shorter = cut(octets, path)
                if shorter:
                    row(name + "-cut", "cut", version, *shorter)
        elif version == "1.0" and kind == "not-wf":
            row(name, "not-wf", version, octets)
        elif version == "1.0" and kind == "invalid":
            spaces = test.get("NAMESPACE") != "no"
            tree = read(octets)
            form = canonical(tree) if spaces and tree is not None else None
            row(name, "wf" if spaces else "no-ns", version, octets, form)
        else:
            row(name, "other", version, octets)
    with open(os.path.join(out, "cases.csv"), "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "class", "version", "document", "canonical"])
        writer.writerows(rows)
    print("w3c: prepared", ", ".join(f"{n} {kind}" for kind, n in sorted(seen.items())))


if __name__ == "__main__":
    main()

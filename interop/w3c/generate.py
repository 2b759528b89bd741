#!/usr/bin/env python3
"""generate.py OUT   makes documents, well-formed and nearly so, and what two other parsers say of them.

OUT/generated.bin holds records: three lengths of four octets (little endian), then the document, the canonical form
that libxml2 makes of it (inclusive 1.0 with comments; empty if there is none), and one word: `both` if libxml2 and
expat read it, `libxml2` or `expat` if only that one does, `none`. The seed is fixed: every run makes the same documents.
"""
import os
import random
import struct
import sys
from collections import Counter
from xml.parsers import expat

from prepare import canonical, read

COUNT = 30_000
NAMES = ["a", "b", "c", "p:a", "q:b", "p:c", "x-1", "_", "é", "a.b", "xml:lang", "p:p"]
BAD_NAMES = ["", "1", ":a", "a:", "a:b:c", "-", "a b", "xmlns:a", "a\u00d7", "r:s", ".", "p:1"]
TEXTS = ["x", " ", "\n", "\r\n", "\t", "é", "&amp;", "&#65;", "&#x1F600;", "&lt;", "]]", ">", "\u2028", "\U0001f600", "&#13;", "\r",
         "\u0085", "&gt;", "'", '"', "\ufffd"]
BAD_TEXTS = ["]]>", "&", "&nbsp;", "&#0;", "&#xD800;", "\0", "\x01", "\uffff", "&#x110000;", "& ", "&#;", "&#x;", "&a", "<",
             "&#1;", "\x7f\x0b", "&AMP;", "&#65"]
VALUES = ["", "1", "a b", "&quot;", "&#10;", "\n", "\t", "é", ">", "&apos;", "&#9;", " x  y "]
BAD_VALUES = ["<", "&", "&x;", "\x02", "&#xFFFE;", "&#65"]
URIS = ["urn:a", "urn:b", "urn:c", "http://a.example/"]
PROLOGS = ["", "", "", '<?xml version="1.0"?>', "<?xml version='1.0' encoding='UTF-8'?>\n", '<?xml version="1.0" standalone="yes"?>',
           "<!-- c -->", "\n", "\ufeff"]
BAD_PROLOGS = ["x", '<?xml version="2.0"?>', "<?xml?>", ' <?xml version="1.0"?>', '<?xml version="1.0" standalone="maybe"?>',
               '<?xml encoding="UTF-8"?>', "<!-- -- -->", "<?XML a?>", "<a/>", "&#32;", "<![CDATA[]]>",
               '<?xml version="1.0" encoding="UTF-16"?>']
INSIDE = ["<!-- c -->", "<![CDATA[x<&]]>", "<?p d?>", "<!---->", "<![CDATA[]]>", "<?p?>", "<!-- - -->"]
BAD_INSIDE = ["<!-- -- -->", "<!--->", "<! -- -->", "<![cdata[x]]>", "<?xml version='1.0'?>", "<??>", "<? p?>", "<!x>", "<!-->",
              "<![CDATA[]]", "<?p", "</>", "<>", "<!--x--->", "<a", "</a", "<?a:b c?>", "<?Xml x?>"]
INSERTS = ["<", ">", "/", "&", ";", "'", '"', "=", " ", "\n", "!", "?", "-", "[", "]", ":", "x", "xmlns", "\0", "<!--", "-->", "]]>", "\r"]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.faults = 0

    def one(self, good, bad):
        if bad and self.faults and self.random.random() < 0.06:
            self.faults -= 1
            return self.random.choice(bad)
        return self.random.choice(good)

    def attributes(self, root):
        r, out, used = self.random, [], set()
        if root or r.random() < 0.2:
            for prefix in ("xmlns:p", "xmlns:q", "xmlns"):
                if (root and prefix != "xmlns") or r.random() < 0.3:
                    out.append((prefix, self.one(URIS, ["", "http://www.w3.org/2000/xmlns/", "http://www.w3.org/XML/1998/namespace"])))
        for _ in range(r.choice((0, 0, 1, 2, 3))):
            name = self.one(NAMES, BAD_NAMES + ["xmlns:xmlns", "xmlns:xml", "xmlns:p"])
            local = name.rpartition(":")[2]
            if local in used and not (self.faults and r.random() < 0.5):
                continue
            used.add(local)
            out.append((name, self.one(VALUES, BAD_VALUES)))
        r.shuffle(out)
        text = ""
        for name, value in out:
            quote = '"' if "'" in value or r.random() < 0.5 else "'"
            gap = self.one([" ", " ", "\n", "  "], ["", "\u00a0"])
            text += f"{gap}{name}{r.choice(['=', '=', ' = '])}{quote}{value}{quote}"
        return text

    def element(self, depth):
        name = self.one([n for n in NAMES if n != "xml:lang"], BAD_NAMES)
        attributes, r = self.attributes(depth == 0), self.random
        if r.random() < 0.25:
            return f"<{name}{attributes}{r.choice(['', ' '])}/>"
        content = ""
        for _ in range(r.choice((0, 1, 2, 3))):
            which = r.random()
            if which < 0.45:
                content += self.one(TEXTS, BAD_TEXTS)
            elif which < 0.6:
                content += self.one(INSIDE, BAD_INSIDE)
            elif depth < 4:
                content += self.element(depth + 1)
        close = name if not (self.faults and r.random() < 0.03) else r.choice(NAMES)
        return f"<{name}{attributes}>{content}</{close}{r.choice(['', '', ' '])}>"

    def document(self):
        r = self.random
        self.faults = r.choice((0, 0, 1, 1, 2))
        text = self.one(PROLOGS, BAD_PROLOGS) + self.element(0) + self.one(["", "", "\n", "<!--e-->", "<?e?>"], ["x", "<b/>", "&#32;", "\0"])
        if r.random() < 0.3:  # one stroke of the pen anywhere
            at = r.randrange(len(text))
            text = text[:at] + r.choice(["", r.choice(INSERTS)]) + text[at + r.choice((0, 1)):]
        octets = text.encode("utf-8", "surrogatepass")
        if r.random() < 0.04:
            at = r.randrange(len(octets))
            octets = octets[:at] + bytes([r.randrange(128, 256)]) + octets[at + 1:]
        return octets


def expat_reads(octets):
    # It refuses namespace names that hold the separator: take one that no document can hold.
    parser = expat.ParserCreate(namespace_separator="\f")
    try:
        parser.Parse(octets, True)
    except (expat.ExpatError, LookupError, ValueError):
        return False
    return True


def main():
    maker, seen = Maker(20), Counter()
    with open(os.path.join(sys.argv[1], "generated.bin"), "wb") as out:
        for _ in range(COUNT):
            octets = maker.document()
            tree = read(octets)
            form = canonical(tree) if tree is not None else None
            other = expat_reads(octets)
            verdict = {(True, True): "both", (True, False): "libxml2", (False, True): "expat"}.get((tree is not None, other), "none")
            seen[verdict] += 1
            form, word = form or b"", verdict.encode()
            out.write(struct.pack("<III", len(octets), len(form), len(word)) + octets + form + word)
    print("generated:", ", ".join(f"{n} {verdict}" for verdict, n in sorted(seen.items())))


if __name__ == "__main__":
    main()

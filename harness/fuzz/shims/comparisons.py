"""Tells Stickler what a Python program compares. The program shows the values, and gets them back as they are."""

import sys

SLOT = 64
SIDE = 31
SLOTS = 1024
# How often one place tells for one input, which may have many messages, and how many members of a container count.
TIMES = 16
MEMBERS = 12
# How many pairs are told for one input.
MOST = 2000
# How many texts one pattern leads to.
SAMPLES = 16
ORDERS = {"Lt", "LtE", "Gt", "GtE"}
KEYED = (dict, list, tuple, set, frozenset)
# What a text has to be like if it is asked about.
LIKE = {"isdigit": "7", "isdecimal": "7", "isnumeric": "7", "isalpha": "a", "isalnum": "a", "isspace": " ",
        "isidentifier": "a", "int": "7", "float": "7.5", "ord": "a"}


class Comparisons:
    """What a program compares, told in an area that it shares with Stickler."""

    def __init__(self, area, begin):
        self.area = area
        self.begin = begin
        self.wanted = begin + SLOT * SLOTS
        # What each place showed before: texts, numbers, and copies of members, so that no value lives longer.
        self.shown = {}
        self.counts = {}
        self.number = 0
        self.done = 0
        self.next = 0

    def note(self, site, how, value):
        """Notes a value that the program is about to use at a place."""
        # Another input has another number.
        if self.number != self.area[self.wanted]:
            self.number = self.area[self.wanted]
            self.counts.clear()
            self.shown.clear()
            self.done = 0
        if how in ("left", "owner", "text"):
            times = self.counts.get(site, 0)
            self.counts[site] = times + 1
            self.shown.pop(site, None)
            if times < TIMES and self.done < MOST:
                self.shown[site] = kept(value)
            return
        if type(how) is tuple:
            self.tell(value, how[1])
            return
        if how.startswith("from "):
            self.shown[site, "from"] = (how[5:], value) if type(value) in (str, bytes) else None
            return
        if how.startswith("asked "):
            self.asked(how[6:], value)
            return
        before = self.shown.pop(site, None)
        origin = self.shown.pop((site, "from"), None)
        if before is None:
            return
        pairs = PAIRS.get(how, compared if how[0].isupper() else sought)
        for one, other in pairs(before, value, how):
            self.tell(one, other)
            if origin:
                self.tell(origin[1], converted(origin[0], other if type(one) is type(before) else one))
        if how == "pattern":
            self.shown[site] = value if type(before) is type(sys) and type(value) in (str, bytes) else None
        elif how[0].isupper():
            self.shown[site] = kept(value)

    def asked(self, what, value):
        if type(value) is str:
            like = LIKE.get(what)
            self.tell(value, like or (value.upper() if what == "isupper" else value.lower()))

    def tell(self, one, other):
        one, other = side(one), side(other)
        if one == other or not one or not other or self.done >= MOST:
            return
        self.done += 1
        spot = self.begin + SLOT * (self.next % SLOTS)
        self.next += 1
        self.area[spot + 2:spot + 2 + len(one)] = one
        self.area[spot + 2 + SIDE:spot + 2 + SIDE + len(other)] = other
        self.area[spot] = len(one)
        self.area[spot + 1] = len(other)


def kept(value):
    """What is kept of a value until it is compared."""
    kind = type(value)
    if kind in (str, bytes, int, type(sys)):
        return value
    if kind in KEYED:
        return members(value)
    if kind.__name__ == "Pattern":
        return ("pattern", value.pattern, value.flags)
    return None


def members(value):
    """The first texts and numbers in a container."""
    if len(value) > 1000:
        return []
    plain = [one for one in value if type(one) in (str, bytes, int)]
    return (sorted(plain, key=str) if type(value) in (set, frozenset) else plain)[:MEMBERS]


def converted(how, other):
    """What leads to a value by a conversion."""
    if how == "ord" and type(other) is int and 0 <= other < 0x110000:
        return chr(other)
    if how == "encode" and type(other) is bytes:
        return other.decode("utf-8", "replace")
    return other


def side(one):
    """A side as bytes, or nothing."""
    if type(one) is str:
        return one.encode("utf-8", "surrogateescape")[:SIDE]
    if type(one) is bytes:
        return one[:SIDE]
    if type(one) is int:
        return str(one).encode()[:SIDE] if abs(one) < 1 << 128 else b""
    return b""


def compared(left, right, how):
    if how in ("In", "NotIn"):
        if type(right) in (str, bytes):
            if type(left) is type(right):
                yield right, right + left
        elif type(right) in KEYED:
            for one in members(right):
                yield left, one
    elif type(left) is list:
        if type(right) in (list, tuple):
            yield from zip(left, members(right))
    elif how in ORDERS and type(left) is type(right) is int and left == right:
        # The next number would change the outcome.
        yield left, right + 1
    else:
        yield left, right


def sought(owner, wanted, how):
    """A text that is searched for another, or that is cut there."""
    for one in wanted if type(wanted) in (tuple, list) else [wanted]:
        if type(one) is not type(owner) or type(one) not in (str, bytes) or not one:
            continue
        if how in ("startswith", "removeprefix"):
            yield owner, one + owner
            yield owner[:len(one)], one
        elif how in ("endswith", "removesuffix"):
            yield owner, owner + one
            yield owner[-len(one):], one
        else:
            yield owner, owner + one
            if how in ("split", "rsplit", "partition", "rpartition"):
                yield owner, owner + one + owner


def keyed(owner, key, how):
    if type(owner) is list:
        for one in owner:
            yield key, one


def by_pattern(owner, text, how):
    """The text that a pattern is matched with."""
    if type(owner) is tuple:
        for one in samples(owner[1], owner[2]):
            yield text, one


def matched(pattern, text, how):
    """The text that a pattern is matched with, if the module `re` got both."""
    if type(pattern) in (str, bytes):
        for one in samples(pattern):
            yield text, one


def globbed(text, pattern, how):
    """A name that a pattern of files matches, and ones that it nearly matches."""
    if type(text) is not str or type(pattern) is not str:
        return
    plain = pattern.replace("[!", "[")
    for star in ("a", "", "a.b"):
        name, at = "", 0
        while at < len(plain):
            end = plain.find("]", at + 2) if plain[at] == "[" else -1
            name += star if plain[at] == "*" else "a" if plain[at] == "?" else plain[at + 1 if end > 0 else at]
            at = end + 1 if end > 0 else at + 1
        yield text, name


PAIRS = {"key": keyed, "pattern": by_pattern, "matched": matched, "glob": globbed}


def samples(pattern, flags=0):
    """Texts that a pattern matches, and ones that it nearly matches."""
    try:
        from re import _parser as parser
    except ImportError:
        import sre_parse as parser
    texts = variants(list(parser.parse(pattern, flags)))
    texts.append(texts[0][:-1] + ("~" if texts[0][-1:] != "~" else "-"))
    known = []
    for text in texts:
        if text and text not in known:
            known.append(text)
    return known[:SAMPLES]


def variants(parts):
    """A text that these parts match, and texts in which one part is otherwise."""
    each = [of_part(str(name), arguments) for name, arguments in parts]
    texts = ["".join(one[0] for one in each)]
    for at, one in enumerate(each):
        for other in one[1:]:
            texts.append("".join(part[0] for part in each[:at]) + other + "".join(part[0] for part in each[at + 1:]))
    return texts[:2 * SAMPLES]


def of_part(name, arguments):
    """Texts for a part of a pattern: the first one matches."""
    if name == "LITERAL":
        return [chr(arguments)]
    if name in ("ANY", "NOT_LITERAL"):
        return ["a" if arguments != ord("a") else "b"]
    if name == "IN":
        return one_of(arguments)
    if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, most = min(int(arguments[0]), 40), min(int(arguments[1]), 40)
        inner = variants(list(arguments[2]))
        counts = [max(least, 1 if most else 0), least, least - 1, least + 1, most, most + 1]
        return [inner[0] * count for count in counts if count >= 0] + [one * max(least, 1) for one in inner[1:]]
    if name in ("SUBPATTERN", "ATOMIC_GROUP"):
        return variants(list(arguments[-1] if name == "SUBPATTERN" else arguments))
    if name == "BRANCH":
        return [text for choice in arguments[1] for text in variants(list(choice))[:4]]
    return [""]


def one_of(choices):
    found = []
    for name, argument in choices:
        name = str(name)
        if name == "LITERAL":
            found.append(chr(argument))
        elif name == "RANGE":
            found += [chr(argument[0]), chr(argument[1])]
        elif name == "CATEGORY":
            kind = str(argument)
            found.append("0" if kind.endswith("DIGIT") and "NOT" not in kind else
                         " " if kind.endswith("CATEGORY_SPACE") else "a")
    if choices and str(choices[0][0]) == "NEGATE":
        others = [letter for letter in "ab0-_ /" if letter not in found]
        return others[:1] + found[:1]
    return found[:4]

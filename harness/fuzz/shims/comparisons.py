"""Tells Stickler what a Python program is about to compare, without changing it.

At a line with a comparison, its sides are worked out from the variables of the frame. Only what has no effect is worked
out: names, constants, members of plain containers, plain methods of texts. All else counts as unknown.
"""

import ast

SLOT = 64
SIDE = 31
SLOTS = 1024
# How often one comparison is worked out for one input, which may have many messages, and how many members of a
# container count.
TIMES = 16
MEMBERS = 12
# How many are worked out for one input.
MOST = 2000
METHODS = {
    str: {"lower", "upper", "strip", "lstrip", "rstrip", "split", "rsplit", "partition", "rpartition", "casefold",
          "encode", "title", "removeprefix", "removesuffix", "splitlines"},
    bytes: {"lower", "upper", "strip", "lstrip", "rstrip", "split", "rsplit", "partition", "rpartition", "decode"},
    dict: {"get", "keys", "values", "items"},
}
ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
PLAIN = (str, bytes, int, float, bool, type(None))


class Unknown(Exception):
    """It cannot be worked out."""


def value(node, names):
    """What an expression is worth, if that can be found out without any effect."""
    kind = type(node)
    if kind is ast.Constant:
        return node.value
    if kind is ast.Name:
        for known in names:
            if node.id in known:
                return known[node.id]
        raise Unknown
    if kind is ast.Attribute:
        return member(value(node.value, names), node.attr)
    if kind is ast.Subscript:
        return item(value(node.value, names), node.slice, names)
    if kind in (ast.Tuple, ast.List, ast.Set):
        return [value(one, names) for one in node.elts]
    if kind is ast.UnaryOp and type(node.op) is ast.USub:
        one = value(node.operand, names)
        if type(one) in (int, float):
            return -one
        raise Unknown
    if kind is ast.BinOp:
        return result(type(node.op), value(node.left, names), value(node.right, names))
    if kind is ast.Call and not node.keywords:
        return called(node, names)
    raise Unknown


def member(owner, name):
    if type(owner) is type(ast):
        names = vars(owner)
    else:
        names = getattr(owner, "__dict__", {})
    if type(names) is dict and name in names:
        return names[name]
    for base in type(owner).__mro__:
        if name in vars(base):
            found = vars(base)[name]
            if type(found) in PLAIN or type(found) in (tuple, list, dict, set, frozenset):
                return found
            break
    raise Unknown


def item(owner, index, names):
    if type(owner) not in (dict, list, tuple, str, bytes):
        raise Unknown
    if type(index) is ast.Slice:
        if type(owner) is dict:
            raise Unknown
        ends = [end and value(end, names) for end in (index.lower, index.upper, index.step)]
        if all(end is None or type(end) is int for end in ends) and ends[2] != 0:
            return owner[ends[0]:ends[1]:ends[2]]
        raise Unknown
    key = value(index, names)
    if type(key) not in PLAIN:
        raise Unknown
    try:
        return owner[key]
    except (LookupError, TypeError):
        raise Unknown from None


def result(operator, one, other):
    """What a sum or a remainder is."""
    numbers = type(one) is int and type(other) is int and max(abs(one), abs(other)) < 1 << 64
    if operator is ast.Add and (numbers or type(one) is type(other) in (str, bytes, list, tuple)):
        return one + other
    if numbers and operator is ast.Sub:
        return one - other
    if numbers and operator is ast.Mult:
        return one * other
    if numbers and other > 0 and operator in (ast.Mod, ast.FloorDiv):
        return one % other if operator is ast.Mod else one // other
    if numbers and operator is ast.BitAnd:
        return one & other
    raise Unknown


def called(node, names):
    args = [value(one, names) for one in node.args]
    if not all(type(one) in PLAIN for one in args):
        # What a default is changes nothing.
        is_get = type(node.func) is ast.Attribute and node.func.attr == "get" and type(args[0]) in PLAIN
        if not is_get and not (type(node.func) is ast.Name and node.func.id in ("len", "sum", "min", "max")):
            raise Unknown
    if type(node.func) is ast.Name:
        name = node.func.id
        if any(name in known for known in names):
            raise Unknown
        if name == "len" and type(args[0]) in (str, bytes, list, tuple, dict, set):
            return len(args[0])
        if name == "ord" and type(args[0]) is str and len(args[0]) == 1:
            return ord(args[0])
        if name in ("sum", "min", "max") and len(args) == 1 and type(args[0]) in (list, tuple, bytes):
            if args[0] and len(args[0]) < 10_000 and all(type(one) is int for one in args[0]):
                return {"sum": sum, "min": min, "max": max}[name](args[0])
        if name in ("int", "str") and len(args) == 1 and type(args[0]) in (str, int):
            if len(str(args[0])) > 300:
                raise Unknown
            try:
                return int(args[0]) if name == "int" else str(args[0])
            except ValueError:
                raise Unknown from None
        raise Unknown
    if type(node.func) is not ast.Attribute:
        raise Unknown
    owner = value(node.func.value, names)
    if node.func.attr not in METHODS.get(type(owner), ()):
        raise Unknown
    if hasattr(owner, "__len__") and len(owner) > 100_000:
        raise Unknown
    try:
        found = getattr(owner, node.func.attr)(*args)
    except Exception:
        raise Unknown from None
    return list(found) if type(owner) is dict and node.func.attr != "get" else found


def matching(pattern, flags=0):
    """A short text that a pattern matches."""
    try:
        from re import _parser as parser
    except ImportError:
        import sre_parse as parser
    try:
        return "".join(sample(list(parser.parse(pattern, flags))))
    except Exception:
        raise Unknown from None


def sample(parts):
    for name, arguments in parts:
        name = str(name)
        if name == "LITERAL":
            yield chr(arguments)
        elif name == "ANY" or name == "NOT_LITERAL":
            yield "a" if arguments != ord("a") else "b"
        elif name == "IN":
            yield one_of(arguments)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, inner = arguments
            for _ in range(min(max(int(least), 1 if int(most) else 0), 20)):
                yield from sample(list(inner))
        elif name == "SUBPATTERN":
            yield from sample(list(arguments[-1]))
        elif name == "BRANCH":
            yield from sample(list(arguments[1][0]))
        elif name not in ("AT", "ASSERT_NOT"):
            raise Unknown


def one_of(choices):
    for name, argument in choices:
        name = str(name)
        if name == "LITERAL":
            return chr(argument)
        if name == "RANGE":
            return chr(argument[0])
        if name == "CATEGORY":
            kind = str(argument)
            return "0" if kind.endswith("DIGIT") and "NOT" not in kind else " " if kind.endswith("CATEGORY_SPACE") else "a"
        if name == "NEGATE":
            banned = {chr(a) for n, a in choices if str(n) == "LITERAL"}
            return next(letter for letter in "ab0-_ /" if letter not in banned)
    raise Unknown


def pairs_of_compare(node, names):
    left = value(node.left, names)
    for operator, right in zip(node.ops, node.comparators):
        right = value(right, names)
        if type(operator) in (ast.In, ast.NotIn):
            if type(right) is dict and type(node.left) is ast.Constant:
                return
            yield from pairs_of_members(left, right)
        elif type(operator) in ORDERS and type(left) is type(right) is int and left == right:
            # The next number would change the outcome.
            yield left, right + 1
        else:
            yield left, right
        left = right


def pairs_of_members(left, right):
    if type(right) in (str, bytes) and type(left) is type(right):
        yield right, right + left
    elif type(right) in (list, tuple, dict, set, frozenset) and len(right) < 1000:
        for number, one in enumerate(sorted(right, key=str) if type(right) in (set, frozenset) else right):
            if number >= MEMBERS:
                break
            yield left, one


def pairs_of_call(node, names):
    name = node.func.attr
    owner = value(node.func.value, names)
    if type(owner) in (str, bytes) and node.args:
        wanted = value(node.args[0], names)
        for one in wanted if type(wanted) in (tuple, list) else [wanted]:
            if type(one) is not type(owner):
                continue
            if name == "startswith":
                yield owner, one + owner
                yield owner[:len(one)], one
            elif name == "endswith":
                yield owner, owner + one
                yield owner[-len(one):], one
            else:
                yield owner, owner + one
    elif type(owner) is dict and node.args and type(node.args[0]) is not ast.Constant:
        yield from pairs_of_members(value(node.args[0], names), owner)
    elif type(owner).__name__ == "Pattern" and node.args:
        yield value(node.args[0], names), matching(owner.pattern, owner.flags)
    elif getattr(owner, "__name__", "") == "re" and len(node.args) > 1:
        yield value(node.args[1], names), matching(value(node.args[0], names))


CALLS = {"startswith", "endswith", "find", "index", "count", "get", "match", "fullmatch", "search"}


class Finder(ast.NodeVisitor):
    """The comparisons of a file, by line."""

    def __init__(self):
        self.lines = {}

    def add(self, node, how):
        self.lines.setdefault(node.lineno, []).append((node, how))

    def visit_Compare(self, node):
        self.add(node, pairs_of_compare)
        self.generic_visit(node)

    def visit_Call(self, node):
        if type(node.func) is ast.Attribute and node.func.attr in CALLS:
            self.add(node, pairs_of_call)
        self.generic_visit(node)

    def visit_Subscript(self, node):
        # What a constant names does not come from a message.
        if type(node.slice) is not ast.Constant:
            self.add(node, pairs_of_item)
        self.generic_visit(node)

    def visit_Match(self, node):
        for case in node.cases:
            for part in ast.walk(case.pattern):
                if type(part).__name__ == "MatchValue":
                    # The subject is known at the line of the statement.
                    self.lines.setdefault(node.lineno, []).append(((node.subject, part.value), pairs_of_match))
        self.generic_visit(node)


def pairs_of_match(both, names):
    yield value(both[0], names), value(both[1], names)


def pairs_of_item(node, names):
    owner = value(node.value, names)
    if type(owner) is dict:
        yield from pairs_of_members(value(node.slice, names), owner)


def side(one):
    """A side as bytes, or nothing."""
    if type(one) is str:
        return one.encode("utf-8", "surrogateescape")[:SIDE]
    if type(one) is bytes:
        return one[:SIDE]
    if type(one) is int:
        return str(one).encode()[:SIDE]
    return b""


class Comparisons:
    """What a program compares, told in an area that it shares with Stickler."""

    def __init__(self, area, begin):
        self.area = area
        self.begin = begin
        self.wanted = begin + SLOT * SLOTS
        self.files = {}
        self.counts = {}
        self.number = 0
        self.done = 0
        self.next = 0

    def of(self, name):
        """The comparisons of a file, by line."""
        lines = self.files.get(name)
        if lines is None:
            finder = Finder()
            try:
                with open(name, "rb") as file:
                    finder.visit(ast.parse(file.read()))
            except (OSError, SyntaxError, ValueError, RecursionError, AttributeError):
                finder.lines = {}
            self.files[name] = lines = finder.lines
        return lines

    def look(self, frame, lines):
        """Tells the comparisons of the line that is about to run."""
        known = lines.get(frame.f_lineno)
        if known is None:
            return
        # Another input has another number.
        if self.number != self.area[self.wanted]:
            self.number = self.area[self.wanted]
            self.counts.clear()
            self.done = 0
        names = None
        for node, how in known:
            times = self.counts.get(id(node), 0)
            if times >= TIMES or self.done >= MOST:
                continue
            self.counts[id(node)] = times + 1
            self.done += 1
            if names is None:
                # To ask a frame for its variables takes long.
                names = (frame.f_locals, frame.f_globals)
            try:
                for one, other in how(node, names):
                    self.tell(side(one), side(other))
            except Exception:
                continue

    def tell(self, one, other):
        if one == other or not one or not other:
            return
        spot = self.begin + SLOT * (self.next % SLOTS)
        self.next += 1
        self.area[spot + 2:spot + 2 + len(one)] = one
        self.area[spot + 2 + SIDE:spot + 2 + SIDE + len(other)] = other
        self.area[spot] = len(one)
        self.area[spot + 1] = len(other)

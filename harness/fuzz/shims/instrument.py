"""Compiles a Python program so that it marks the places that it runs.

A mark is a store to the memory that the program shares with Stickler. A second form of each expression that compares
something runs while comparisons are wanted. No name is added: the memory is a constant of the code. Tracebacks, line
numbers, docstrings and the variables that a program can see are the same as without.
"""

import _ast as ast
import sys
import warnings

# Texts that stand for objects until the code is compiled.
AREA = "\0stickler area\0"
NEXT = "\0stickler next\0"
SEE = "\0stickler see\0"
UNTOLD = "\0stickler untold\0"
TELL = "\0stickler tell\0"
PUT = "\0stickler put\0"
# The compiler works out constants at places below, such as "text"[3].
LEAST = 64
# What a count becomes: it stays at its largest.
MORE = bytes(min(count + 1, 255) for count in range(256))
ONLY_TREE = 0x400
# Attributes of nodes that must stay as they are.
KEPT = {"annotation", "returns", "type_params", "pattern", "ctx", "type_comment", "op", "ops"}
LOOKED_UP = {"get", "__contains__", "__getitem__", "pop", "setdefault"}
SOUGHT = {"startswith", "endswith", "find", "rfind", "index", "rindex", "count", "removeprefix", "removesuffix", "split",
          "rsplit", "partition", "rpartition", "strip", "replace"}
MATCHED = {"match", "fullmatch", "search", "findall", "finditer", "sub"}
GLOBBED = {"fnmatch", "fnmatchcase"}
ASKED = {"isdigit", "isdecimal", "isnumeric", "isalpha", "isalnum", "isupper", "islower", "isspace", "isidentifier"}
CONVERTED = {"int", "float", "ord"}
CHANGED = {"lower", "upper", "casefold", "title", "strip", "lstrip", "rstrip", "encode", "decode"}
# Only statements with one of these can be left in the middle.
ENDING = (ast.Call, ast.Subscript, ast.Await, ast.Yield, ast.YieldFrom, ast.Assert, ast.Raise, ast.Import, ast.ImportFrom)
COMPOUND = {"If", "For", "AsyncFor", "While", "With", "AsyncWith", "Try", "TryStar", "Match"}
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
TEXTS = ("Constant", "Str", "Bytes", "Num", "NameConstant", "Ellipsis")


def located(node, place):
    """A new node at the place of another."""
    for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
        if hasattr(place, name):
            setattr(node, name, getattr(place, name))
    return node


def constant(value, place):
    return located(ast.Constant(value=value, kind=None), place)


def entry(of, index, place, how=ast.Load):
    if not isinstance(index, ast.AST):
        index = constant(index, place)
    if sys.version_info < (3, 9):
        index = located(ast.Index(value=index), place)
    return located(ast.Subscript(value=constant(of, place), slice=index, ctx=how()), place)


def is_text(node):
    """Is it a statement that is only a text, such as a docstring?"""
    return type(node) is ast.Expr and type(node.value).__name__ in TEXTS


def is_constant(node):
    return type(node).__name__ in TEXTS


def children(node):
    for name in node._fields:
        one = getattr(node, name, None)
        if isinstance(one, ast.AST):
            yield name, one
        elif type(one) is list:
            for item in one:
                if isinstance(item, ast.AST):
                    yield name, item


def inside(node):
    """A node and all below it, without the insides of functions that it only defines."""
    yield node
    for name, child in children(node):
        if not isinstance(node, SCOPES) or name in ("decorator_list", "bases"):
            yield from inside(child)


def rebuilt(node, change):
    """A node whose children are changed: the same one if none is."""
    fields, is_new = {}, False
    for name in node._fields:
        one = getattr(node, name, None)
        new = one
        if name not in KEPT:
            if isinstance(one, ast.AST):
                new = change(one)
                is_new = is_new or new is not one
            elif type(one) is list:
                new = [change(item) if isinstance(item, ast.AST) else item for item in one]
                is_new = is_new or any(a is not b for a, b in zip(one, new))
        fields[name] = new
    return located(type(node)(**fields), node) if is_new else node


class Instrumenter:
    """Changes the tree of one file. `tells` says whether the lines themselves are wanted."""

    def __init__(self, name, wanted, tells):
        self.start = sum(name.encode("utf-8", "replace")) * 31
        self.wanted = wanted
        self.tells = tells
        self.number = 0
        # The places of operands, in both forms of an expression.
        self.operands = {}
        # How often a value is shown.
        self.sights = 0
        # The lines of each part of the program that runs as a whole, by its first line.
        self.parts = {}

    # Statements

    def module(self, tree):
        tree.body = self.block(tree.body, None, True)
        return tree

    def block(self, body, first, has_text=False):
        """A list of statements with marks: one at its start, and one behind each statement that may end the list."""
        out, due, skipped = [], first, []
        for at, node in enumerate(body):
            is_first = type(node) is ast.ImportFrom and node.module == "__future__"
            if is_first or (at == 0 and has_text and is_text(node)):
                out.append(node)
                skipped.append(node)
                continue
            if due:
                out.append(due(node))
                due = None
            if self.tells:
                out.append(self.told(node))
                self.parts[node.lineno].update(one.lineno for one in skipped)
            if type(node).__name__ in COMPOUND or any(isinstance(one, ENDING) for one in inside(node)):
                due = self.mark
            out.append(self.statement(node))
        return out

    def statement(self, node):
        kind = type(node).__name__
        for name, value in list(zip(node._fields, [getattr(node, name, None) for name in node._fields])):
            if name in KEPT:
                continue
            if isinstance(value, ast.expr):
                setattr(node, name, self.expression(value))
            elif type(value) is list and value and isinstance(value[0], (ast.expr, ast.withitem, ast.keyword)):
                setattr(node, name, [self.expression(one) for one in value])
            elif isinstance(value, ast.arguments):
                setattr(node, name, rebuilt(value, self.expression))
        if kind in ("FunctionDef", "AsyncFunctionDef"):
            node.body = self.block(node.body, self.count, True)
        elif kind == "ClassDef":
            node.body = self.block(node.body, None, True)
        elif kind in ("For", "AsyncFor", "While"):
            node.body = self.block(node.body, self.count)
            node.orelse = self.block(node.orelse, self.mark)
        elif kind == "If":
            node.body = self.block(node.body, self.mark)
            if len(node.orelse) == 1 and type(node.orelse[0]) is ast.If:
                node.orelse = self.block(node.orelse, None)
            elif node.orelse:
                node.orelse = self.block(node.orelse, self.mark)
            else:
                node.orelse = [self.mark(node)]
        elif kind in ("With", "AsyncWith"):
            node.body = self.block(node.body, None)
        elif kind in ("Try", "TryStar"):
            node.body = self.block(node.body, None)
            for handler in node.handlers:
                handler.body = self.block(handler.body, self.mark)
                if self.tells:
                    self.handler(handler)
            node.orelse = self.block(node.orelse, self.mark)
            node.finalbody = self.block(node.finalbody, None)
        elif kind == "Match":
            node.subject = self.chosen(node)
            if not takes_all(node.cases[-1]):
                wild = located(ast.MatchAs(pattern=None, name=None), node.cases[-1].pattern)
                empty = located(ast.Pass(), wild)
                node.cases.append(ast.match_case(pattern=wild, guard=None, body=[empty]))
            tried = set()
            for case in node.cases:
                header(case.pattern, tried)
                if case.guard:
                    case.guard = self.expression(case.guard)
                case.body = self.block(case.body, self.mark)
                if self.tells:
                    self.parts.setdefault(case.pattern.lineno, set()).update(tried)
                    told = self.telling(case.pattern.lineno, case.pattern)
                    case.body.insert(0, located(ast.Expr(value=told), case.pattern))
        return node

    def place(self):
        self.number += 1
        at = (self.start + self.number) * 40503 & 0xffff
        return max(at, LEAST)

    def mark(self, node):
        """Notes that a place was reached."""
        target = entry(AREA, self.place(), node, ast.Store)
        return located(ast.Assign(targets=[target], value=constant(1, node), type_comment=None), node)

    def count(self, node):
        """Notes how often a place was reached."""
        at = self.place()
        value = entry(NEXT, entry(AREA, at, node), node)
        return located(ast.Assign(targets=[entry(AREA, at, node, ast.Store)], value=value, type_comment=None), node)

    def reached(self, node, new):
        """An operand that notes that it was reached: those before it were true, or false."""
        if is_constant(node):
            return new
        if id(node) not in self.operands:
            self.operands[id(node)] = self.place()
        args = [constant(self.operands[id(node)], node), constant(1, node)]
        put = located(ast.Call(func=constant(PUT, node), args=args, keywords=[]), node)
        # To put something gives nothing.
        return located(ast.BoolOp(op=ast.Or(), values=[put, new]), node)

    # Lines

    def told(self, node):
        """What tells the lines of a statement, once."""
        self.own(node)
        return located(ast.Expr(value=self.telling(node.lineno, node)), node)

    def own(self, node):
        """Notes the lines of a part of the program."""
        header(node, self.parts.setdefault(node.lineno, set()))

    def handler(self, node):
        """A handler tells its line when it is asked whether it is the right one."""
        self.own(node)
        told = self.telling(node.lineno, node)
        if node.type:
            node.type = located(ast.BoolOp(op=ast.Or(), values=[told, node.type]), node.type)
        else:
            node.body.insert(0, located(ast.Expr(value=told), node))

    def telling(self, line, node):
        asked = entry(UNTOLD, line + LEAST, node)
        tell = located(ast.Call(func=constant(TELL, node), args=[constant(line, node)], keywords=[]), node)
        return located(ast.BoolOp(op=ast.And(), values=[asked, tell]), node)

    def part(self, node, new, start):
        """An expression that may be left out, on a line of its own, tells its lines."""
        if not self.tells or node.lineno == start:
            return new
        self.own(node)
        # The teller gives nothing.
        return located(ast.BoolOp(op=ast.Or(), values=[self.telling(node.lineno, node), new]), node)

    # Expressions

    def expression(self, node):
        """An expression that tells what it compares while that is wanted."""
        is_target = isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
        if is_target or not isinstance(node, ast.expr) or type(node) is ast.Starred:
            return rebuilt(node, self.expression)
        plain = self.plain(node, node.lineno)
        before = self.sights
        seen = self.seen(node, node.lineno)
        if self.sights == before:
            return plain
        test = entry(AREA, self.wanted, node)
        return located(ast.IfExp(test=test, body=seen, orelse=plain), node)

    def plain(self, node, start):
        return self.whole(node, lambda child: self.plain(child, start), start)

    def whole(self, node, change, start):
        """An expression with its children changed, and with the lines that may be left out."""
        if type(node) is ast.Lambda:
            # It runs later, when something else may be wanted.
            before = self.sights
            body = self.part(node.body, self.expression(node.body), start)
            self.sights = before
            return located(ast.Lambda(args=rebuilt(node.args, change), body=body), node)
        new = rebuilt(node, change)
        if type(node) is ast.BoolOp:
            values = [self.reached(one, other) for one, other in list(zip(node.values, new.values))[1:]]
            new = located(ast.BoolOp(op=node.op, values=new.values[:1] + values), node)
        elif type(node) is ast.IfExp:
            body, orelse = self.reached(node.body, new.body), self.reached(node.orelse, new.orelse)
            new = located(ast.IfExp(test=new.test, body=body, orelse=orelse), node)
        if self.tells and type(node) in LATER:
            fields = {name: getattr(new, name, None) for name in new._fields}
            for name in LATER[type(node)]:
                if type(fields[name]) is list:
                    both = list(zip(getattr(node, name), fields[name]))
                    fields[name] = fields[name][:1] + [self.part(one, other, start) for one, other in both[1:]]
                else:
                    fields[name] = self.part(getattr(node, name), fields[name], start)
            new = located(type(node)(**fields), node)
        return new

    def see(self, site, how, node):
        """Shows a value, and gives it back."""
        self.sights += 1
        args = [constant(site, node), constant(how, node), node]
        return located(ast.Call(func=constant(SEE, node), args=args, keywords=[]), node)

    def seen(self, node, start):
        """An expression that tells what it compares."""
        new = self.whole(node, lambda child: self.seen(child, start), start)
        kind = type(node)
        if kind is ast.Compare:
            return self.seen_compare(node, new)
        if kind is ast.Call and not any(type(one) is ast.Starred for one in node.args):
            if node.args:
                return self.seen_call(node, new)
            if type(node.func) is ast.Attribute and node.func.attr in ASKED:
                return self.with_owner(new, "asked " + node.func.attr, new.args, self.site())
        if kind is ast.Subscript and type(node.ctx) is ast.Load:
            return self.seen_subscript(node, new)
        return new

    def seen_subscript(self, node, new):
        index = node.slice.value if type(node.slice).__name__ == "Index" else node.slice
        # What a constant names does not come from a message.
        if is_constant(index) or type(index).__name__ in ("Slice", "ExtSlice", "Tuple", "UnaryOp"):
            return new
        site = self.site()
        owner = self.see(site, "owner", new.value)
        if type(node.slice).__name__ == "Index":
            key = located(ast.Index(value=self.see(site, "key", new.slice.value)), node)
        else:
            key = self.see(site, "key", new.slice)
        return located(ast.Subscript(value=owner, slice=key, ctx=node.ctx), node)

    def site(self):
        self.number += 1
        return self.number

    def seen_compare(self, node, new):
        names = [type(op).__name__ for op in node.ops]
        sides = [node.left] + node.comparators
        if all(name in ("Is", "IsNot") for name in names) or all(is_constant(side) for side in sides):
            return new
        if names[0] in ("In", "NotIn") and is_constant(node.left) and type(node.comparators[0]) in (ast.Dict,):
            return new
        site = self.site()
        left = self.see(site, "left", self.with_origin(site, node.left, new.left))
        others = [self.see(site, name, self.with_origin(site, one, other))
                  for name, one, other in zip(names, node.comparators, new.comparators)]
        return located(ast.Compare(left=left, ops=node.ops, comparators=others), node)

    def with_origin(self, site, node, new):
        """Also shows what a value was converted from."""
        if type(node) is not ast.Call or node.keywords:
            return new
        if type(node.func) is ast.Name and node.func.id in ("ord", "int") and len(node.args) == 1:
            args = [self.see(site, "from " + node.func.id, new.args[0])]
            return located(ast.Call(func=new.func, args=args, keywords=[]), node)
        if type(node.func) is ast.Attribute and node.func.attr in CHANGED:
            owner = self.see(site, "from " + node.func.attr, new.func.value)
            func = located(ast.Attribute(value=owner, attr=new.func.attr, ctx=new.func.ctx), node.func)
            return located(ast.Call(func=func, args=new.args, keywords=[]), node)
        return new

    def with_owner(self, new, how, args, site):
        owner = self.see(site, how, new.func.value)
        func = located(ast.Attribute(value=owner, attr=new.func.attr, ctx=new.func.ctx), new.func)
        return located(ast.Call(func=func, args=args, keywords=new.keywords), new)

    def seen_call(self, node, new):
        site = self.site()
        name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
        is_method = type(node.func) is ast.Attribute
        hows = None
        if name in GLOBBED and len(node.args) == 2:
            hows = ["text", "glob"]
        elif is_method and name in MATCHED:
            hows = ["pattern", "matched" if name != "sub" else "", "matched"]
        elif is_method and name in LOOKED_UP and not is_constant(node.args[0]):
            hows = ["key"]
        elif is_method and name in SOUGHT:
            hows = [name]
        elif not is_method and name in CONVERTED and not node.keywords:
            hows = ["asked " + name]
        if hows is None:
            return new
        args = [self.see(site, how, one) if how else one for how, one in zip(hows, new.args)] + new.args[len(hows):]
        if is_method and hows[0] not in ("text",):
            return self.with_owner(new, "owner", args, site)
        return located(ast.Call(func=new.func, args=args, keywords=new.keywords), node)

    def chosen(self, node):
        """The subject of a `match` tells the values of its cases."""
        values = []
        for case in node.cases:
            for part in inside(case.pattern):
                if type(part).__name__ == "MatchValue" and is_constant(part.value):
                    values.append(part.value.value)
        if not values:
            return node.subject
        subject = node.subject
        site = self.site()
        seen = self.see(site, "left", subject)
        for value in values[:40]:
            if type(value) in (str, bytes, int):
                seen = self.see(site, ("case", value), seen)
        return located(ast.IfExp(test=entry(AREA, self.wanted, subject), body=seen, orelse=subject), subject)


# Children of expressions that may be left out.
LATER = {ast.IfExp: ("body", "orelse"), ast.BoolOp: ("values",), ast.ListComp: ("elt",), ast.SetComp: ("elt",),
         ast.GeneratorExp: ("elt",), ast.DictComp: ("value",)}


def takes_all(case):
    """Does a case match whatever there is?"""
    pattern = case.pattern
    if type(pattern).__name__ == "MatchOr":
        pattern = pattern.patterns[-1]
    return case.guard is None and type(pattern).__name__ == "MatchAs" and pattern.pattern is None


def header(node, lines, start=None):
    """Adds the lines that run whenever a part of the program begins, without parts that tell themselves."""
    if hasattr(node, "lineno"):
        lines.add(node.lineno)
        if start is None and isinstance(node, ast.expr):
            start = node.lineno
    for name, child in children(node):
        if isinstance(child, ast.stmt) or type(child).__name__ in ("match_case", "ExceptHandler"):
            continue
        may_be_left_out = type(node) is ast.Lambda and name == "body"
        if name in LATER.get(type(node), ()):
            all_of_it = getattr(node, name)
            may_be_left_out = type(all_of_it) is not list or child is not all_of_it[0]
        if not may_be_left_out or child.lineno == start:
            header(child, lines, start)


def filled(code, values):
    """A code object with objects in place of the texts that stand for them."""
    consts = []
    for one in code.co_consts:
        if type(one) is str:
            one = values.get(one, one)
        elif hasattr(one, "co_consts"):
            one = filled(one, values)
        consts.append(one)
    return code.replace(co_consts=tuple(consts))


def instrumented(source, name, values, wanted, tell=None):
    """The code of a file, and the lines of each of its parts if `tell` says that they are wanted."""
    with warnings.catch_warnings():
        # The compiler warns of the program itself, and knows nothing of the constants.
        warnings.simplefilter("ignore")
        tree = compile(source, name, "exec", ONLY_TREE, True)
        instrumenter = Instrumenter(name, wanted, bool(tell))
        code = compile(instrumenter.module(tree), name, "exec", 0, True)
    values = dict(values)
    values[NEXT] = MORE
    values[PUT] = values[AREA].__setitem__
    if tell:
        values[UNTOLD], values[TELL] = tell(instrumenter.parts)
    return filled(code, values)

"""Has a Python program mark what it runs in a file that it shares with Stickler.

Python imports this file at its start because its folder is in PYTHONPATH. It compiles the program's own files so that
they mark what they run. What cannot be compiled so is traced: programs in archives, texts of the command line, and
any program of Python before 3.8. If Stickler wants to know the lines themselves, a second file gets each line once,
and the lines that could run.
"""

import os
import sys

# How many marks there are: behind them are comparisons, and a byte that says whether they are wanted.
MARKS = 1 << 16
FOLDER = os.path.dirname(os.path.abspath(__file__))


def teller(path):
    """What tells Stickler about lines of a file, if it wants to know."""
    if path is None:
        return None

    def tell(sign, lines, name):
        text = "%s@%s@%s\x1f\n" % (sign, ",".join(map(str, lines)), name)
        try:
            # A descriptor that stays open could be closed, and then be another file.
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
            try:
                os.write(descriptor, text.encode("utf-8", "surrogateescape"))
            finally:
                os.close(descriptor)
        except (OSError, UnicodeError):
            pass

    return tell


def numbers(code):
    """The lines of a code object and of all inside it."""
    if hasattr(code, "co_lines"):
        yield from (line for _, _, line in code.co_lines() if line)
    else:
        line = code.co_firstlineno
        yield line
        for step in code.co_lnotab[1::2]:
            line += step - 256 if step >= 128 else step
            yield line
    for constant in code.co_consts:
        if hasattr(constant, "co_consts"):
            yield from numbers(constant)


def libraries():
    """How the names of files begin that are not the program's own."""
    return (sys.base_prefix + "/lib", sys.prefix + "/lib", "<", FOLDER)


def beside(name):
    """Loads a file of this folder, without leaving a name behind."""
    names = {"__name__": "stickler_" + name}
    path = os.path.join(FOLDER, "stickler_%s.py" % name)
    with open(path, "rb") as file:
        exec(compile(file.read(), path, "exec", 0, True), names)
    return names


class Shared:
    """What the program shares with Stickler."""

    def __init__(self, path, lines):
        import mmap

        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            self.area = mmap.mmap(descriptor, 0)
        finally:
            os.close(descriptor)
        self.tell = teller(lines)
        self.compiler = None
        self.comparisons = None

    def see(self, site, how, value):
        """Tells a value that is compared, and gives it back."""
        # What is raised here would end the program.
        try:
            if self.comparisons is None:
                # Most processes are never asked to tell any.
                self.comparisons = beside("comparisons")["Comparisons"](self.area, MARKS)
            self.comparisons.note(site, how, value)
        except Exception:
            pass
        return value

    def compiled(self, source, name, plain):
        """Code that marks what it runs, for a file whose code is known; that code if it cannot be done."""
        try:
            if self.compiler is None:
                self.compiler = beside("instrument")
            values = {self.compiler["AREA"]: self.area, self.compiler["SEE"]: self.see}
            lines = self.lines(name, plain) if self.tell else None
            return self.compiler["instrumented"](source, name, values, len(self.area) - 1, lines)
        except Exception:
            # Nothing else is lost.
            return plain

    def lines(self, name, plain):
        """What tells the lines of a file."""
        known = set(numbers(plain))
        self.tell("=", sorted(known), name)

        def begin(parts):
            import mmap

            # Only memory can be a constant.
            least = self.compiler["LEAST"]
            untold = mmap.mmap(-1, max(known) + max(parts, default=0) + 2 * least)
            for part in parts:
                untold[part + least] = 1

            def tell(line):
                untold[line + least] = 0
                ran = parts[line] & known
                if ran:
                    self.tell("+", sorted(ran), name)

            return untold, tell

        return begin


def instrument_imports(shared, is_own):
    """Compiles the program's own modules when they are imported, and those that `-m` and folders name."""
    from importlib.machinery import SourceFileLoader

    usual = SourceFileLoader.get_code

    def get_code(self, fullname):
        # It writes caches and warns as usual.
        code = usual(self, fullname)
        try:
            path = self.get_filename(fullname)
            if is_own(path):
                code = shared.compiled(self.get_data(path), path, code)
                if fullname == "__main__" or sys.argv[0:1] == ["-m"]:
                    untrace()
        except Exception:
            pass
        return code

    # Tracebacks leave out the machinery of imports.
    get_code.__code__ = get_code.__code__.replace(co_filename="<frozen importlib._bootstrap_external>")
    SourceFileLoader.get_code = get_code


def instrument_main(shared):
    """Compiles the main program.

    Python asks the hooks of `sys.path` whether the file on its command line is an archive. For one that is, it calls
    `runpy._run_module_as_main`. This one says so of a source file, and a stand-in for that function runs its code.
    """

    def hook(path):
        try:
            # Only the interpreter itself has no caller.
            sys._getframe(1)
        except ValueError:
            pass
        else:
            raise ImportError
        # Python still goes through the list that it has.
        sys.path_hooks = hooks[1:]
        try:
            if path.endswith(".pyc") or not os.path.isfile(path):
                raise ImportError
            with open(path, "rb") as file:
                source = file.read()
            plain = compile(source, path, "exec", 0, True)
        except Exception:
            # Python says what is wrong, or finds an archive.
            raise ImportError from None
        sys.modules["runpy"] = Runner(path, shared.compiled(source, path, plain))
        untrace()
        return path

    hooks = [hook] + sys.path_hooks
    sys.path_hooks = hooks


class Runner:
    """Stands for the module `runpy` until the main program begins."""

    def __init__(self, path, code):
        from collections import defaultdict
        from importlib.machinery import SourceFileLoader
        from itertools import repeat, starmap
        from operator import itemgetter
        from types import FunctionType

        names = sys.modules["__main__"].__dict__

        def prepare():
            del sys.modules["runpy"]
            del sys.path[0]
            if not (sys.flags.isolated or getattr(sys.flags, "safe_path", False)):
                sys.path.insert(0, os.path.dirname(os.path.realpath(path)))
            sys.path_importer_cache[path] = None
            names["__loader__"] = SourceFileLoader("__main__", path)
            names["__file__"] = path
            names["__cached__"] = None

        # The frame of the program is the first one: what calls it is not written in Python. The steps of an iterator
        # prepare and run it; the last one gives a function that takes the two arguments of the call.
        steps = map(itemgetter(2), zip(starmap(prepare, [()]), starmap(FunctionType(code, names), [()]), repeat({}.get)))
        called = type("Main", (defaultdict,), {"__call__": property(itemgetter("run"))})
        self._run_module_as_main = called(steps.__next__)


def trace(shared, is_own):
    """Traces lines until something is compiled, for what cannot be."""
    import threading

    area, tell = shared.area, shared.tell
    last = MARKS - 1
    tracers = {}
    before = 0

    def tracer(code):
        name = code.co_filename
        if not is_own(name):
            return None
        start = sum(name.encode("utf-8", "replace")) * 31
        # If nobody wants to know, each line counts as told.
        told = set() if tell else range(1 << 60)
        if tell and code.co_name == "<module>":
            tell("=", sorted(set(numbers(code))), name)
        # Where each line leaves its mark.
        places = {}

        def trace(frame, event, argument):
            nonlocal before
            if event == "line":
                line = frame.f_lineno
                try:
                    at = places[line]
                except KeyError:
                    places[line] = at = (start + line) * 40503 & last
                    if line not in told:
                        told.add(line)
                        tell("+", [line], name)
                spot = at ^ before
                count = area[spot]
                if count < 255:
                    area[spot] = count + 1
                before = at >> 1
            return trace

        return trace

    def called(frame, event, argument):
        code = frame.f_code
        try:
            return tracers[code]
        except KeyError:
            tracers[code] = known = tracer(code)
            return known

    threading.settrace(called)
    sys.settrace(called)


def untrace():
    """Ends the tracing of what is instrumented."""
    import threading

    threading.settrace(None)
    sys.settrace(None)


def begin(path, lines):
    shared = Shared(path, lines)
    others = libraries()

    def is_own(name):
        return not name.startswith(others)

    trace(shared, is_own)
    if sys.version_info >= (3, 8):
        instrument_imports(shared, is_own)
        instrument_main(shared)


def next_one():
    """Runs the sitecustomize that this one hides."""
    sys.path[:] = [path for path in sys.path if path != FOLDER]
    hidden = sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize
    except ImportError:
        if hidden is not None:
            sys.modules["sitecustomize"] = hidden


next_one()
if "STICKLER_COVERAGE" in os.environ:
    try:
        begin(os.environ["STICKLER_COVERAGE"], os.environ.get("STICKLER_LINES"))
    except (ImportError, OSError, ValueError):
        pass

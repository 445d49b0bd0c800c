"""Marks the lines that a Python program runs in a file that it shares with Stickler.

Python imports this file at its start because its folder is in PYTHONPATH. If Stickler wants to know
the lines themselves, a second file gets each line once, and the lines that could run.
"""

import os
import sys


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


# How many marks lines can set: behind them are comparisons.
LINES = 1 << 16


def begin(path, lines):
    import mmap
    import threading

    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        area = mmap.mmap(descriptor, 0)
    finally:
        os.close(descriptor)
    last = LINES - 1
    wanted = len(area) - 1
    comparisons = None
    libraries = (sys.base_prefix + "/lib", sys.prefix + "/lib", "<")
    tracers = {}
    before = 0
    tell = teller(lines)

    def tracer(code):
        name = code.co_filename
        if name == __file__ or name.startswith(libraries):
            return None
        start = sum(name.encode("utf-8", "replace")) * 31
        # If nobody wants to know, each line counts as told.
        told = set() if tell else range(1 << 60)
        if tell and code.co_name == "<module>":
            tell("=", sorted(set(numbers(code))), name)

        compared = None
        # Where each line leaves its mark.
        places = {}

        def trace(frame, event, argument):
            nonlocal before, comparisons, compared
            if event == "line":
                if area[wanted]:
                    # What is raised here would end the program.
                    try:
                        if compared is None:
                            if comparisons is None:
                                comparisons = load(area)
                            compared = comparisons.of(name)
                        comparisons.look(frame, compared)
                    except Exception:
                        compared = {}
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


def load(area):
    """What tells comparisons."""
    import importlib.util

    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stickler_comparisons.py")
    plan = importlib.util.spec_from_file_location("stickler_comparisons", path)
    module = importlib.util.module_from_spec(plan)
    plan.loader.exec_module(module)
    return module.Comparisons(area, LINES)


def next_one():
    """Runs the sitecustomize that this one hides."""
    own = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if path != own]
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

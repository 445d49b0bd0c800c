"""Marks the lines that a Python program runs in a file that it shares with Stickler.

Python imports this file at its start because its folder is in PYTHONPATH.
"""

import os
import sys


def begin(path):
    import mmap
    import threading

    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        area = mmap.mmap(descriptor, 0)
    finally:
        os.close(descriptor)
    last = len(area) - 1
    libraries = (sys.base_prefix + "/lib", sys.prefix + "/lib", "<")
    tracers = {}
    before = 0

    def tracer(code):
        name = code.co_filename
        if name == __file__ or name.startswith(libraries):
            return None
        start = sum(name.encode("utf-8", "replace")) * 31

        def trace(frame, event, argument):
            nonlocal before
            if event == "line":
                at = (start + frame.f_lineno) * 40503 & last
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
        begin(os.environ["STICKLER_COVERAGE"])
    except (ImportError, OSError, ValueError):
        pass

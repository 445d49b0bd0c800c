"""Calls the functions of the gate in Python under Atheris: atheris_harness.py DEFECT PROMISER [LIBFUZZER…]

Prints `found` when the module ends. An input is several promises: message, NUL, mode, NUL, and so on. Each input
gets a new module, so that a found input fails again."""

import os
import sys

import atheris

DEFECT, PROMISER = sys.argv[1], sys.argv[2].encode()

atheris.enabled_hooks.add("RegEx")
atheris.enabled_hooks.add("str")
with atheris.instrument_imports():
    import base
    import gates

# Nobody reads the answers.
base.Module.send = lambda self, data: None


def one(data):
    module = gates.DEFECTS[DEFECT]()
    values = data.split(b"\0")
    for number in range(0, len(values), 2):
        message, mode, policy = values[number], b"".join(values[number + 1:number + 2]), b""
        if mode.startswith(b"w"):
            mode, policy = mode[1:], b"warn"
        attributes = {"message": message.decode("utf-8", "replace")}
        if mode:
            attributes["mode"] = mode.decode("utf-8", "replace")
        if policy:
            attributes["action_policy"] = "warn"
        request = {"operation": "evaluate_promise", "promiser": PROMISER.decode(), "attributes": attributes}
        try:
            if module.validate(dict(request, operation="validate_promise")) == "valid":
                module.evaluate(request)
        except BaseException as problem:
            print(f"found {problem!r}", flush=True)
            os._exit(0)


atheris.Setup([sys.argv[0], *sys.argv[3:]], one)
atheris.Fuzz()

# What a warm start of a Python script has to know. Its argument is the script. Prints lines:
# `site FOLDER`   where Python looks for its own additions
# `depends PATH`  what Python reads before the script's first line: a sandbox in which it differs starts cold
# `folder PATH`   the script's folder
# `import NAME`   a module of the standard library that the script imports first, and no other file can replace
import ast
import os
import site
import sys

# Modules that hold nothing of the process that imports them, or renew it in a fork.
KNOWN = """
abc argparse ast base64 binascii bisect calendar codecs collections collections.abc configparser contextlib copy csv
dataclasses datetime decimal difflib enum errno fcntl fnmatch fractions functools getopt glob grp hashlib heapq html
http.client http.server inspect io itertools json json.decoder json.encoder keyword logging math numbers operator os os.path pathlib pprint pwd
random re secrets select shlex shutil signal socket socketserver stat statistics string struct subprocess tempfile textwrap threading
time timeit traceback types typing unicodedata urllib.parse urllib.request uuid warnings weakref xml.etree.ElementTree zlib
""".split()


def imported(path, folder, seen):
    """The known modules that a file, and those beside it that it imports, import in all cases."""
    if path in seen:
        return
    seen.add(path)
    try:
        with open(path, "rb") as file:
            body = ast.parse(file.read()).body
    except (OSError, SyntaxError, ValueError):
        return
    for statement in body:
        if isinstance(statement, ast.Import):
            names = [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom) and not statement.level:
            names = [statement.module]
        else:
            continue
        for name in names:
            if name in KNOWN:
                yield name
            else:
                yield from imported(os.path.join(folder, name.split(".")[0] + ".py"), folder, seen)


def survey(script):
    if sys.version_info < (3, 8) or sys.implementation.name != "cpython":
        raise SystemExit("no warm start for this Python")
    folder = os.path.dirname(os.path.realpath(script))
    # The first entry is the place of this program.
    read = [entry for entry in sys.path[1:] if entry]
    read += [sys.executable, os.path.join(sys.prefix, "pyvenv.cfg"), "/etc/localtime", "/etc/ld.so.preload"]
    if site.ENABLE_USER_SITE is not False:
        read.append(site.getusersitepackages())
    folders = [entry for entry in site.getsitepackages() if os.path.isdir(entry)]
    lines = ["site " + folders[-1], "folder " + folder]
    lines += ["depends " + path for entry in read for path in {entry, os.path.realpath(entry)}]
    modules = list(dict.fromkeys(imported(script, folder, set())))
    for name in modules:
        __import__(name)
    # A file beside the script comes before the standard library.
    beside = {entry.partition(".")[0] for entry in os.listdir(folder)}
    loaded = {name.partition(".")[0] for name in sys.modules} - {"__main__"}
    if not beside & loaded and not os.environ.get("PYTHONPATH"):
        lines += ["import " + name for name in modules]
    print("\n".join(lines))


survey(sys.argv[1])

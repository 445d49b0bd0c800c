"""Describes the protocol of a gate to boofuzz: boofuzz_session.py KIND PROMISER COMMAND…

KIND is `line` or `json`. Prints `found` when the module ends with an error. One process serves many test
cases, because a start takes far longer than an exchange; boofuzz's own process monitor starts a process for
each."""

import json
import os
import select
import subprocess
import sys

import boofuzz

KIND, PROMISER, COMMAND = sys.argv[1], sys.argv[2], sys.argv[3:]


class Pipes(boofuzz.ITargetConnection):
    process = None

    def open(self):
        if self.process is not None and self.process.poll() is None:
            return
        self.process = subprocess.Popen(
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        self.send(b"cf-agent 3.21.0 v1\n\n")
        self.recv(0)

    def close(self):
        """The process lives on, unless it has ended."""
        self.ended()

    def ended(self):
        status = self.process.poll()
        if status:
            print("found", flush=True)
            os._exit(0)
        return status is not None

    def send(self, data):
        if self.ended():
            self.open()
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(self.process.stdin.fileno(), view[:4096]):]
                self.drain()
        except BrokenPipeError:
            self.process.wait()
            self.ended()
        return len(data)

    answer = b""

    def take(self, seconds):
        """Takes what comes within so long. Returns whether there may be more."""
        if not select.select([self.process.stdout], [], [], seconds)[0]:
            return False
        data = os.read(self.process.stdout.fileno(), 65536)
        if not data:
            self.process.wait()
            self.ended()
        self.answer += data
        return bool(data)

    def drain(self):
        """What has come so far: no pipe may be full on both sides."""
        while self.take(0):
            pass

    def recv(self, max_bytes):
        """One answer, or what comes of it within a tenth of a second."""
        while not self.answer.endswith(b"\n\n") and self.take(0.1):
            pass
        answer, self.answer = self.answer, b""
        return answer

    @property
    def info(self):
        return "a process"


class Escaped:
    """Encodes the text of a block as the content of a JSON text."""

    def __call__(self, data):
        return json.dumps(data.decode("utf-8", "surrogateescape"), ensure_ascii=False)[1:-1].encode(
            "utf-8", "surrogateescape"
        )


def text(name, value):
    if KIND == "line":
        return boofuzz.String(name, value)
    return boofuzz.Block(name + "-text", children=(boofuzz.String(name, value),), encoder=Escaped())


def fields(name, verb, policy):
    """A message's lines, or the members of its object."""
    if KIND == "line":
        begin, sign, between, end = b"", b"=", b"\n", b"\n"
        inside, after = b"attribute_", b""
    else:
        begin, sign, between, end = b'{"', b'": "', b'", "', b'"}\n'
        inside, after = b"", b'"}'
    static = lambda number, data: boofuzz.Static(f"{name}-{number}", data)
    yield static(1, begin + b"operation" + sign)
    yield boofuzz.Group(f"{name}-verb", [verb, "validate_promise", "evaluate_promise", "unknown"], verb)
    yield static(2, between + b"log_level" + sign + b"info" + between + b"promise_type" + sign + b"gate" + between)
    yield static(3, b"promiser" + sign + PROMISER.encode())
    if KIND == "json":
        yield static(4, b'", "attributes": {"')
    else:
        yield static(4, between)
    yield static(5, inside + b"message" + sign)
    yield text(f"{name}-message", "hello")
    # A mode is optional.
    modes = ["0644", "0600", "0640", "0755", "0700", "644", "0000", "4755"]
    modes = [(between + inside + b"mode" + sign).decode() + mode for mode in modes] + [""]
    yield boofuzz.Group(f"{name}-mode", modes, modes[0])
    if policy:
        yield static(7, between + inside + b"action_policy" + sign + b"warn")
    yield static(8, after + end if KIND == "line" else b'"}' + end[1:])
    yield boofuzz.Delim(f"{name}-end", "\n")


def main():
    session = boofuzz.Session(
        target=boofuzz.Target(connection=Pipes()),
        web_port=None,
        keep_web_open=False,
        fuzz_loggers=[],
        db_filename="boofuzz.db",
        receive_data_after_fuzz=True,
        reuse_target_connection=False,
        crash_threshold_request=1 << 30,
        crash_threshold_element=1 << 30,
        restart_sleep_time=0,
    )
    evaluate, validate, warn, again, other = (
        boofuzz.Request(name, children=tuple(fields(name, verb, policy)))
        for name, verb, policy in (
            ("evaluate", "evaluate_promise", False),
            ("validate", "validate_promise", False),
            ("warn", "evaluate_promise", True),
            ("again", "evaluate_promise", False),
            ("other", "validate_promise", False),
        )
    )
    session.connect(evaluate)
    session.connect(evaluate, warn)
    session.connect(warn, again)
    session.connect(again, other)
    session.connect(validate)
    # First each value by itself, then combinations of them.
    session.fuzz()


main()

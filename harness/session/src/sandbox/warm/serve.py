# Runs in a Python that has just started, before its script: each order makes a copy of it that goes on in a sandbox.
#
# An order is text, with descriptors: one to the harness, and those of the subject. Each line is a system call for one
# of three processes: `outer` is this one, `middle` its child, which enters the sandbox, and `inner` the child of that,
# which becomes the subject: the sandbox's init adopts it. The harness gets the result of the first `listen` that
# succeeds. Once it has answered, the `last` calls follow.


def serve(channel, modules):
    import os
    import sys

    try:
        for name in modules:
            __import__(name)
        if len(sys._current_frames()) != 1:
            os._exit(1)
        known = set(sys.modules)
        import _socket
        import array
        import ctypes
        import gc
        import struct

        # A later import finds these as a fresh one.
        for name in set(sys.modules) - known:
            del sys.modules[name]
        libc = ctypes.CDLL(None)
        libc.syscall.restype = ctypes.c_long
        # Copies share what they need not look at when they collect garbage.
        gc.collect()
        gc.freeze()
        harness = _socket.socket(fileno=channel)
        harness.send(b"ready")
        # Until now, the harness might have ended without this process noticing.
        libc.alarm(0)
    except BaseException:
        os._exit(1)

    def call(words, fds):
        held = []
        arguments = []
        for kind, text in ((word[0], word[1:]) for word in words):
            if kind == "i":
                arguments.append(ctypes.c_long(int(text)))
                continue
            if kind == "f":
                arguments.append(ctypes.c_long(fds[int(text)]))
                continue
            data = ctypes.create_string_buffer(bytes.fromhex(text))
            if kind == "p":
                # A filter of system calls: how many instructions of eight bytes, and where they are.
                held.append(data)
                data = ctypes.create_string_buffer(struct.pack("@HP", len(text) // 16, ctypes.addressof(data)))
            held.append(data)
            arguments.append(data)
        return libc.syscall(*arguments)

    def copy():
        try:
            text, ancillary, _, _ = harness.recvmsg(1 << 20, 1 << 10)
            if not text:
                os._exit(0)
            # Away from the numbers that a subject has.
            received = array.array("i", ancillary[0][2])
            fds = [libc.fcntl(fd, 1030, 64) for fd in received]
            for fd in received:
                os.close(fd)
            calls = {"outer": [], "middle": [], "inner": [], "listen": [], "last": []}
            for line in text.decode("ascii").splitlines():
                place, *words = line.split(" ")
                calls[place].append(words)
            failed = any(call(words, fds) < 0 for words in calls["outer"])
            try:
                middle = -1 if failed else os.fork()
            except OSError:
                # The sandbox has no room for more processes, or has ended.
                middle = -1
        except BaseException:
            os._exit(1)
        if middle:
            status = os.waitpid(middle, 0)[1] if middle > 0 else 1
            for fd in fds:
                os.close(fd)
            harness.send(b"%d" % status)
            return False
        try:
            if any(call(words, fds) < 0 for words in calls["middle"]):
                os._exit(2)
            if os.fork():
                os._exit(0)
            if any(call(words, fds) < 0 for words in calls["inner"]):
                os._exit(3)
            listener = -1
            for words in calls["listen"]:
                listener = call(words, fds) if listener < 0 else listener
            rights = array.array("i", [listener] if listener >= 0 else [])
            own = _socket.socket(fileno=fds[0])
            ancillary = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)] if rights else []
            own.sendmsg([b"%d" % os.getpid()], ancillary)
            if not own.recv(1):
                os._exit(4)
            own.detach()
            harness.detach()
            if any(call(words, fds) < 0 for words in calls["last"]):
                os._exit(6)
            if "logging" in sys.modules:
                import time

                log = sys.modules["logging"]
                log._startTime = (time.time if isinstance(log._startTime, float) else time.time_ns)()
            return True
        except BaseException:
            os._exit(5)

    while not copy():
        pass


def begin():
    import site

    customize = site.execsitecustomize

    def serve_and_customize():
        site.execsitecustomize = customize
        serve(CHANNEL, MODULES)
        customize()

    # Not at once: Python still reads the file that has led here.
    site.execsitecustomize = serve_and_customize


begin()

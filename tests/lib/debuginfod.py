"""A server of debug files, and a program that needs one."""
import http.server
import os
import re
import shutil
import subprocess
import tempfile
import threading

from harness import fixture, need


class Server:
    """Serves {build ID: bytes}; `slow` never answers."""

    def __init__(self, files, slow=False):
        outer = self
        self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked.append(self.path)
                if slow:
                    outer.end.wait(20)
                    return
                found = re.fullmatch(r"/buildid/([0-9a-f]+)/debuginfo", self.path)
                body = files.get(found.group(1)) if found else None
                self.send_response(200 if body else 404)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_):
                pass

        self.end = threading.Event()
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True

    def __enter__(self):
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.cache = tempfile.mkdtemp(prefix="sampler-test-")
        self.env = dict(os.environ, DEBUGINFOD_CACHE_PATH=self.cache,
                        DEBUGINFOD_URLS=f"http://127.0.0.1:{self.http.server_port}")
        return self

    def __exit__(self, *_):
        self.end.set()
        self.http.shutdown()
        shutil.rmtree(self.cache)


class Stripped:
    """A fixture without debug information and symbols, which are in another file."""

    def __init__(self, name="plain"):
        self.fixture = fixture(name)

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="sampler-test-")
        self.path, debug = self.folder + "/plain", self.folder + "/elsewhere"
        for command in (["objcopy", "--only-keep-debug", self.fixture, debug],
                        ["strip", "-o", self.path, self.fixture]):
            need(command[0])
            subprocess.run(command, check=True)
        self.debug = open(debug, "rb").read()
        os.remove(debug)
        out = subprocess.run([need("readelf"), "-n", self.path], capture_output=True, text=True)
        self.build_id = re.search(r"Build ID: (\w+)", out.stdout).group(1)
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)


__all__ = ["Server", "Stripped"]

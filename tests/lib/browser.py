"""Headless Chromium, driven by the DevTools protocol over a pipe: Chromium reads messages from
its descriptor 3 and writes them to 4, each a JSON object that ends with a NUL
(--remote-debugging-pipe). Nothing but Chromium and Python is needed."""
import base64
import json
import os
import select
import shutil
import struct
import subprocess
import tempfile
import time
import zlib

from harness import wait_for


def chromium():
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        if shutil.which(name):
            return shutil.which(name)
    raise AssertionError("no chromium here: tools/packages test installs it")


class Browser:
    def __init__(self, path):
        self.folder = tempfile.mkdtemp(prefix="sampler-browser-")
        to_read, self.to = os.pipe()
        self.back, to_write = os.pipe()
        options = ["--headless=new", "--remote-debugging-pipe", "--disable-gpu", "--hide-scrollbars",
                   "--no-first-run", "--disable-background-networking", "--disable-extensions",
                   "--disable-dev-shm-usage", "--force-color-profile=srgb",
                   f"--user-data-dir={self.folder}", "about:blank"]
        if os.geteuid() == 0:
            options.insert(0, "--no-sandbox")
        # The pipes' descriptors may be 3 or 4 themselves; high numbers cannot collide.
        high = [os.dup2(fd, 100 + i) for i, fd in enumerate((to_read, to_write))]

        def place():
            os.dup2(100, 3)
            os.dup2(101, 4)

        self.process = subprocess.Popen([path, *options], preexec_fn=place, pass_fds=(3, 4, 100, 101),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True)
        for fd in (to_read, to_write, *high):
            os.close(fd)
        self.pending, self.number, self.events = b"", 0, []
        self.session = None
        assert wait_for(self.pages)  # it may answer before it has made its first page
        self.session = self.call("Target.attachToTarget", targetId=self.pages()[0]["targetId"],
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def pages(self):
        return [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"]

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self.pending:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.back], [], [], left)[0]:
                raise TimeoutError("the browser does not answer")
            got = os.read(self.back, 1 << 20)
            if not got:
                raise EOFError("the browser has ended")
            self.pending += got
        text, self.pending = self.pending.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if getattr(self, "session", None):
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            answer = self.message(30)
            if answer.get("id") == self.number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, event, seconds=20):
        end = time.monotonic() + seconds
        while not any(e["method"] == event for e in self.events):
            self.events.append(self.message(end - time.monotonic()))

    # A page.

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def prefer(self, **features):
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": k.replace("_", "-"), "value": v} for k, v in features.items()])

    def load(self, url):
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def open(self, path, fragment=""):
        """Loads an empty page first: a change of the fragment alone does not load a page."""
        self.load("about:blank")
        self.load("file://" + path + fragment)

    def run(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def settle(self):
        """Waits until all changes are drawn, if nothing is animated (prefers-reduced-motion)."""
        self.run("new Promise(done => setTimeout(() => requestAnimationFrame(() => "
                 "requestAnimationFrame(done)), 20))")

    def key(self, key, text="", control=False):
        code = {"Enter": 13, "Escape": 27, "Backspace": 8, "ArrowLeft": 37, "ArrowUp": 38,
                "ArrowRight": 39, "ArrowDown": 40, "Tab": 9, "Home": 36}.get(key, ord(key[0].upper()))
        common = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 2 if control else 0}
        if text or (len(key) == 1 and not control):
            common["text"] = text or key
        if key == "Enter":
            common["text"] = "\r"
        self.call("Input.dispatchKeyEvent", type="keyDown", **common)
        common.pop("text", None)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def mouse(self, x, y, click=False):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        if click:
            for kind in ("mousePressed", "mouseReleased"):
                self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left",
                          clickCount=1)

    def screenshot(self, x=0, y=0, width=1000, height=700, scale=1):
        clip = {"x": x, "y": y, "width": width, "height": height, "scale": scale}
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", clip=clip)["data"])

    def complaints(self):
        """Errors and warnings of the console, exceptions, requests beyond the page itself."""
        self.run("0")
        out = []
        for e in self.events:
            p = e.get("params", {})
            if e["method"] == "Runtime.exceptionThrown":
                out.append(p["exceptionDetails"].get("exception", {}).get("description", "exception"))
            elif e["method"] == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
                out.append(p["entry"]["text"])
            elif e["method"] == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning"):
                out.append(str(p["args"]))
            elif e["method"] == "Network.requestWillBeSent" and p["type"] != "Document" and \
                    not p["request"]["url"].startswith("data:"):
                out.append("asked for " + p["request"]["url"])
        return out


def pixels(png):
    """(width, height, rows of RGB bytes) of an 8-bit PNG as Chromium writes it."""
    at, width, height, channels, packed = 8, 0, 0, 3, b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, bits, colour = struct.unpack(">IIBB", body[:10])
            assert bits == 8 and colour in (2, 6)
            channels = 3 if colour == 2 else 4
        elif kind == b"IDAT":
            packed += body
        at += 12 + size
    raw, stride, rows = zlib.decompress(packed), width * channels, []
    before = bytearray(stride)
    for y in range(height):
        filter_type, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride if filter_type else 0):
            a = line[x - channels] if x >= channels else 0
            b = before[x]
            c = before[x - channels] if x >= channels else 0
            if filter_type == 1:
                line[x] = (line[x] + a) & 255
            elif filter_type == 2:
                line[x] = (line[x] + b) & 255
            elif filter_type == 3:
                line[x] = (line[x] + (a + b) // 2) & 255
            else:
                p = a + b - c
                nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
                line[x] = (line[x] + nearest) & 255
        before = line
        rows.append(bytes(line) if channels == 3 else
                    b"".join(bytes(line[i:i + 3]) for i in range(0, stride, 4)))
    return width, height, rows

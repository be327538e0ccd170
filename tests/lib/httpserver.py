"""HTTP servers whose answers a test determines byte by byte."""
import os
import socket
import ssl
import subprocess
import threading


class Listener:
    """Accepts connections until the with block ends, and serves each in a thread of its own."""

    def __init__(self, family=socket.AF_INET, address=("127.0.0.1", 0), listens=True):
        self.socket = socket.socket(family)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(address)
        self.port = self.socket.getsockname()[1] if family == socket.AF_INET else None
        if listens:
            self.listen()

    def listen(self):
        self.socket.listen(16)
        threading.Thread(target=self.serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)  # else accept() would go on
        except OSError:
            pass
        self.socket.close()

    def serve(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.take(connection)

    def take(self, connection):
        threading.Thread(target=self.one, args=(connection,), daemon=True).start()


class Server(Listener):
    """Passes each connection and its request's head to `answer`, and closes the connection."""

    def __init__(self, answer, family=socket.AF_INET, address=("127.0.0.1", 0), wrap=None,
                 listens=True):
        self.answer, self.wrap, self.requests = answer, wrap, []
        super().__init__(family, address, listens)
        self.url = f"http://127.0.0.1:{self.port}/"

    def one(self, connection):
        try:
            if self.wrap:
                connection = self.wrap(connection)
            head = b""
            while b"\r\n\r\n" not in head:
                more = connection.recv(4096)
                if not more:
                    return
                head += more
            self.requests.append(head.decode(errors="replace"))
            self.answer(connection, self.requests[-1])
        except OSError:
            pass
        finally:
            connection.close()


def send(*parts):
    """An `answer` that sends these bytes, whatever the request."""
    return lambda connection, request: [connection.sendall(p) for p in parts]


def head(*headers, status="200 OK"):
    return "\r\n".join([f"HTTP/1.1 {status}", *headers, "", ""]).encode()


def whole(body, *headers, status="200 OK"):
    return head(f"Content-Length: {len(body)}", *headers, status=status) + body


def chunked(body, size=1000):
    pieces = [body[i:i + size] for i in range(0, len(body), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n"


def certificate(folder, *names):
    """Makes a certificate for localhost and these names, signed by itself: its path, and its key's."""
    paths = [os.path.join(folder, name) for name in ("cert.pem", "key.pem")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                    "/CN=localhost", "-addext",
                    "subjectAltName=" + ",".join(f"DNS:{name}" for name in ("localhost", *names)),
                    "-out", paths[0], "-keyout", paths[1]], check=True, capture_output=True)
    return paths


def tls(cert, key, *protocols):
    """A Server's `wrap`. `protocols`: those that ALPN offers."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    if protocols:
        context.set_alpn_protocols(protocols)
    return lambda connection: context.wrap_socket(connection, server_side=True)

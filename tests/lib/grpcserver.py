"""A server of gRPC for tests, by Python's h2, which determines its answers frame by frame."""
import os
import sys

from httpserver import Listener
from pins import PINS, TOOLS

LIBRARY = os.path.join(TOOLS, "h2-" + PINS["H2"])
assert os.path.exists(LIBRARY), f"no {LIBRARY}: tools/packages test installs it"
sys.path.insert(0, LIBRARY)
import h2.connection
import h2.events
import h2.exceptions


class Call:
    """A request. `headers` are in the order in which they came."""

    def __init__(self, headers):
        self.headers, self.body = [(k.decode(), v.decode()) for k, v in headers], b""

    def header(self, name):
        found = [v for k, v in self.headers if k == name]
        assert len(found) <= 1, self.headers
        return found[0] if found else None

    def message(self):
        """(is it packed, the message) of the only frame."""
        assert self.body[0] < 2 and int.from_bytes(self.body[1:5], "big") == len(self.body) - 5
        return self.body[0] == 1, self.body[5:]


class GrpcServer(Listener):
    """Reads whole requests and answers each with the next of `answers`, the last one repeatedly: a
    function of (connection of h2, stream, socket). `wrap` as of httpserver.Server."""

    def __init__(self, *answers, wrap=None):
        self.answers, self.calls, self.wrap = list(answers), [], wrap
        super().__init__()
        self.address = f"127.0.0.1:{self.port}"
        self.url = f"grpc://{self.address}"

    def one(self, connection):
        try:
            if self.wrap:
                connection = self.wrap(connection)
            self.serve_one(connection)
        except (OSError, h2.exceptions.ProtocolError):
            pass
        finally:
            connection.close()

    def serve_one(self, connection):
        h = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False,
                                                                 header_encoding=None))
        h.initiate_connection()
        connection.sendall(h.data_to_send())
        call = None
        while True:
            data = connection.recv(65536)
            if not data:
                return
            for event in h.receive_data(data):
                if isinstance(event, h2.events.RequestReceived):
                    call = Call(event.headers)
                elif isinstance(event, h2.events.DataReceived):
                    call.body += event.data
                    h.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, h2.events.StreamEnded):
                    self.calls.append(call)
                    answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                    answer(h, event.stream_id, connection)
            connection.sendall(h.data_to_send())


def frame(message, kind=0):
    return bytes([kind]) + len(message).to_bytes(4, "big") + message


HEAD = (":status", "200"), ("content-type", "application/grpc")


def answer(message=b"", status=0, why=None, *more, content=None):
    """Head, a message, and trailers. `content`: other bytes instead of the message's frame."""
    trailers = [("grpc-status", str(status)), *([("grpc-message", why)] if why else []), *more]

    def send(h, stream, connection):
        h.send_headers(stream, HEAD)
        h.send_data(stream, frame(message) if content is None else content)
        h.send_headers(stream, trailers, end_stream=True)
    return send


def huge(size):
    """A message of zeros, as fast as the client takes it."""
    def send(h, stream, connection):
        h.send_headers(stream, HEAD)
        h.send_data(stream, b"\0" + size.to_bytes(4, "big"))
        left = size
        while left:
            piece = min(left, h.max_outbound_frame_size, h.local_flow_control_window(stream))
            connection.sendall(h.data_to_send())
            if piece:
                h.send_data(stream, bytes(piece))
            else:
                h.receive_data(connection.recv(65536))
            left -= piece
        h.send_headers(stream, [("grpc-status", "0")], end_stream=True)
    return send


def only_trailers(status, why=None, *more):
    """An answer that is a head alone, in which the status is."""
    def send(h, stream, connection):
        message = [("grpc-message", why)] if why else []
        h.send_headers(stream, [*HEAD, ("grpc-status", str(status)), *message, *more], end_stream=True)
    return send


def plain(status, *headers, body=b""):
    """An answer of HTTP, as of a proxy."""
    def send(h, stream, connection):
        h.send_headers(stream, [(":status", str(status)), *headers], end_stream=not body)
        if body:
            h.send_data(stream, body, end_stream=True)
    return send


def without_trailers(message=b""):
    def send(h, stream, connection):
        h.send_headers(stream, HEAD)
        h.send_data(stream, frame(message), end_stream=True)
    return send


def reset(code):
    """Ends the stream alone (RFC 9113, section 7: 2 is INTERNAL_ERROR, 7 REFUSED_STREAM)."""
    return lambda h, stream, connection: h.reset_stream(stream, code)


def drop(h, stream, connection):
    """Ends the connection in the middle of an answer."""
    h.send_headers(stream, HEAD)
    connection.sendall(h.data_to_send())
    connection.shutdown(2)


def garbage(h, stream, connection):
    connection.sendall(bytes(range(256)) * 40)

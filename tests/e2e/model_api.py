"""A stand-in for the model's API on the loopback: it records what it is asked, and answers what it was told to."""

import itertools
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

IDS = itertools.count(1)


class ModelApi:
    """A server to be used in a `with`; `asked` holds the bodies of the requests for a message.

    answer: a text, or a function that is given a request's body and returns a text or blocks.
    """

    def __init__(self, answer):
        self.answer = answer
        self.asked = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    @property
    def url(self):
        """Where it listens."""
        return f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def texts(self):
        """Return every text that any request held, system prompts too."""
        return [text for body in self.asked for text in strings([body.get("system"), body.get("messages")])]

    def _handler(self):
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format, *args):
                """Keep quiet."""

            def do_GET(self):
                self._send(404, json.dumps({"type": "error", "error": {"type": "not_found_error", "message": "no"}}))

            do_HEAD = do_GET

            def do_POST(self):
                raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                path = self.path.partition("?")[0]
                if path.endswith("/count_tokens"):
                    self._send(200, json.dumps({"input_tokens": 10}))
                elif path != "/v1/messages":
                    self.do_GET()
                else:
                    body = json.loads(raw)
                    api.asked.append(body)
                    if body.get("stream"):
                        self._send(200, stream(message(body, api.answer)), "text/event-stream")
                    else:
                        self._send(200, json.dumps(message(body, api.answer)))

            def _send(self, status, text, kind="application/json"):
                data = text.encode()
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

        return Handler


def tool(name, **given):
    """Return the block of a tool call; its id counts up, for the client wants each once."""
    return {"type": "tool_use", "id": f"toolu_{next(IDS)}", "name": name, "input": given}


def message(body, answer):
    """Return a whole answer of the model."""
    said = answer(body) if callable(answer) else answer
    blocks = [{"type": "text", "text": said}] if isinstance(said, str) else said
    calls = any(block["type"] == "tool_use" for block in blocks)
    return {
        "id": f"msg_{next(IDS)}", "type": "message", "role": "assistant", "model": body.get("model", ""),
        "content": blocks, "stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 10},
    }  # fmt: skip


def stream(whole):
    """Return the answer as the events of a stream."""
    events = [{"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}]
    for n, block in enumerate(whole["content"]):
        if block["type"] == "text":
            opened, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            given = json.dumps(block["input"])
            opened, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": given}
        events += [
            {"type": "content_block_start", "index": n, "content_block": opened},
            {"type": "content_block_delta", "index": n, "delta": delta},
            {"type": "content_block_stop", "index": n},
        ]
    ended = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    events += [{"type": "message_delta", "delta": ended, "usage": {"output_tokens": 10}}, {"type": "message_stop"}]
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)


def strings(value):
    """Yield every string anywhere in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)

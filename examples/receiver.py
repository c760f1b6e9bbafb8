"""A webhook receiver that uses only the standard library. Run it with `python3 receiver.py`."""

import hashlib
import hmac
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ["WEBHOOK_SECRET"].encode()


def is_genuine(header: str, body: bytes) -> bool:
    parts = [part.partition("=")[::2] for part in header.split(",")]
    t = next((value for name, value in parts if name == "t"), "")
    if not re.fullmatch(r"[0-9]{1,12}", t) or abs(time.time() - int(t)) > 300:
        return False
    expected = hmac.new(SECRET, t.encode() + b"." + body, hashlib.sha256).hexdigest().encode()
    return any(name == "v1" and hmac.compare_digest(value.encode(), expected) for name, value in parts)


# In production, store events in a table with a unique event_id. Gatehouse does not repeat a delivery that got 200.
seen = set()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        body = self.rfile.read(length) if 0 <= length <= 1_000_000 else b""
        if not is_genuine(self.headers.get("Service-Signature", ""), body):
            return self.answer(401)
        message = json.loads(body)
        event = message.get("data") or message["error"]
        name, attributes = event["event"], event["attributes"]
        event_id = attributes["event_id"]
        is_new = event_id not in seen
        seen.add(event_id)
        self.answer(200)
        # Process the event after the response.
        if is_new:
            print(name, attributes.get("status"), event_id, flush=True)

    def answer(self, status: int):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()


ThreadingHTTPServer(("", int(os.environ.get("PORT", "8000"))), Receiver).serve_forever()

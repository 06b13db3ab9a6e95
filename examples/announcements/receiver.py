# SPDX-License-Identifier: Apache-2.0
"""Receives announcements of a webhook, and stores each announcement once.

usage: WEBHOOK_SECRET=… python receiver.py PORT DATABASE
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import sqlite3
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET, PORT, DATABASE = os.environ["WEBHOOK_SECRET"].encode(), int(sys.argv[1]), sys.argv[2]
TABLE = "CREATE TABLE IF NOT EXISTS announcement (id TEXT PRIMARY KEY, type TEXT, bucket TEXT, data TEXT)"


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        signed = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode() + body
        signature = b"v1," + base64.b64encode(hmac.digest(SECRET, signed, hashlib.sha256))
        if not hmac.compare_digest(signature, str(self.headers["webhook-signature"]).encode()):
            return self.respond(401)
        event = json.loads(body)
        row = (event["id"], event["type"], event.get("subject"), json.dumps(event["data"]))
        with sqlite3.connect(DATABASE) as database:  # a repeated announcement has the same id
            database.execute("INSERT OR IGNORE INTO announcement VALUES (?, ?, ?, ?)", row)
        return self.respond(204)  # only after the commit

    def do_OPTIONS(self):  # the check before the start of a query
        self.respond(204)

    def respond(self, status):
        self.send_response(status)
        self.end_headers()


if __name__ == "__main__":
    with sqlite3.connect(DATABASE) as created:
        created.execute(TABLE)
    server = ThreadingHTTPServer(("127.0.0.1", PORT), Receiver)
    print(server.server_port, flush=True)
    server.serve_forever()

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
        time = self.headers["webhook-timestamp"]
        signed = f"{self.headers['webhook-id']}.{time}.".encode() + body
        digest = hmac.digest(SECRET, signed, hashlib.sha256)
        signature = b"v1," + base64.b64encode(digest)
        received = str(self.headers["webhook-signature"]).encode()
        if not hmac.compare_digest(signature, received):
            return self.respond(401)
        event = json.loads(body)
        data = json.dumps(event["data"])
        row = (event["id"], event["type"], event.get("subject"), data)
        # A repeated announcement has the same id.
        insert = "INSERT OR IGNORE INTO announcement VALUES (?, ?, ?, ?)"
        with sqlite3.connect(DATABASE) as database:
            database.execute(insert, row)
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

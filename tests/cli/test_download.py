"""s3gd data get against a server on loopback."""
import bz2
import http.server
import os
import threading
import unittest

from program import ProgramTest

TRAIN = bz2.compress(b"1 1:0.5 2:1\n-1 2:4\n" * 2000)
TEST = bz2.compress(b"1 1:3\n-1 2:4\n")


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.paths.append((self.path, self.headers.get("Range")))
        body = {"/set/ijcnn1.bz2": TRAIN, "/set/ijcnn1.t.bz2": TEST}.get(self.path)
        if body is None:
            self.send_error(404)
            return
        start = int((self.headers.get("Range") or "bytes=0-")[6:-1])
        self.send_response(206 if start else 200)
        self.send_header("ETag", '"v1"')
        self.send_header("Content-Length", str(len(body) - start))
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        self.end_headers()
        rest = body[start:]
        if self.server.cuts > 0:
            self.server.cuts -= 1
            rest = rest[:len(rest) // 2]
        self.wfile.write(rest)

    def log_message(self, *_):
        pass


class Get(ProgramTest):
    def setUp(self):
        super().setUp()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.paths = []
        self.server.cuts = 0
        thread = threading.Thread(target=self.server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_port}/set"

    def test_a_downloaded_set_is_found_by_name(self):
        self.error_of("inspect", "ijcnn1")
        result = self.run_json("data", "get", "IJCNN", "--from", self.url)
        self.assertEqual([file["fetched"] for file in result["files"]], [True, True])
        self.assertEqual(self.read("cache/s3gd/ijcnn1/ijcnn1.bz2"), TRAIN)
        self.assertEqual(self.run_json("inspect", "ijcnn1")["rows"], 4000)
        self.assertTrue(self.run_program("data", "path", "ijcnn1", "--test")[0].endswith("ijcnn1.t.bz2\n"))
        again = self.run_json("data", "get", "ijcnn1", "--from", self.url)
        self.assertEqual([file["fetched"] for file in again["files"]], [False, False])
        self.assertEqual(len(self.server.paths), 2)

    def test_a_cut_connection_is_resumed(self):
        self.server.cuts = 1
        self.run_program("data", "get", "ijcnn1", "--from", self.url + "/")
        self.assertEqual(self.read("cache/s3gd/ijcnn1/ijcnn1.bz2"), TRAIN)
        self.assertEqual(self.server.paths[1], ("/set/ijcnn1.bz2", f"bytes={len(TRAIN) // 2}-"))

    def test_a_missing_file_and_a_wrong_checksum_are_one_line(self):
        self.assertIn("404", self.error_of("data", "get", "a9a", "--from", self.url))
        images = self.write("mirror/train-images-idx3-ubyte.gz", b"not MNIST")
        text = self.error_of("data", "get", "mnist", "--from", "file://" + os.path.dirname(images))
        self.assertIn("9 bytes instead of 9912422", text)
        self.assertEqual(os.listdir(self.path("cache/s3gd/mnist")), [])

    def test_what_cannot_be_downloaded_says_how_to_get_it(self):
        self.assertIn("https://www.nist.gov", self.error_of("data", "get", "med11"))
        self.assertIn("did you mean 'a9a'?", self.error_of("data", "get", "a8a"))


if __name__ == "__main__":
    unittest.main()

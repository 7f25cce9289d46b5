"""A server of to-dos for the app in README. It needs Python 3 and nothing else: python3 server.py PORT FILE"""
import json, os, sys, threading, uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

lock, path = threading.Lock(), sys.argv[2]
state = {"epoch": str(uuid.uuid4()), "todos": {}, "pushes": []}
if os.path.exists(path):
    with open(path) as file: state = json.load(file)

def version(commit=None):
    """The epoch changes when the file is lost, the commit with each push."""
    return {"epoch": state["epoch"], "commit": commit or (state["pushes"][-1]["id"] if state["pushes"] else "empty")}

def changes(epoch, commit):
    """What has changed since a version, or everything if the version is not known."""
    commits = ["empty"] + [push["id"] for push in state["pushes"]]
    everything = epoch != state["epoch"] or commit not in commits
    later = state["pushes"] if everything else state["pushes"][commits.index(commit):]
    keys = set(state["todos"]) if everything else {key for push in later for key in push["keys"]}
    return {"everything": everything, "version": version(),
            "changed": [state["todos"][key] for key in keys if key in state["todos"]],
            "deleted": [key for key in keys if key not in state["todos"]]}

def apply(push):
    """Applies a push as a whole if the to-dos are in the state that it expects; stores it before the answer."""
    global state
    known = [other.get("expected") for other in state["pushes"] if other["id"] == push["id"]]
    if known: return version(push["id"]) if known == [push.get("expected")] else None  # A second copy, or another push.
    if push.get("expected") != version(): return None
    todos, diff = dict(state["todos"]), push["changes"]
    for todo in diff["delete"]: todos.pop(todo["id"], None)
    for todo in diff["add"] + diff["replace"]: todos[todo["id"]] = todo
    keys = {todo["id"] for part in ("add", "delete", "replace") for todo in diff[part]}
    made = {"id": push["id"], "keys": sorted(keys), "expected": push.get("expected")}
    new = {**state, "todos": todos, "pushes": state["pushes"] + [made]}
    with open(path + ".new", "w") as file:
        json.dump(new, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(path + ".new", path)
    state = new
    return version()

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):  # Here a real server finds out whose to-dos these are.
        url = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        with lock:
            if url.path == "/todos": return self.answer(200, changes(query.get("epoch"), query.get("commit")))
            push = url.path.removeprefix("/pushes/")
            if any(known["id"] == push for known in state["pushes"]): return self.answer(200, version(push))
        self.answer(404, None)

    def do_POST(self):
        push = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with lock: applied = apply(push)
        self.answer(200 if applied else 409, applied)

    def answer(self, code, value):
        body = json.dumps(value).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words): pass

server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
print(server.server_port, flush=True)
server.serve_forever()

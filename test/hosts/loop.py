import json, subprocess, sys

serve = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

def call(tool, **params):
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools.call", "params": {"tool": tool, "params": params}}
    print(json.dumps(request), file=serve.stdin, flush=True)
    return json.loads(serve.stdout.readline())["result"]

for pattern in ("console.log($A)", "f("):
    print(json.dumps(call("ast_grep", pattern=pattern, language="js")))

"""A judge's program that does what the text tells it to. Without the project on its path."""

import json
import os
import sys
import time

mode = sys.argv[1] if len(sys.argv) > 1 else "plain"
if mode == "hello":
    print(json.dumps({"hello": {"version": sys.argv[2]}}), flush=True)
elif mode == "changing":
    print(json.dumps({"hello": {"pid": os.getpid()}}), flush=True)
elif mode == "fails":
    sys.stderr.write("first\n\x1b[31mno model\x07 file\n" + os.environ.get("MY_API_KEY", ""))
    sys.exit(4)
elif mode == "loud":
    print("loading the model ...")

held = []
for line in sys.stdin:
    request = json.loads(line)
    text = str(request.get("text", request.get("value")))
    reply = {"id": request["id"], "value": text.lower()}
    if text == "DIE":
        sys.stderr.write("a fatal error\n")
        sys.exit(3)
    elif text == "HANG":
        with open(os.environ.get("HANGS", os.devnull), "a") as file:
            file.write("once more\n")
        time.sleep(600)
    elif text == "UNFLUSHED":
        print(json.dumps(reply), end="", flush=True)
        time.sleep(600)
    elif text == "CHILD":
        child = os.fork()
        if child == 0:
            time.sleep(600)
        reply = {"id": request["id"], "error": str(child)}
    elif text == "GARBAGE":
        print("oops", flush=True)
        continue
    elif text == "LONG":
        print("x" * 2_000_000, flush=True)
        continue
    elif text == "STRANGER":
        reply["id"] = "no such id"
    elif text == "INVALID":
        reply = {"id": request["id"], "valid": False, "reason": "not decided"}
    elif text == "ERROR":
        reply = {
            "id": request["id"],
            "error": "the table is gone " + os.environ.get("MY_API_KEY", ""),
        }
    elif text == "REMARK":
        reply = {"id": request["id"], "value": "a", "reason": "by " + os.environ["MY_API_KEY"]}
    elif text == "KEY":
        reply["value"] = [os.environ["MY_API_KEY"]]
    if mode == "backwards":
        held.append(reply)
        if len(held) < 3:
            continue
        for other in reversed(held):
            print(json.dumps(other), flush=True)
        held = []
        continue
    print(json.dumps(reply), flush=True)

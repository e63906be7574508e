"""Peak memory of one fit of ours in a process of its own: what the fit adds to the rows, which are there already."""
import ctypes
import json
import sys

import bridge


def status(field):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(field + ":"))


def forget_peak():
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def main():
    job = json.load(sys.stdin)
    data = bridge.Data(bridge.open_library(job["library"]), job["source"], **job["options"])
    lam = 1 / data.rows if job["lambda"] == "1/n" else float(job["lambda"])
    task = bridge.Task(data, lam, threads=job["threads"])
    forget_peak()
    before = status("VmRSS")
    task.solve(solver="auto", tol=1e-9)
    peak = status("VmHWM")
    print(json.dumps({"data": data.bytes, "rows": data.rows, "cols": data.cols, "added": peak - before, "peak": peak}))


if __name__ == "__main__":
    main()

"""One measured process: CPU and wall time, peak memory, what it wrote, and how it ended."""

import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

TIME = shutil.which("time") or "/usr/bin/time"


@dataclass
class Run:
    status: str = "ok"  # ok, failed or timeout
    code: int = 0
    cpu: float = 0.0
    wall: float = 0.0
    peak: int = 0  # KiB
    output: str = ""
    errors: str = ""

    @property
    def why(self):
        lines = [line for line in self.errors.strip().splitlines() if line.strip()]
        return lines[-1][:200] if lines and self.status == "failed" else ""


def run(command, timeout, environment=None, allowed=(0, 66), address_space=None):
    """Runs a command; its whole process group is killed when the time is up.

    CPU time is that of the process and of the children it waited for. The peak is the largest of these processes, measured
    by the program `time`: a child of Python would begin with Python's own size.
    """
    def limit():
        if address_space:
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    with tempfile.TemporaryDirectory() as folder:
        report, out, err = Path(folder, "time"), Path(folder, "out"), Path(folder, "err")
        started = time.monotonic()
        with open(out, "wb") as output, open(err, "wb") as errors:
            child = subprocess.Popen([TIME, "-q", "-f", "%M", "-o", str(report), *map(str, command)],
                                     stdin=subprocess.DEVNULL, stdout=output, stderr=errors, start_new_session=True,
                                     env={**os.environ, **(environment or {})}, preexec_fn=limit if address_space else None)
        result = Run()
        pid, status, usage = 0, 0, None
        pause = 0.001
        while pid == 0:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid == 0:
                if time.monotonic() - started > timeout and result.status == "ok":
                    os.killpg(child.pid, signal.SIGKILL)
                    result.status = "timeout"
                time.sleep(pause)
                pause = min(pause * 1.3, 0.02)
        child.returncode = os.waitstatus_to_exitcode(status)  # so that Popen does not wait once more
        result.wall = time.monotonic() - started
        result.cpu = usage.ru_utime + usage.ru_stime
        result.code = child.returncode
        last = report.read_text().strip().splitlines()[-1:] if report.exists() else []
        result.peak = int(last[0]) if last and last[0].isdigit() else 0
        result.output = out.read_text(errors="replace")
        result.errors = err.read_text(errors="replace")
        if result.status == "ok" and result.code not in allowed:
            result.status = "failed"
        return result

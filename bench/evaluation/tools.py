"""The tools that are compared: how each is called, and what pairs of lines its reports name."""

import json
import re
import shutil
import tempfile
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

import measure
import programs

DETECTORS = ["empty", "eraser", "basicvc", "djit+", "multirace", "goldilocks", "racetrack", "fasttrack", "slimstate"]
BEHIND_REX = ["fasttrack", "basicvc", "djit+", "goldilocks"]
PRECISE = ["basicvc", "djit+", "goldilocks", "fasttrack", "slimstate"]
FRAME = re.compile(r"^    #\d+ .*?([^/\s:]+):(\d+)(?::\d+)? \(")


@dataclass
class Tool:
    name: str
    variant: str          # which binary of the program it needs
    kind: str             # native, live, record or trace
    arguments: list = field(default_factory=list)  # trace: of `deadheat analyze`
    says: str = ""

    def is_there(self):
        if self.kind == "valgrind":
            return shutil.which("valgrind") is not None
        if self.variant not in programs.compilers():
            return False
        return shutil.which(programs.compilers()[self.variant][0][0]) is not None


def table():
    tools = [
        Tool("native", "native", "native", says="no tool"),
        Tool("deadheat", "deadheat", "live", says="in-process FastTrack, the compiler's instrumentation"),
        Tool("deadheat-pass", "deadheat-pass", "live", says="in-process FastTrack, our own pass"),
        Tool("tsan-clang", "tsan-clang", "live", says="ThreadSanitizer of Clang 19"),
        Tool("tsan-gcc", "tsan-gcc", "live", says="ThreadSanitizer of GCC 12"),
        Tool("helgrind", "native", "valgrind", says="Valgrind's Helgrind"),
        Tool("drd", "native", "valgrind", says="Valgrind's DRD"),
        Tool("record", "deadheat", "record", says="`deadheat record --full`"),
    ]
    for name in DETECTORS:
        tools.append(Tool(name, "deadheat", "trace", ["--detector", name], f"`{name}` on the recording"))
    for name in ("rex", "rex-lockset"):
        tools.append(Tool(f"{name}+fasttrack", "deadheat", "trace", ["--detector", "fasttrack", "--filter", name], f"`{name}` before `fasttrack`"))
        tools.append(Tool(f"{name}+empty", "deadheat", "trace", ["--detector", "empty", "--filter", name], f"`{name}` alone"))
    for name in BEHIND_REX:
        for filter_name in ("rex", "rex-recent"):
            if (filter_name, name) != ("rex", "fasttrack"):
                tools.append(Tool(f"{filter_name}+{name}", "deadheat", "trace", ["--detector", name, "--filter", filter_name], f"`{filter_name}` before `{name}`"))
    for name in ("lockset", "threadset", "granularity"):
        tools.append(Tool(f"racetrack:{name}", "deadheat", "trace", ["--detector", "racetrack", "--racetrack", name], f"`racetrack` with {name}"))
    tools.append(Tool("goldilocks:stop", "deadheat", "trace", ["--detector", "goldilocks", "--stop-after-first"], "`goldilocks` that stops checking racy variables"))
    tools.append(Tool("slimstate:study", "deadheat", "trace", ["--detector", "slimstate", "--study"], "`slimstate` beside its bit-set variants"))
    tools.append(Tool("rex:study", "deadheat", "trace", ["--filter", "rex", "--study"], "`rex` with all races counted"))
    tools.append(Tool("rex-lockset:study", "deadheat", "trace", ["--filter", "rex-lockset", "--study"], "`rex-lockset` with all races counted"))
    return {tool.name: tool for tool in tools}


def side(frames, source):
    """The line of an access: its innermost frame in the program's own source, 0 if that is not known. frames: (file, line) pairs."""
    for file, line in frames:
        if file and Path(file).name == source:
            return line
    return 0


def pairs_of_text(text, source):
    """Pairs of lines of the reports of ThreadSanitizer."""
    pairs = []
    for report in text.split("WARNING: ThreadSanitizer: ")[1:]:
        if not report.startswith("data race"):
            continue
        stacks, frames = [], None
        for line in report.splitlines():
            if re.match(r"  (Previous )?(atomic )?(read|write) of size", line, re.IGNORECASE):
                frames = []
                stacks.append(frames)
            elif match := FRAME.match(line):
                if frames is not None:
                    frames.append((match[1], int(match[2])))
            elif not line.startswith("    #"):
                frames = None
        lines = [side(stack, source) for stack in stacks[:2]]
        pairs.append(tuple(sorted(lines + [0] * (2 - len(lines)))))
    return pairs


def pairs_of_findings(findings, source):
    """Pairs of lines of our own reports in JSON; frames without debug information have no file. A warning of an imprecise detector may know one side only."""
    pairs = []
    for finding in findings:
        if finding.get("type", "race") != "race" or "accesses" not in finding:
            continue
        lines = [side([(frame.get("file"), frame.get("line", 0)) for frame in access["stack"]], source)
                 for access in finding["accesses"] if access["stack"]]
        pairs.append(tuple(sorted(lines[:2])) if len(lines) > 1 else tuple(lines))
    return pairs


def pairs_of_valgrind(text, source):
    """Pairs of lines of Helgrind's reports, single lines of DRD's, which names the other access by its segment only."""
    pairs = []
    for error in ElementTree.fromstring(text).findall("error"):
        if error.findtext("kind") not in ("Race", "ConflictingAccess"):
            continue
        lines = []
        for stack in error.findall("stack")[:2]:
            frames = [(frame.findtext("file"), int(frame.findtext("line") or 0)) for frame in stack.findall("frame")]
            lines.append(side(frames, source))
        if error.findtext("kind") == "ConflictingAccess":
            lines = lines[:1]
        else:
            has_other = error.find("xauxwhat") is not None and "conflicts" in (error.findtext("xauxwhat/text") or "")
            lines = lines if has_other else lines[:1]
        pairs.append(tuple(sorted(lines)))
    return pairs


def score(pairs, races, racy):
    """Races found, missed and invented. A pair is a known race if all its lines carry the race's name.

    A compiler that merges code of several lines gives it line 0: such a side says nothing, and the other one counts.
    """
    found, invented = set(), set()
    for pair in pairs:
        pair = tuple(line for line in pair if line)
        names = [name for name, lines in races.items() if racy and pair and all(line in lines for line in pair)]
        found.update(names)
        if not names:
            invented.add(pair)
    missed = set(races) - found if racy else set()
    return {"found": sorted(found), "missed": sorted(missed), "invented": sorted(map(list, invented))}


def trace_of(program, threads, size, race):
    return programs.SCRATCH / "traces" / f"{program}-{threads}-{size}{'-race' if race else ''}.dht"


def run(tool, program, threads, size, race, timeout, **more):
    """One run as a row of the results, without what the caller knows."""
    source = f"{program}.cpp"
    target = programs.binary(program, tool.variant)
    arguments = ["--threads", threads, "--size", size] + (["--race"] if race else [])
    row, pairs, stats = {}, [], {}
    with tempfile.TemporaryDirectory() as folder:
        if tool.kind == "native":
            done = measure.run([target, *arguments], timeout, allowed=(0,))
        elif tool.kind == "live":
            log = Path(folder, "reports")
            options = "detect_deadlocks=0:atexit_sleep_ms=0"
            symbolizer = shutil.which("llvm-symbolizer-19") if tool.name == "tsan-clang" else None
            ours = tool.variant.startswith("deadheat")
            done = measure.run([target, *arguments], timeout, {"DEADHEAT_OPTIONS": f"{options}:record_path={log}", "TSAN_OPTIONS": options + (f":external_symbolizer_path={symbolizer}" if symbolizer else "")})
            if not ours:
                pairs = pairs_of_text(done.errors, source)
            elif log.exists():
                pairs = pairs_of_findings([json.loads(line) for line in log.read_text().splitlines()], source)
        elif tool.kind == "valgrind":
            log = Path(folder, "reports.xml")
            command = ["valgrind", f"--tool={tool.name}", "--read-inline-info=yes", "--xml=yes", f"--xml-file={log}", target, *arguments]
            done = measure.run(command, timeout, allowed=(0,))
            if done.status == "ok":
                pairs = pairs_of_valgrind(log.read_text(), source)
        elif tool.kind == "record":
            trace = trace_of(program, threads, size, race)
            trace.parent.mkdir(parents=True, exist_ok=True)
            done = measure.run([programs.BIN / "deadheat", "record", "--full", "-o", trace, "--", target, *arguments], timeout,
                               {"DEADHEAT_OPTIONS": "atexit_sleep_ms=0"})
            if done.status == "ok":
                row["trace_bytes"] = trace.stat().st_size
        else:
            trace, report = trace_of(program, threads, size, race), Path(folder, "report.json")
            if not trace.exists():
                return {"status": "failed", "why": "there is no recording", "cpu": 0, "wall": 0, "peak": 0}
            done = measure.run([programs.BIN / "deadheat", "analyze", "--stats", "--format", "json", "--output", report, *tool.arguments, trace], timeout, **more)
            if done.status == "ok":
                result = json.loads(report.read_text())
                pairs, stats = pairs_of_findings(result["races"], source), result["stats"]
                row["events"] = result["trace"]["events"]
    row.update({"status": done.status, "code": done.code, "why": done.why, "cpu": round(done.cpu, 4), "wall": round(done.wall, 4), "peak": done.peak})
    if done.status == "ok" and tool.kind in ("native", "live", "valgrind") and f"{program}: " not in done.output:
        row.update({"status": "failed", "why": "the program did not come to its verdict"})
    if done.status == "ok" and tool.kind not in ("native", "record"):
        row["score"] = score(pairs, programs.known_races(programs.SOURCES / source), race)
    if stats:
        row["stats"] = stats
    return row

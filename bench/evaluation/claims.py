"""The claims that the evaluation has to show, each with what was measured."""

from dataclasses import dataclass

import programs
import tools
from numbers_of import geometric_mean


@dataclass
class Claim:
    text: str
    wanted: str
    measured: str = "–"
    met: object = None
    why: str = ""


def total_score(numbers, tool):
    found = missed = invented = 0
    for program in programs.names():
        for racy in (True, False):
            score = numbers.score(program, tool, racy)
            if score:
                found, missed, invented = found + len(score["found"]), missed + len(score["missed"]), invented + len(score["invented"])
    return found, missed, invented


def over_empty(numbers, names, tool, part="time"):
    """Geometric mean, over programs at 16 threads or more, of a detector's time over `empty` as a multiple of fasttrack's."""
    values = []
    for program in names:
        for threads in numbers.threads(part):
            empty, own, fast = (numbers.detect(part, program, threads, name) for name in ("empty", tool, "fasttrack"))
            if threads >= 16 and empty and own and fast and fast > empty and own > empty:
                values.append((own - empty) / (fast - empty))
    return geometric_mean(values)


def clock_operation(numbers):
    """Nanoseconds of an operation on a vector clock, and of an event of `fasttrack` over `empty`: sums over all programs at 16 threads or more."""
    time = operations = own = events = 0.0
    for program in programs.names():
        for threads in numbers.threads("time"):
            empty, fast, basic = (numbers.detect("time", program, threads, name) for name in ("empty", "fasttrack", "basicvc"))
            if threads < 16 or None in (empty, fast, basic):
                continue
            counts = [numbers.stats("time", program, name, threads)["vector_clocks"] for name in ("basicvc", "fasttrack")]
            more = [count["operations"] + count["operations_for_variables"] for count in counts]
            time, operations = time + basic - fast, operations + more[0] - more[1]
            own, events = own + fast - empty, events + numbers.largest("time", program, "fasttrack", "events", threads)
    return (time / operations * 1e9, own / events * 1e9) if operations and events else None


def nanoseconds(numbers, program, threads, tool):
    """Of an event in the detector, over `empty`."""
    events = numbers.largest("threads", program, "fasttrack", "events", threads)
    empty, own = numbers.detect("threads", program, threads, "empty"), numbers.detect("threads", program, threads, tool)
    return max(own - empty, 1e-9) / events * 1e9 if events and own and empty else None


def live_nanoseconds(numbers, program, threads, tool):
    """Of an event, live: CPU time beyond that of the native program."""
    events = numbers.largest("threads", program, "fasttrack", "events", threads)
    native, own = numbers.cpu("threads", program, threads, "native"), numbers.cpu("threads", program, threads, tool)
    return max(own - native, 1e-9) / events * 1e9 if events and own and native is not None else None


def growth(numbers, program, measure, tool):
    counts = numbers.threads("threads")
    if 2 not in counts or 256 not in counts:
        return None
    few, many = measure(numbers, program, 2, tool), measure(numbers, program, 256, tool)
    return many / few if few and many else None


def all_claims(numbers):
    result = []

    def add(text, wanted, value, is_met, why, shown=None):
        met = None if value is None else is_met(value)
        measured = "–" if value is None else shown or f"{value:.2f}"
        result.append(Claim(text, wanted, measured, met, "" if met is not False else why))

    array_and_lock = sorted(set(programs.ARRAYS + programs.LOCKS))
    cost = clock_operation(numbers)
    reason = f"an operation on a clock costs {cost[0]:.1f} ns here and `fasttrack` itself {cost[1]:.1f} ns an event over `empty`, see below" if cost else "see Table 1 of FastTrack below"
    add("`djit+` costs more than `fasttrack`, over `empty`, arrays and locks, 16 threads or more", "at least 2.3 times", over_empty(numbers, array_and_lock, "djit+"), lambda x: x >= 2.3, reason)
    add("`basicvc` costs more than `fasttrack`, over `empty`, arrays and locks, 16 threads or more", "at least 5 times", over_empty(numbers, array_and_lock, "basicvc"), lambda x: x >= 5, reason)

    def slim(measure):
        return geometric_mean([slim / fast for program in programs.ARRAYS for threads in numbers.threads("time")
                               if (fast := measure("time", program, threads, "fasttrack")) and (slim := measure("time", program, threads, "slimstate"))])
    add("`slimstate`'s shadow, of `fasttrack`'s, array programs", "at most 0.65", slim(numbers.shadow), lambda x: x <= 0.65,
        "see Table III below, program by program")
    add("`slimstate`'s time, of `fasttrack`'s, array programs", "at most 0.90", slim(numbers.detect), lambda x: x <= 0.90,
        "lufact, sor, moldyn and raytracer end with a state for nearly every element and save nothing, as in the paper (0.91 to 1.16 there); see Table III below")
    worst = None
    for program in programs.OBJECTS:
        threads = (numbers.threads("settings") or [None])[0]
        native, stats = numbers.peak("time", program, threads, "native"), numbers.stats("settings", program, "racetrack:granularity")
        if native and stats:
            worst = max(worst or 0, 1 + stats["memory"]["peak_bytes"] / 1024 / native)
    add("memory of the bare program with `racetrack`'s shadow (granularity), of the bare program's, the worst of the object-heavy programs", "at most 1.5", worst, lambda x: x <= 1.5,
        "see Table 2 of RaceTrack below")
    values = [own / fast for program in programs.names() for threads in numbers.threads("time")
              if (own := numbers.detect("time", program, threads, "goldilocks")) and (fast := numbers.detect("time", program, threads, "fasttrack"))]
    add("`goldilocks`' time, of `fasttrack`'s, all programs (geometric mean; the worst one in brackets)", "at most 3", geometric_mean(values), lambda x: x <= 3, "",
        f"{geometric_mean(values):.2f} ({max(values):.1f})" if values else None)
    for tool in ("deadheat", "deadheat-pass"):
        if numbers.has("score", tool):
            found, missed, invented = total_score(numbers, tool)
            add(f"in-process FastTrack (`{tool}`): known races missed and races invented, all programs", "0 and 0", missed + invented, lambda x: x == 0,
                "see the score table", f"{missed} and {invented} (of {found + missed} known)")
    for program in ("sharedspot", "localspot"):
        for tool, measure, name in (("fasttrack", nanoseconds, "offline"), ("goldilocks", nanoseconds, "offline"), ("deadheat", live_nanoseconds, "live")):
            add(f"{program}, {name}, `{tool}`: time per event, 256 threads beside 2", "less than 3 times", growth(numbers, program, measure, tool), lambda x: x < 3,
                "see the table of Figure 4 below; the start of 256 threads is in the time of so short a run" if measure is live_nanoseconds else "see the table of Figure 4 below")
    return result

"""docs/evaluation.md and its plots, made of the results alone. The sentences about the differences stand here, beside their tables."""

import math
import re
from pathlib import Path

import claims
import papers
import plots
import programs
import tools
from numbers_of import Numbers, geometric_mean

MODES = ["coarse", "block", "stride", "split", "prefix", "fine"]
LIVE = ["deadheat", "deadheat-pass", "tsan-clang", "tsan-gcc", "helgrind", "drd"]


def number(value, digits=3):
    """As a reader wants it: three digits, thousands in groups."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if value == 0:
        return "0"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    if abs(value) < 0.001:
        return f"{value:.1e}"
    return f"{value:.{max(0, digits - 1 - math.floor(math.log10(abs(value))))}f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(number(cell) for cell in row) + " |" for row in rows])


def ratio(a, b):
    return a / b if a is not None and b else None


# ----------------------------------------------------------------------------------------------------------- sections


def head(results, numbers):
    rows = []
    shown = results["runs"] if len(results["runs"]) <= 6 else [results["runs"][0], results["runs"][-1]]
    for about in shown:
        rows.append([f"`{re.sub(' --(results|document) [^ ]+', '', about['command'])}`", about["date"], about["commit"] + ("" if about["clean"] else ", with changes that are not committed"),
                     f"{about['seconds']} s", f"{about['load_at_start']:.1f} to {about['load_at_end']:.1f}"])
    last = results["runs"][-1]
    unclean = [about for about in results["runs"] if not about["clean"]]
    commits = list(dict.fromkeys(about["commit"] for about in results["runs"]))
    busy = any(max(about["load_at_start"], about["load_at_end"]) > about["cores"] + 1 for about in results["runs"])
    bad = [row for row in results["rows"] if row["status"] != "ok" and not row["limit"]]
    text = [
        "# The evaluation", "",
        "The papers' programs, written fresh in C++20 ([bench/programs](../bench/programs)), under our nine detectors, our filters, live detection,",
        "ThreadSanitizer, Helgrind and DRD. `make evaluation` runs everything (hours); `make evaluation QUICK=1` is the short form, meant for a few minutes on two idle cores;",
        "`bench/evaluation/run --help` says how to run a part. This page is generated: `bench/evaluation/run --tables` makes it of the results again.", "",
        table(["command", "date", "commit", "took", "load"], rows), "",
        *([f"These are the first and the last of {len(results['runs'])} commands, one for each program and part, {sum(about['seconds'] for about in results['runs'])} s in all,",
           f"of {'the commit' if len(commits) == 1 else 'the commits'} {', '.join(commits)}; {'all of them clean' if not unclean else f'{len(unclean)} of them with changes that are not committed'}.", ""] if len(shown) < len(results["runs"]) else []),
        f"{last['cpu']}, {last['cores']} cores, {last['memory_mib'] / 1024:.0f} GiB, {last['system']}; {last['versions']['clang']}; {last['versions']['gcc']}; {last['versions']['valgrind']}.", "",
        "CPU time is user and system time of all processes of a run, the least of the rounds; rounds are interleaved, and memory is the highest peak. The time",
        "of a detector is the CPU time of its thread without decoding, as `--stats` gives it. Ratios are always within one run.", ""]
    if busy:
        text += ["**The machine was busy** (the load above is several times the number of cores): small differences mean nothing.", ""]
    if "note" in results:
        text += [results["note"], ""]
    spread = numbers.spread()
    if spread:
        text += [f"Spread: the slowest round of a run took {spread[0]:.2f} times the CPU time of the fastest in the median, and {spread[1]:.2f} times in one of ten runs.", ""]
    timed = [name for name in programs.names() if numbers.of("time", name, "fasttrack")]
    if timed and len(timed) < len(programs.names()):
        text += [f"**Only these programs were timed:** {', '.join(timed)}. The claims about time and memory are about these alone.", ""]
    text += [f"Of {len(results['rows'])} runs, {len(bad)} failed or timed out" + (":" if bad else "."), ""]
    if bad:
        text += [table(["program", "threads", "tool", "what", "why"], [[r["program"], str(r["threads"]), r["tool"], r["status"], r.get("why", "")] for r in bad[:40]]), ""]
    return text


def programs_section(numbers):
    rows = []
    for name in programs.names():
        races = programs.known_races(programs.SOURCES / f"{name}.cpp")
        said = "; ".join(f"{race}: {', '.join(map(str, sorted(lines)))}" for race, lines in races.items())
        comment = (programs.SOURCES / f"{name}.cpp").read_text().split("\n#include", 1)[0]
        origin = "planted" if "lanted" in comment else "original's"
        events = numbers.largest("time", name, "fasttrack", "events")
        rows.append([f"[{name}](../bench/programs/{name}.cpp)", f"{said} ({origin})", ratio(events, 1e6), numbers.cpu("time", name, None, "native")])
    return ["## The programs", "", "Known races, with the lines that take part in each (the comments `// race NAME` in the sources), events of a recording and native CPU time of the timed runs:", "",
            table(["program", "known races: lines", "events, M", "native s"], rows), "",
            "Where the papers know no race in the original, one is planted. Every known race is in every run with `--race`, however threads are scheduled.", ""]


def score_section(numbers):
    names = [name for name in numbers.tools("score") if name not in ("native", "record", "empty")]
    if not names:
        return []
    rows = []
    for program in programs.names():
        cells = [program]
        for tool in names:
            racy, correct = numbers.score(program, tool, True), numbers.score(program, tool, False)
            if racy is None or correct is None:
                ran = any(row["part"] == "score" and row["program"] == program and row["tool"] == tool for row in numbers.rows)
                cells.append("failed" if ran else "not run")
                continue
            invented = len(racy["invented"]) + len(correct["invented"])
            cells.append(f"{len(racy['found'])}/{len(racy['missed'])}/{invented}" if racy["missed"] or invented else f"{len(racy['found'])}")
        rows.append(cells)
    totals = ["**all**"]
    for tool in names:
        f, m, i = claims.total_score(numbers, tool)
        totals.append(f"**{f}/{m}/{i}**")
    rows.append(totals)
    return ["## Known-race score", "",
            "Found/missed/invented; a single number says that all were found and none invented. Every program runs with its races and without them; a report that",
            "names other lines than those of a known race, or comes from the correct program, is invented. Warnings of `eraser`, `racetrack` and DRD name one line.", "",
            table(["program", *names], rows), "",
            "The precise detectors and in-process FastTrack are judged on the runs they watched: each tool's run is one of its own, only the detectors on the recording",
            "see the same one. ThreadSanitizer remembers four accesses for each eight bytes, and Eraser knows neither fork nor join.", ""]


def live_section(numbers):
    names = [name for name in LIVE if numbers.has("time", name)]
    if not names:
        return []
    text = ["## Live: CPU time and memory beside today's tools", ""]
    for threads in numbers.threads("time"):
        rows, means = [], {name: ([], []) for name in names}
        for program in programs.names():
            native, native_peak = numbers.cpu("time", program, threads, "native"), numbers.peak("time", program, threads, "native")
            row = [program, native]
            for name in names:
                slow = ratio(numbers.cpu("time", program, threads, name), native)
                row.append(slow)
                means[name][0].append(slow)
            for name in names:
                more = ratio(numbers.peak("time", program, threads, name), native_peak)
                row.append(more)
                means[name][1].append(more)
            rows.append(row)
        rows.append(["**geometric mean**", ""] + [geometric_mean(means[name][0]) for name in names] + [geometric_mean(means[name][1]) for name in names])
        text += [f"{threads} threads; times native CPU time, then times native memory:", "",
                 table(["program", "native s"] + [f"{name}, time" for name in names] + [f"{name}, memory" for name in names], rows), ""]
    return text + ["The native times of short runs are a few milliseconds, mostly the start of a process and its threads: read these ratios as costs of short runs. docs/real-programs.md and",
                   "bench/results/live.md have longer ones.", ""]


def fasttrack_section(numbers):
    names = [name for name in tools.DETECTORS if numbers.has("time", name)]
    if "fasttrack" not in names or "empty" not in names:
        return []
    text = ["## FastTrack: Table 1 and Figure 3", ""]
    for threads in numbers.threads("time"):
        rows, gather = [], {name: [] for name in names}
        for program in programs.names():
            events = numbers.largest("time", program, "fasttrack", "events", threads)
            empty, fast = numbers.detect("time", program, threads, "empty"), numbers.detect("time", program, threads, "fasttrack")
            row = [program, ratio(events, 1e6)]
            for name in names:
                own = numbers.detect("time", program, threads, name)
                row.append(ratio(own and own * 1e9, events))
                if own and empty and fast and fast > empty:
                    gather[name].append((own - empty) / (fast - empty))
            theirs = papers.FASTTRACK_TABLE_1.get(program)
            row += [theirs[papers.FASTTRACK_COLUMNS.index(name)] if theirs else None for name in ("basicvc", "djit+", "fasttrack")]
            rows.append(row)
        over = ["**over `empty`, times fasttrack's** (geometric mean)", ""] + [geometric_mean(gather[name]) if name != "empty" else "" for name in names]
        average = dict(zip(papers.FASTTRACK_COLUMNS, papers.FASTTRACK_AVERAGE))
        rows.append(over + [(average[n] - average["empty"]) / (average["fasttrack"] - average["empty"]) for n in ("basicvc", "djit+", "fasttrack")])
        text += [f"{threads} threads: nanoseconds an event in the detector; at the right the paper's slowdowns.", "",
                 table(["program", "events, M", *names, "paper: basicvc", "paper: djit+", "paper: fasttrack"], rows), ""]
    clock_cost = claims.clock_operation(numbers)
    if clock_cost:
        text += [f"Why the factors are smaller than in the paper, measured: an operation on a vector clock costs {clock_cost[0]:.1f} ns here (the time of `basicvc` beyond `fasttrack`'s, for each of its operations of O(threads) beyond",
                 f"`fasttrack`'s), while `fasttrack` itself costs {clock_cost[1]:.1f} ns for each event over `empty`. In the paper's Java VM the same difference is {(89.8 - 8.5) / (8.5 - 4.1):.0f} times what FastTrack costs over EMPTY.", ""]
    rules = numbers.rules("time", "fasttrack")
    if rules:
        reads = sum(count for rule, count in rules.items() if rule.startswith("read"))
        writes = sum(count for rule, count in rules.items() if rule.startswith("write"))
        rows = []
        for rule, count in rules.items():
            whole = reads if rule.startswith("read") else writes if rule.startswith("write") else None
            rows.append([f"`{rule}`", f"{count:,.0f}", f"{100 * count / whole:.2f} %" if whole else "", f"{papers.FASTTRACK_RULES[rule]} %" if rule in papers.FASTTRACK_RULES else "–"])
        text += ["How often each rule fired (Figure 3), over all programs, in per cent of reads or of writes:", "", table(["rule", "times", "ours", "paper"], rows), "",
                 f"{100 * reads / (reads + writes):.1f} % of the accesses are reads (paper: 82.3 % of all operations). The instrumentation of Clang leaves out a read that a write of the same variable follows in the same block of code;",
                 "in Java both are in the stream, and the second is a `same epoch` one.", ""]
        rows = []
        for name in ("basicvc", "djit+", "fasttrack"):
            allocated, operations = numbers.clocks("time", name)
            theirs = papers.FASTTRACK_CLOCKS.get(name, (None, None))
            rows.append([f"`{name}`", f"{allocated:,.0f}", f"{operations:,.0f}", number(theirs[0]), number(theirs[1])])
        text += ["Vector clocks allocated and operations on them of O(threads), over all programs:", "", table(["detector", "allocated", "operations", "paper: allocated", "paper: operations"], rows), ""]
    return text


def goldilocks_section(numbers, folder):
    text = ["## Goldilocks: Figure 4, Tables 1 and 2", ""]
    counts = numbers.threads("threads")
    if counts:
        names = [name for name in ("goldilocks", "eraser", "basicvc", "djit+", "fasttrack") if numbers.has("threads", name)]
        for program in ("multiset", "sharedspot", "localspot"):
            series = {name: [(t, claims.nanoseconds(numbers, program, t, name)) for t in counts] for name in names}
            for name in ("deadheat", "deadheat-pass", "tsan-clang"):
                if numbers.has("threads", name):
                    series[f"{name} (live)"] = [(t, claims.live_nanoseconds(numbers, program, t, name)) for t in counts]
            series = {name: [(t, y) for t, y in points if y is not None] for name, points in series.items()}
            if not any(series.values()):
                continue
            (folder / f"goldilocks-{program}.svg").write_text(plots.lines(f"{program}: time per event", series, "threads", "ns per event"))
            text += [f"![{program}: nanoseconds per event against threads]({folder.name}/goldilocks-{program}.svg)", "",
                     table(["threads", *series], [[str(t)] + [dict(points).get(t) for points in series.values()] for t in counts]), ""]
        text += ["Nanoseconds for each event (accesses and locks): offline in the detector, over `empty`; live the CPU time beyond the native program, with 256 threads also of starting them.",
                 "Figure 4 is a picture without numbers in our copy of the paper; its text says that Goldilocks and Eraser stay almost level on SharedSpot and LocalSpot while vector clocks grow.",
                 "", ]
    rows = []
    for program, theirs in papers.GOLDILOCKS_TABLE_1.items():
        threads = (numbers.threads("time") or [None])[0]
        empty = numbers.detect("time", program, threads, "empty")
        own = [numbers.detect("time", program, threads, name) for name in ("basicvc", "eraser", "goldilocks")]
        fast = numbers.detect("time", program, threads, "fasttrack")
        if empty and all(own) and fast:
            rows.append([program] + [x * 1e3 for x in own] + [fast * 1e3, own[2] / fast] + list(theirs))
    if rows:
        text += ["Table 1, milliseconds in the detector and the paper's slowdowns:", "",
                 table(["program", "basicvc", "eraser", "goldilocks", "fasttrack", "goldilocks/fasttrack", "paper: vector clock", "paper: eraser", "paper: Goldilocks"], rows), ""]
    rows = []
    for program, theirs in papers.GOLDILOCKS_TABLE_2.items():
        all_checks, stopped = numbers.stats("settings", program, "goldilocks"), numbers.stats("settings", program, "goldilocks:stop")
        if all_checks and stopped:
            checks = sum(value["count"] for rule, value in all_checks["rules"].items() if rule != "not_checked_any_more")
            left = checks - stopped["rules"]["not_checked_any_more"]["count"]
            rows.append([program, all_checks["time"]["detect_seconds"] * 1e3, stopped["time"]["detect_seconds"] * 1e3, f"{100 * left / checks:.2f} %", f"{100 * theirs[2]:.0f} %"])
    if rows:
        text += ["Table 2, the racy programs, where a variable is checked no more after its first race:", "",
                 table(["program", "all checks, ms", "stopped, ms", "checks left", "paper: checks left"], rows), "",
                 "How many are left is how much of a program's memory is racy: all the border rows of sor are, and one variable of most others.", ""]
    return text if len(text) > 2 else []


def racetrack_section(numbers):
    rows, counters = [], []
    for program, peer in papers.RACETRACK_PEERS.items():
        threads = (numbers.threads("settings") or [None])[0]
        native = numbers.peak("time", program, threads, "native")
        bare = numbers.detect("time", program, threads, "empty")
        for setting in ("lockset", "threadset", "granularity"):
            stats = numbers.stats("settings", program, f"racetrack:{setting}")
            if not stats or not native or not bare:
                continue
            theirs = papers.RACETRACK_TABLE_2[program][setting]
            shadow = stats["memory"]["peak_bytes"] / 1024
            rows.append([f"{program} ({peer})", setting, stats["time"]["detect_seconds"] / bare, shadow / 1024, (native + shadow) / native, *theirs])
        stats = numbers.stats("settings", program, "racetrack:granularity")
        if stats:
            objects, accesses = stats["objects"], stats["monitored_accesses"]
            count = lambda value: value["count"] if isinstance(value, dict) else value
            theirs = papers.RACETRACK_TABLE_3[program]
            counters.append([f"{program} ({peer})", f"{stats['thread_clock_ticks']:,}", f"{count(objects['allocated']):,}", f"{count(objects['refined']):,}", f"{accesses['all']:,}",
                             f"{100 * count(accesses['at_object_level']) / max(1, accesses['all']):.0f} %", f"{100 * count(accesses['of_these_in_exclusive0']) / max(1, accesses['all']):.0f} %",
                             f"{100 * theirs[4] / theirs[3]:.0f} %", f"{100 * theirs[5] / theirs[3]:.0f} %"])
    if not rows:
        return []
    return ["## RaceTrack: Tables 2 and 3", "",
            "Time in the detector as a multiple of `empty`; memory of the bare program with the detector's shadow, as a multiple of the bare program alone.", "",
            table(["program", "setting", "times `empty`", "shadow MiB", "memory", "paper: slowdown", "paper: memory"], rows), "",
            "Behaviour under adaptive granularity; shares of all monitored accesses:", "",
            table(["program", "clock ticks", "objects", "refined", "accesses", "at object level", "in Exclusive0", "paper: object level", "paper: Exclusive0"], counters), "",
            "The paper's slowdown is that of a whole program in its run time, ours of the detector on the stream, so only memory and the counters compare. Our bare programs have",
            "a few MB at this size, and much of that is the C++ library: the ratio of memory is that of small programs.", ""]


def rex_section(numbers):
    threads = (numbers.threads("settings") or [None])[0]
    rows, memory, races, gains, lookups, checks = [], [], [], [], [], []
    for program in programs.names():
        z, fast = numbers.detect("time", program, threads, "empty"), numbers.detect("time", program, threads, "fasttrack")
        both, lockset = numbers.detect("time", program, threads, "rex+fasttrack"), numbers.detect("time", program, threads, "rex-lockset+fasttrack")
        alone = numbers.detect("settings", program, threads, "rex+empty")
        share, share_lockset = numbers.redundant("time", program, "rex+fasttrack"), numbers.redundant("time", program, "rex-lockset+fasttrack")
        if None in (z, fast, both, lockset, alone, share):
            continue
        best = both - alone + z * (1 - share / 100)
        theirs = papers.REX_TABLE_2.get(program)
        events = numbers.largest("time", program, "fasttrack", "events", threads)
        gains.append(both / fast)
        lookups.append((alone - z) / events * 1e9 if alone > z else None)
        checks.append((fast - z) / events * 1e9 if fast > z else None)
        rows.append([program, ratio(events, 1e6), z * 1e3, fast * 1e3, alone * 1e3, both * 1e3, lockset * 1e3, f"{share:.1f} %", f"{share_lockset:.1f} %", best * 1e3,
                     f"{theirs[4]} %" if theirs else None, ratio(theirs[3], theirs[1]) if theirs else None])
        peak = [numbers.shadow("time", program, threads, name) for name in ("fasttrack", "rex+fasttrack", "rex-lockset+fasttrack")]
        their_memory = papers.REX_TABLE_4.get(program)
        memory.append([program] + [ratio(x, 1 << 20) for x in peak] + [ratio(peak[1], peak[0]), ratio(peak[2], peak[0]),
                      their_memory[1] / their_memory[0] if their_memory else None, their_memory[2] / their_memory[0] if their_memory else None])
        found = [numbers.stats("settings", program, name) for name in ("rex:study", "rex-lockset:study")]
        if all(found):
            cell = lambda counts: f"{counts['total']:,} ({counts['unique']})"
            races.append([program, cell(found[0]["races_found"]["without_it"]), cell(found[0]["races_found"]["with_the_filter"]),
                          cell(found[1]["races_found"]["with_the_filter"]), papers.REX_TABLE_5.get(program, "–")])
    if not rows:
        return []
    mean = geometric_mean(gains)
    return ["## ReX: Tables 1 to 5 and the optimum", "",
            "Milliseconds in filter and detector (Tables 1 to 3). The estimate of the best possible time is the paper's X - Y + Z (1 - redundancy).", "",
            table(["program", "events, M", "`empty` (Z)", "fasttrack", "rex alone (Y)", "rex + fasttrack (X)", "rex-lockset + fasttrack", "redundant", "with locksets", "best possible", "paper: redundant", "paper: ReX+FT / FT"], rows), "",
            f"With `rex`, `fasttrack` takes {number(mean)} times as long in the geometric mean; the paper has 0.69. Measured: the filter costs {number(geometric_mean(lookups))} ns an event over `empty`, `fasttrack` {number(geometric_mean(checks))} ns",
            "(geometric means). What `rex` drops is an access that its thread made before in the same epoch, and `fasttrack` sees that in the state of the variable with less work than a look into",
            "a long history takes. `rex-recent` is the variant with a small table ([rex](detectors/rex.md)).", "", *where_rex_pays(numbers, threads),
            "Shadow memory in MiB (Table 4):", "",
            table(["program", "fasttrack", "rex + fasttrack", "rex-lockset + fasttrack", "rex", "rex-lockset", "paper: rex", "paper: rex-lockset"], memory), "",
            "Races in all (unique pairs of lines), on the racy programs (Table 5):", "",
            table(["program", "fasttrack", "rex + fasttrack", "rex-lockset + fasttrack", "paper: fasttrack"], races), ""]


def where_rex_pays(numbers, threads):
    """Filter and detector as a multiple of the detector alone."""
    pairs = [(name, before) for before in ("rex", "rex-recent") for name in tools.BEHIND_REX if numbers.has("settings", f"{before}+{name}")]
    rows, means = [], {pair: [] for pair in pairs}
    for program in programs.names():
        row = [program]
        for name, before in pairs:
            row.append(ratio(numbers.detect("settings", program, threads, f"{before}+{name}"), numbers.detect("time", program, threads, name)))
            means[name, before].append(row[-1])
        if any(row[1:]):
            rows.append(row)
    if not rows:
        return []
    text = ["Filter and detector as a multiple of the detector alone. It pays where this is below 1.", ""]
    for before in ("rex", "rex-recent"):
        cells = [cell for pair, all_cells in means.items() if pair[1] == before for cell in all_cells if cell is not None]
        if cells:
            text[0] += f" `{before}`: {sum(cell < 1 for cell in cells)} of {len(cells)}."
    places = [f"{row[0]} ({', '.join(f'`{before}+{name}`' for (name, before), cell in zip(pairs, row[1:]) if cell is not None and cell < 1)})"
              for row in rows if any(cell is not None and cell < 1 for cell in row[1:])]
    text[0] += f" Where: {'; '.join(places)}." if places else " It pays nowhere here."
    rows.append(["**geometric mean**"] + [geometric_mean(means[pair]) for pair in pairs])
    return text + [table(["program", *(f"{before} + {name}" for name, before in pairs)], rows), ""]


def slimstate_section(numbers, folder):
    threads = (numbers.threads("time") or [None])[0]
    rows, fractions, by_mode, states_of = [], [], {}, {}
    chosen = programs.ARRAYS + ["search", "transactions"]
    for program in chosen:
        stats = numbers.stats("time", program, "slimstate", threads)
        fast, slim = numbers.detect("time", program, threads, "fasttrack"), numbers.detect("time", program, threads, "slimstate")
        fast_peak, slim_peak = numbers.shadow("time", program, threads, "fasttrack"), numbers.shadow("time", program, threads, "slimstate")
        if not stats or not fast or not slim:
            continue
        count = lambda value: value["count"] if isinstance(value, dict) else value
        elements = {mode: count(stats["elements_in_mode"][mode]) for mode in MODES}
        whole = sum(elements.values())
        if whole:
            by_mode[program] = {mode: n / whole for mode, n in elements.items()}
            states_of[program] = {mode: count(stats["states_of_elements"][mode]) / whole for mode in MODES}
        arrays = stats["arrays"]
        saved = 100 * count(arrays["checks_saved"]) / arrays["accesses"] if arrays["accesses"] else None
        theirs = papers.SLIMSTATE_TABLE_3.get(program)
        rows.append([program, f"{whole:,}", ratio(count(stats["states_of_elements"]["all"]), whole), f"{saved:.0f} %" if saved is not None else None, ratio(fast_peak, 1 << 20), ratio(slim_peak, 1 << 20),
                     ratio(slim_peak, fast_peak), fast * 1e3, slim * 1e3, slim / fast, *(theirs or (None, None))])
        study = numbers.stats("settings", program, "slimstate:study")
        if study and "study" in study and study["study"]["elements"]:
            own = study["study"]
            all_elements = own["elements"]
            part = lambda key: count(own[key]) / all_elements
            theirs = papers.SLIMSTATE_TABLE_2.get(program, (None,) * 4)
            mine = count(study["states_of_elements"]["all"]) / max(1, sum(count(x) for x in study["elements_in_mode"].values()))
            fractions.append([program, mine, part("states_with_bit_set_footprints"), part("states_with_bit_set_partitions"), part("states_with_both"), *theirs])
    if not rows:
        return []
    (folder / "slimstate-modes.svg").write_text(plots.bars("Elements of arrays by partition mode at the end of their lives", by_mode, MODES, "share of all elements"))
    (folder / "slimstate-states.svg").write_text(plots.bars("States kept for them", states_of, MODES, "states as a share of the elements"))
    rows.append(["**geometric mean**", "", "", "", "", "", geometric_mean([row[6] for row in rows]), "", "", geometric_mean([row[9] for row in rows]), 0.65, 0.83])
    text = ["## SlimState: Figure 4, Tables II and III, memory limits, threads", "",
            f"![elements by mode]({folder.name}/slimstate-modes.svg)", "", f"![states by mode]({folder.name}/slimstate-states.svg)", "",
            f"Table III, {threads} threads: shadow memory in MiB and milliseconds in the detector.", "",
            table(["program", "elements", "shadow fraction", "checks saved", "fasttrack MiB", "slimstate MiB", "memory", "fasttrack ms", "slimstate ms", "time", "paper: memory", "paper: time"], rows), "",
            "Table II, states as a part of the elements:", "",
            table(["program", "slimstate", "bit-set footprints", "bit-set partitions", "both", "paper", "paper: footprints", "paper: partitions", "paper: both"], fractions), "",
            "The paper's arrays have millions of elements, so a partition of a few dozen parts is a tiny fraction of them; ours have thousands. Variables that are no arrays, clocks, and the trails that know",
            "where each element was accessed count as shadow on both sides.", ""]
    limits = numbers.limits()
    if limits:
        points = {}
        for row in limits:
            points.setdefault((row["program"], row["tool"]), {})[row["limit"]] = row
        fractions_of = sorted({row["limit"] for row in limits})
        text += ["Time against a limit of memory (Figure 5). The limit is on the address space of the analysis. 0 is what `empty` needs, 1 what `fasttrack` needs beyond that (both found by halving); CPU seconds, or how it ended:", "",
                 table(["program", "detector"] + [f"{x:g}" for x in fractions_of], [[program, f"`{tool}`"] + [runs[x]["cpu"] if runs[x]["status"] == "ok" else f"exit {runs[x].get('code', '')}" for x in fractions_of] for (program, tool), runs in points.items()]), "",
                 "There is no garbage collector that would trade time for memory: an analysis has what it needs or ends, so the curve of the paper is a step here.", ""]
    counts = numbers.threads("time")
    if len(counts) > 1:
        table_rows = []
        for program in ("crypt", "montecarlo", "search", "sor"):
            for t in counts:
                fast, slim = numbers.detect("time", program, t, "fasttrack"), numbers.detect("time", program, t, "slimstate")
                if fast and slim:
                    table_rows.append([program, str(t), fast * 1e3, slim * 1e3, slim / fast, ratio(numbers.shadow("time", program, t, "slimstate"), numbers.shadow("time", program, t, "fasttrack"))])
        text += ["Scaling with threads (Figure 6):", "", table(["program", "threads", "fasttrack ms", "slimstate ms", "time", "memory"], table_rows), ""]
    return text


def claims_section(numbers):
    rows = [[claim.text, claim.wanted, claim.measured, "yes" if claim.met else "no" if claim.met is not None else "not measured", claim.why] for claim in claims.all_claims(numbers)]
    return ["## What it should show", "", table(["claim", "wanted", "measured", "met", "where to look"], rows), ""]


def write(results, target):
    target = Path(target)
    folder = target.parent / target.stem
    folder.mkdir(parents=True, exist_ok=True)
    numbers = Numbers(results["rows"])
    parts = head(results, numbers) + claims_section(numbers) + programs_section(numbers) + score_section(numbers) + live_section(numbers) + fasttrack_section(numbers)
    parts += goldilocks_section(numbers, folder) + racetrack_section(numbers) + rex_section(numbers) + slimstate_section(numbers, folder)
    target.write_text("\n".join(parts).rstrip() + "\n")

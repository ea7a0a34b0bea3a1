"""Questions to the rows of the results: the least CPU time, the highest peak, the last statistics of a program under a tool."""

import math
from collections import Counter


def geometric_mean(values):
    values = [value for value in values if value]
    return math.exp(sum(math.log(value) for value in values) / len(values)) if values else None


class Numbers:
    def __init__(self, rows):
        self.rows = rows
        self.index = {}
        for row in rows:
            if row["status"] == "ok" and not row["limit"]:
                self.index.setdefault((row["part"], row["program"], row["tool"]), []).append(row)

    def of(self, part, program, tool, threads=None):
        return [row for row in self.index.get((part, program, tool), []) if threads is None or row["threads"] == threads]

    def has(self, part, tool):
        return any(key[0] == part and key[2] == tool for key in self.index)

    def tools(self, part):
        seen = dict.fromkeys(row["tool"] for row in self.rows if row["part"] == part)
        return list(seen)

    def threads(self, part):
        return sorted({row["threads"] for row in self.rows if row["part"] == part and not row["race"]})

    def least(self, values):
        values = [value for value in values if value is not None]
        return min(values) if values else None

    def cpu(self, part, program, threads, tool):
        return self.least(row["cpu"] for row in self.of(part, program, tool, threads))

    def peak(self, part, program, threads, tool):
        return max((row["peak"] for row in self.of(part, program, tool, threads)), default=None)

    def detect(self, part, program, threads, tool):
        """Seconds of CPU time in the detector and its filter."""
        return self.least(row["stats"]["time"]["detect_seconds"] for row in self.of(part, program, tool, threads) if "stats" in row)

    def shadow(self, part, program, threads, tool):
        """Bytes that the detector and its filter had at most."""
        return max((row["stats"]["memory"]["peak_bytes"] for row in self.of(part, program, tool, threads) if "stats" in row), default=None)

    def largest(self, part, program, tool, key, threads=None):
        return max((row[key] for row in self.of(part, program, tool, threads) if key in row), default=None)

    def stats(self, part, program, tool, threads=None):
        found = [row["stats"] for row in self.of(part, program, tool, threads) if "stats" in row]
        return found[-1] if found else None

    def redundant(self, part, program, tool):
        stats = self.stats(part, program, tool)
        return stats["filter"]["redundant_accesses"]["percent"] if stats else None

    def score(self, program, tool, racy):
        found = [row["score"] for row in self.index.get(("score", program, tool), []) if row["race"] == racy]
        return found[-1] if found else None

    def rules(self, part, tool):
        sums = Counter()
        for (row_part, _, row_tool), rows in self.index.items():
            if row_part == part and row_tool == tool:
                for rule, value in rows[-1]["stats"]["rules"].items():
                    sums[rule] += value["count"]
        return sums

    def clocks(self, part, tool):
        allocated = operations = 0
        for (row_part, _, row_tool), rows in self.index.items():
            if row_part == part and row_tool == tool:
                clocks = rows[-1]["stats"]["vector_clocks"]
                allocated += clocks["allocated"] + clocks["allocated_for_variables"]
                operations += clocks["operations"] + clocks["operations_for_variables"]
        return allocated, operations

    def limits(self):
        return [row for row in self.rows if row["limit"] and row["tool"] != "record"]

    def spread(self):
        """Slowest over fastest round: the median and the ninth decile over all timed runs of at least 10 ms."""
        groups = {}
        for row in self.rows:
            if row["part"] in ("time", "threads") and row["status"] == "ok":
                groups.setdefault((row["part"], row["program"], row["threads"], row["tool"], row["size"]), []).append(row["cpu"])
        ratios = sorted(max(times) / min(times) for times in groups.values() if len(times) > 1 and min(times) >= 0.01)
        return (ratios[len(ratios) // 2], ratios[len(ratios) * 9 // 10]) if ratios else None

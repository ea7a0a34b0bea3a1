"""What is run: the parts of the evaluation as lists of jobs, in the order in which they run."""

from dataclasses import dataclass

import programs
import tools

PARTS = ["score", "time", "threads", "settings", "limits"]
SPOTS = ["multiset", "sharedspot", "localspot"]
SPOT_TOOLS = ["native", "deadheat", "deadheat-pass", "tsan-clang", "record", "empty", "eraser", "basicvc", "djit+", "goldilocks", "fasttrack"]
SETTINGS = {  # tools that only the tables of one paper need, and the programs they are run on
    "racetrack:lockset": programs.OBJECTS + ["hedc"], "racetrack:threadset": programs.OBJECTS + ["hedc"],
    "racetrack:granularity": programs.OBJECTS + ["hedc"], "slimstate:study": programs.ARRAYS + ["search", "transactions"],
    "rex+empty": None, "rex-lockset+empty": None, "rex+basicvc": None, "rex+djit+": None, "rex+goldilocks": None,
    "rex-recent+fasttrack": None, "rex-recent+basicvc": None, "rex-recent+djit+": None, "rex-recent+goldilocks": None}
RACY_SETTINGS = {"goldilocks": ["moldyn", "raytracer", "montecarlo", "sor"], "goldilocks:stop": ["moldyn", "raytracer", "montecarlo", "sor"],
                 "rex:study": None, "rex-lockset:study": None}
LIMITED = ["crypt", "sparse", "search"]  # SlimState's Figure 5 has crypt, lusearch, sparse and luindex
FRACTIONS = [0.4, 0.6, 0.8, 1.0, 1.2]    # of the memory that fasttrack takes


@dataclass
class Scale:
    """How large a run is."""
    score_size: int
    size: int
    rounds: int
    threads: list
    spot_threads: list
    spot_size: int
    limit_size: int    # where memory is limited: large enough for the shadow to count
    valgrind_size: int  # Valgrind's own time column; 0 leaves it out
    timeout: float


QUICK = Scale(score_size=1, size=4, rounds=2, threads=[16], spot_threads=[2, 16, 256], spot_size=16, limit_size=16, valgrind_size=0, timeout=60)
FULL = Scale(score_size=4, size=40, rounds=5, threads=[4, 16, 64], spot_threads=[1, 2, 4, 8, 16, 32, 64, 128, 256], spot_size=64, limit_size=100, valgrind_size=40, timeout=900)


@dataclass(frozen=True)
class Job:
    part: str
    program: str
    threads: int
    size: int
    race: bool
    tool: str
    round: int
    limit: float = 0.0  # of memory, as a fraction of what fasttrack takes


def jobs(parts, scale, chosen_programs, chosen_tools):
    """All jobs. A recording comes before the detectors that read it; the tools take turns within a round."""
    available = [tool for tool in tools.table().values() if tool.is_there()]
    everyday = [tool.name for tool in available if tool.name in tools.DETECTORS or tool.name not in {**SETTINGS, **RACY_SETTINGS}]
    result = []

    def add(part, program, threads, size, race, names, round_, limit=0.0):
        wanted = [name for name in names if name in everyday or name in tools.table() and tools.table()[name].is_there()]
        wanted = [name for name in wanted if not chosen_tools or name in chosen_tools]
        if any(tools.table()[name].kind == "trace" for name in wanted) and "record" not in wanted:
            wanted.insert(0, "record")
        wanted.sort(key=lambda name: tools.table()[name].kind == "trace")  # stable: recordings first
        if program in chosen_programs:
            result.extend(Job(part, program, threads, size, race, name, round_, limit) for name in wanted)

    everything = programs.names()
    if "score" in parts:
        for program in everything:
            for race in (True, False):
                add("score", program, 4, scale.score_size, race, [name for name in everyday if name != "native"], 0)
    if "time" in parts:
        for round_ in range(scale.rounds):
            for threads in scale.threads:
                for program in everything:
                    names = [name for name in everyday if tools.table()[name].kind != "valgrind" or scale.valgrind_size and round_ == 0]
                    add("time", program, threads, scale.size, False, names, round_)
    if "threads" in parts:
        for round_ in range(scale.rounds):
            for program in SPOTS:
                for threads in scale.spot_threads:
                    add("threads", program, threads, scale.spot_size, False, SPOT_TOOLS, round_)
    if "settings" in parts:
        for program in everything:
            names = [name for name, where in SETTINGS.items() if where is None or program in where]
            add("settings", program, scale.threads[0], scale.size, False, names, 0)
            names = [name for name, where in RACY_SETTINGS.items() if where is None or program in where]
            add("settings", program, scale.threads[0], scale.score_size, True, names, 0)
    if "limits" in parts:
        for program in LIMITED:
            for limit in FRACTIONS:
                add("limits", program, scale.threads[0], scale.limit_size, False, ["fasttrack", "slimstate"], 0, limit)
    return result

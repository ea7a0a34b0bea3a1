"""The programs of the evaluation: where their sources are, which races they are known to have, and how they are built."""

import os
import re
import shutil
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCES = ROOT / "bench/programs"
BIN = Path(os.environ.get("DEADHEAT_BIN", ROOT / "build/bin")).resolve()
SCRATCH = Path(os.environ.get("DEADHEAT_EVALUATION", BIN.parent / "evaluation"))
# Valgrind 3.19 reads no inlined functions out of the DWARF 5 that Clang 19 writes.
FLAGS = ["-O2", "-g", "-gdwarf-4", "-std=c++20", "-pthread"]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wno-sign-conversion", "-Werror"]

# What the papers call array programs and programs of locks and objects; the claims are about these.
ARRAYS = ["crypt", "lufact", "series", "sor", "sparse", "moldyn", "montecarlo", "raytracer"]
LOCKS = ["elevator", "philo", "btree", "transactions", "multiset", "sharedspot", "localspot"]
OBJECTS = ["btree", "sat", "transactions", "search"]


def names():
    return sorted(path.stem for path in SOURCES.glob("*.cpp"))


def known_races(source):
    """{name of a race: its lines} from the comments `// race NAME`."""
    races = {}
    for number, line in enumerate(Path(source).read_text().splitlines(), 1):
        if match := re.search(r"// race ([\w-]+)$", line):
            races.setdefault(match[1], set()).add(number)
    return races


def has_pass():
    """Whether the compiler wrapper has an instrumentation pass of its own."""
    wrapper = BIN / "deadheat-c++"
    return wrapper.exists() and b"DEADHEAT_PASS" in wrapper.resolve().read_bytes()


def compilers():
    """{variant: (compiler, environment besides)}. Clang 19 where it is there, so that all variants but one have one compiler."""
    wrapper, plain = str(BIN / "deadheat-c++"), "clang++-19" if shutil.which("clang++-19") else "g++"
    ours = {"DEADHEAT_CXX": plain}
    table = {
        "native": ([plain], {}),
        "tsan-clang": (["clang++-19", "-fsanitize=thread"], {}),
        "tsan-gcc": (["g++-12", "-fsanitize=thread"], {}),
        "deadheat": ([wrapper], {**ours, "DEADHEAT_PASS": "0"}),
    }
    if has_pass():
        table["deadheat-pass"] = ([wrapper], {**ours, "DEADHEAT_PASS": "1"})
    return table


def binary(program, variant):
    return SCRATCH / "bin" / f"{program}.{variant}"


def build(program, variant):
    """Returns "" or what the compiler said."""
    compiler, more = compilers()[variant]
    source, target = SOURCES / f"{program}.cpp", binary(program, variant)
    inputs = [source, SOURCES / "program.h"]
    if variant.startswith("deadheat"):  # built anew for a new wrapper or pass; the library is loaded at run time
        inputs += [path for path in (BIN / "deadheat-c++", *BIN.parent.glob("lib/*pass*.so")) if path.exists()]
    if target.exists() and all(target.stat().st_mtime > path.stat().st_mtime for path in inputs):
        return ""
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.{os.getpid()}.{threading.get_ident()}")
    warnings = WARNINGS if variant == "native" else []
    try:
        done = subprocess.run([*compiler, *FLAGS, *warnings, str(source), "-o", str(part)],
                              env={**os.environ, **more}, capture_output=True, text=True)
    except OSError as error:
        return f"{compiler[0]}: {error.strerror}"
    if done.returncode != 0:
        return done.stderr.strip() or f"{compiler[0]} exits with {done.returncode}"
    part.rename(target)
    return ""


def build_all(pairs, progress=lambda: None):
    """Builds (program, variant) pairs on all cores; returns {pair: what went wrong}."""
    def one(pair):
        result = build(*pair)
        progress()
        return pair, result
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return {pair: wrong for pair, wrong in pool.map(one, pairs) if wrong}

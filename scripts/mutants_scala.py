# SPDX-License-Identifier: Apache-2.0
"""Change the Scala code an operator, a number or a call at a time, and ask the tests whether they see it.

usage: mutants_scala.py [--again] [package ...]

With --again only what survived the last run of the same sources runs again. `tests/mutants/packages.toml`
says which files belong to a package and which suites may tell; the mutants that no test can tell from the
original are in `tests/mutants/equivalent.toml`, each with its reason. Fails when a package has less than 85 %
of the others killed, and when a listed one does not survive or is not there any more.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import tomllib

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests" / "mutants"
BUILD = ROOT / "build" / "mutants"
LEAST_KILLED = 0.85
KILLED = ("killed", "timeout")
ENDLESS = 3  # the exit code of a run that a mutant keeps from ending
# Each mutant has a class loader of its own: what a second compiler costs never comes back.
JVM = [
    os.environ.get("JAVA", "java"),
    "-Xss4m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:ReservedCodeCacheSize=256m",
]
OPENED = ("lang", "lang.invoke", "lang.reflect", "io", "net", "nio", "util", "util.concurrent")


@dataclass(frozen=True)
class Package:
    """Files of a project that are changed, and the suites that run then."""

    name: str
    project: str
    root: str
    files: tuple[str, ...]
    without: tuple[str, ...]
    suites: tuple[str, ...]

    def sources(self) -> list[str]:
        """The files, relative to the root of the project's sources."""
        root = ROOT / self.root
        left_out = {path for pattern in self.without for path in root.glob(pattern)}
        found = {path for pattern in self.files for path in root.glob(pattern)} - left_out
        return sorted(str(path.relative_to(root)) for path in found)


@dataclass(frozen=True)
class Mutant:
    """A change, and what became of it."""

    file: str
    line: int
    source: str
    change: str
    outcome: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What a listed equivalent names: it holds when lines above are added or removed."""
        return self.file, self.source, self.change


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--again", action="store_true")
    parser.add_argument("packages", nargs="*")
    asked = parser.parse_args(arguments)
    known = packages()
    chosen = [known[name] for name in asked.packages or known]
    class_paths = compiled({package.project for package in chosen})
    listed = equivalents()
    weak = [package.name for package in chosen if not passes(package, class_paths, listed, asked.again)]
    if weak:
        print(f"Below {LEAST_KILLED:.0%}, or with wrong equivalents: {', '.join(weak)}.")
    return 1 if weak else 0


def packages() -> dict[str, Package]:
    table = tomllib.loads((TESTS / "packages.toml").read_text(encoding="utf-8"))
    return {
        name: Package(
            name,
            entry["project"],
            entry["root"],
            tuple(entry["files"]),
            tuple(entry.get("without", ())),
            tuple(entry["suites"]),
        )
        for name, entry in table.items()
    }


def equivalents() -> dict[tuple[str, str, str], str]:
    table = tomllib.loads((TESTS / "equivalent.toml").read_text(encoding="utf-8"))
    return {
        (each["file"], each["source"], each["change"]): each["reason"] for each in table.get("mutant", ())
    }


def compiled(projects: set[str]) -> dict[str, list[str]]:
    """The class paths of the tool and of the projects' tests, after one start of sbt."""
    tasks = ["mutants/compile", *(f"{project}/Test/compile" for project in sorted(projects))]
    names = ["mutants/Runtime", *(f"{project}/Test" for project in sorted(projects))]
    exports = [f"export {name}/fullClasspath" for name in names]
    said = subprocess.check_output([ROOT / "scripts" / "sbt", *tasks, *exports], text=True, cwd=ROOT)
    paths = [line for line in said.splitlines() if line.startswith("/") and ".jar" in line]
    return {name.split("/")[0]: path.split(os.pathsep) for name, path in zip(names, paths, strict=True)}


def passes(
    package: Package,
    class_paths: dict[str, list[str]],
    listed: dict[tuple[str, str, str], str],
    again: bool,
) -> bool:
    mutants = run(package, class_paths, again)
    at_home = set(package.sources())
    expected = {key for key in listed if key[0] in at_home}
    counted = [mutant for mutant in mutants if mutant.key not in expected]
    left = [mutant for mutant in counted if mutant.outcome not in KILLED]
    killed = len(counted) - len(left)
    score = killed / len(counted) if counted else 1.0
    for mutant in left:
        print(f"  {mutant.file}:{mutant.line}: {mutant.outcome}: {mutant.change}   in: {mutant.source}")
    gone = expected - {mutant.key for mutant in mutants if mutant.outcome not in KILLED}
    for file, source, change in sorted(gone):
        print(f"  {file}: no equivalent any more: {change}   in: {source}")
    kinds = Counter(mutant.outcome for mutant in mutants)
    print(
        f"{package.name}: {killed}/{len(counted)} killed ({score:.1%}),"
        f" {len(mutants) - len(counted)} equivalent,"
        f" {kinds['timeout']} by time, {kinds['unreached']} unreached",
        flush=True,
    )
    return score >= LEAST_KILLED and not gone


def run(package: Package, class_paths: dict[str, list[str]], again: bool) -> list[Mutant]:
    folder = BUILD / package.name
    known = outcomes(folder) if again else {}
    before = lines(folder / "mutants.tsv")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    classes = class_paths[package.project]
    of_tool = [path for path in class_paths["mutants"] if Path(path).is_dir()]
    (folder / "classpath").write_text(os.pathsep.join([*of_tool, *classes]), encoding="utf-8")
    tool = os.pathsep.join(class_paths["mutants"])
    java(
        ["-Xmx1g", "-cp", tool],
        "Instrument",
        folder / "classpath",
        ROOT / package.root,
        folder,
        *package.sources(),
    )
    if before == lines(folder / "mutants.tsv"):
        keep_killed(folder, known)
    jars = os.pathsep.join([*of_tool, *(path for path in classes if not Path(path).is_dir())])
    folders = os.pathsep.join(path for path in classes if Path(path).is_dir())
    with_jvm = ["-Xmx2g", f"-Djava.io.tmpdir={temporary(folder)}", "-cp", jars]
    with_jvm += [f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in OPENED]
    while java(with_jvm, "RunMutants", folder, folders, *package.suites) == ENDLESS:
        pass
    shutil.rmtree(temporary(folder))
    found = outcomes(folder)
    return [mutant(line, found) for line in lines(folder / "mutants.tsv")]


def keep_killed(folder: Path, known: dict[str, str]) -> None:
    kept = [f"{id}\t{outcome}\n" for id, outcome in known.items() if outcome in KILLED]
    (folder / "results.tsv").write_text("".join(kept), encoding="utf-8")


def mutant(line: str, found: dict[str, str]) -> Mutant:
    id, file, number, source, before, after = line.split("\t")
    return Mutant(file, int(number), source, f"{before} → {after}", found[id])


def outcomes(folder: Path) -> dict[str, str]:
    return {line.split("\t")[0]: line.split("\t")[1] for line in lines(folder / "results.tsv")}


def lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


def temporary(folder: Path) -> Path:
    directory = folder / "tmp"
    directory.mkdir(exist_ok=True)
    return directory


def java(options: list[str], program: str, *arguments: object) -> int:
    command = [*JVM, *options, f"stoplog.mutants.{program}", *map(str, arguments)]
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    if code not in (0, ENDLESS):
        sys.exit(f"stoplog.mutants.{program} ended with exit code {code}; what it said stands above.")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

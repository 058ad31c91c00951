"""The most that an input may hold, in one table.

A cap refuses what no cluster, trace or profile holds, before memory or time is spent on it.
"""

from typing import Any, NamedTuple

from rarlib.model.errors import InputError


class Cap(NamedTuple):
    """The most of something that is read.

    Attributes:
        what: what is counted, in the plural, as messages name it.
        most: the largest number that is accepted.
        where: the inputs that it concerns.
        why: the reason for the number.
    """

    what: str
    most: int
    where: str
    why: str

    def check(self, found: float, **place: Any) -> None:
        """Refuse a number above the cap.

        Args:
            found: the number.
            place: `file`, `row` and `field` of the error.

        Raises:
            InputError: naming the cap.
        """
        if found > self.most:
            raise InputError(f"more than {self.most:,} {self.what} (see rarlib/model/limits.py)", **place)


CLUSTER_NODES = Cap(
    "nodes", 20_000, "clusters", "The largest published cluster has a tenth; every scheduling pass visits all."
)
GPUS_PER_NODE = Cap("GPUs of a node", 1_024, "clusters", "Contention is tabulated by the GPUs of a node.")
GPUS = Cap("GPUs", 200_000, "clusters", "Speed-up curves are tabulated by the GPUs of the cluster.")

JOB_COUNT = Cap(
    "units in a whole number", 2**32, "jobs: GPUs, batch, CPU tasks", "Sums over all jobs fit into 64-bit integers."
)
SECONDS = Cap(
    "seconds",
    10**10,
    "jobs: submissions and durations; quantum, restart, origin, tick",
    "Beyond 300 years a double no longer resolves microseconds.",
)
TEXT = Cap("characters", 256, "jobs: ids and names", "Ids of the released traces have at most 64; messages name them.")

FILE_BYTES = Cap(
    "bytes", 512 * 2**20, "any file, and any member of an archive", "Twice the largest log of the released traces."
)
UNPACKING = Cap(
    "bytes for each packed byte",
    100,
    "gzip, zip and tar, beyond 16 MiB",
    "Logs shrink 10 to 30 times, archives made to exhaust memory up to 1,000 times.",
)
ARCHIVE_MEMBERS = Cap("members", 10_000, "zip and tar", "The largest released archive has some hundred.")
JSON_BYTES = Cap(
    "bytes of JSON", 32 * 2**20, "stand-ins, profile sets", "Empty lists take 20 times their text in memory."
)
ENTRY_CHARACTERS = Cap(
    "characters in an entry", 4 * 2**20, "Philly's log: a job", "Jobs are parsed one by one; the largest has kilobytes."
)
YAML_BYTES = Cap(
    "bytes of YAML", 192 * 2**10, "clusters, configurations", "Clusters take hundreds of bytes; PyYAML reads 70 kB/s."
)
NESTING = Cap("levels of nesting", 50, "YAML", "Clusters have three; parsers recurse into each level.")
LIST_BYTES = Cap("bytes of the list", 4 * 2**20, "data/sources.tsv", "The list of this project has a hundredth.")
GRAPH_BYTES = Cap("bytes of a layer profile", 8 * 2**20, "graph.txt", "The largest published profile has 100 kB.")
POLICY_BYTES = Cap("bytes of a policy", 2**20, "rarlib evaluate", "A program that decides is a few screens long.")

TABLE_ROWS = Cap("rows", 5_000_000, "CSV tables", "The largest released log has 1.8 million.")
COLUMNS = Cap("columns", 1_000, "CSV tables, workbooks", "The widest released table has 16; each takes milliseconds.")
CELLS = Cap("fields", 50_000_000, "CSV tables", "Twice the largest released log, read into at most a few GB.")
BOOK_CELLS = Cap(
    "cells", 400_000, "workbooks (xlsx)", "AITurbo's study has 139,086; a cell takes half a kilobyte while it is read."
)
BOOK_ROWS = Cap("rows", 2**20, "workbooks (xlsx)", "The format has no more.")
BOOK_BYTES = Cap("bytes unpacked", 64 * 2**20, "workbooks (xlsx)", "AITurbo's study has 4.3 MB.")

DOWNLOAD_BYTES = Cap(
    "bytes",
    4 * 2**30,
    "downloads of unknown size",
    "Four times the largest source; others may send what the list says.",
)
SNAPSHOT_BYTES = Cap(
    "bytes of one answer",
    8 * 2**30,
    "downloads, packed",
    "The snapshot of eight traces that the list names has about 4 GB.",
)
SNAPSHOT_MEMBERS = Cap(
    "members of a snapshot", 100_000, "archives that are read while they are sent", "Snapshots hold eight traces."
)
CURVE_ENTRIES = Cap(
    "entries of speed-up curves", 32 * 2**20, "elastic jobs", "One for each gang size and GPU, 8 bytes each."
)

PASSES = Cap(
    "passes",
    1_000_000,
    "schedulers: passes that they ask for in a run",
    "Two years in rounds of a minute; a pass takes a tenth of a millisecond and more.",
)
IDLE = Cap(
    "passes without a job that runs",
    10_000,
    "schedulers: passes in a row in which jobs wait, none runs and none will arrive",
    "A scheduler to which waiting is worth more than running leaves jobs waiting forever.",
)
FRUITLESS = Cap(
    "passes without progress",
    200,
    "schedulers: passes in which jobs are restarted and none gets beyond its restart",
    "A restart longer than the interval between passes lets jobs take turns forever.",
)

COMPONENTS = Cap(
    "components of a level", 1_024, "rarlib plan: --machines", "The planner's time grows with their square."
)
SCANNED = Cap(
    "limits tried one by one",
    5_000,
    "first-fit: search_by=scan with availability=idle",
    "Each simulates the whole plan; the experiments of the paper end within 1,500 slots.",
)
PHASE_EVENTS = Cap(
    "events of phases",
    50_000_000,
    "rarlib fabric: an instance in the exact mode",
    "A minute of computing; a job that others keep waiting for ever never ends.",
)
SHARING_JOBS = Cap("jobs of an instance", 1_000, "rarlib fabric", "Every event visits all of them.")
SHARING_FLOWS = Cap("flows of a job", 1_000, "rarlib fabric", "A ring has one for each of its servers.")
SHARING_ITERATIONS = Cap(
    "iterations of an instance", 5_000_000, "rarlib fabric", "The end of each is kept; they last weeks."
)
STUDY_SETTINGS = Cap(
    "settings", 10_000, "study.yaml", "Each is run with every scheduler, every trace and as many seeds as are wanted."
)
STUDY_STATEMENTS = Cap("statements", 1_000, "study.yaml", "Each is an entry of the ledger that somebody reads.")

ALL_CAPS = tuple(value for value in list(globals().values()) if isinstance(value, Cap))
"""All of them, in the order of the page."""

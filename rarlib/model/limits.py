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
    """

    what: str
    most: int

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


# clusters: the largest published cluster has a tenth; every scheduling pass visits all
CLUSTER_NODES = Cap("nodes", 20_000)
GPUS_PER_NODE = Cap("GPUs of a node", 1_024)  # clusters: contention is tabulated by the GPUs of a node
GPUS = Cap("GPUs", 200_000)  # clusters: speed-up curves are tabulated by the GPUs of the cluster

# GPUs, batch and CPU tasks of a job: sums over all jobs fit into 64-bit integers
JOB_COUNT = Cap("units in a whole number", 2**32)
# times in inputs and options: beyond 300 years a double no longer resolves microseconds
SECONDS = Cap("seconds", 10**10)
TEXT = Cap("characters", 256)  # ids and names: ids of the released traces have at most 64; messages name them

# any file, and any member of an archive: twice the largest log of the released traces
FILE_BYTES = Cap("bytes", 512 * 2**20)
# gzip, zip and tar, beyond 16 MiB: logs shrink 10 to 30 times, archives made to exhaust memory up to 1,000 times
UNPACKING = Cap("bytes for each packed byte", 100)
ARCHIVE_MEMBERS = Cap("members", 10_000)  # zip and tar: the largest released archive has some hundred
JSON_BYTES = Cap("bytes of JSON", 32 * 2**20)  # stand-ins, profile sets: empty lists take 20 times their text in memory
# Philly's log: jobs are parsed one by one; the largest has kilobytes
ENTRY_CHARACTERS = Cap("characters in an entry", 4 * 2**20)
# clusters, configurations: clusters take hundreds of bytes; PyYAML reads 70 kB/s
YAML_BYTES = Cap("bytes of YAML", 192 * 2**10)
NESTING = Cap("levels of nesting", 50)  # YAML: clusters have three; parsers recurse into each level
LIST_BYTES = Cap("bytes of the list", 4 * 2**20)  # data/sources.tsv: the list of this project has a hundredth
GRAPH_BYTES = Cap("bytes of a layer profile", 8 * 2**20)  # graph.txt: the largest published profile has 100 kB
POLICY_BYTES = Cap("bytes of a policy", 2**20)  # rarlib evaluate: a program that decides is a few screens long

TABLE_ROWS = Cap("rows", 10_000_000)  # CSV tables: the largest released log has 1.8 million
COLUMNS = Cap("columns", 1_000)  # CSV tables, workbooks: the widest released table has 16; each takes milliseconds
CELLS = Cap("fields", 50_000_000)  # CSV tables: twice the largest released log, read into at most a few GB
# workbooks (xlsx): AITurbo's study has 139,086; a cell takes half a kilobyte while it is read
BOOK_CELLS = Cap("cells", 400_000)
BOOK_ROWS = Cap("rows", 2**20)  # workbooks (xlsx): the format has no more

# downloads of unknown size: four times the largest source; others may send what the list says
DOWNLOAD_BYTES = Cap("bytes", 4 * 2**30)
# downloads, packed: the snapshot of eight traces that the list names has about 4 GB
SNAPSHOT_BYTES = Cap("bytes of one answer", 8 * 2**30)
# archives that are read while they are sent: snapshots hold eight traces
SNAPSHOT_MEMBERS = Cap("members of a snapshot", 100_000)
# elastic jobs: one for each gang size and GPU, 8 bytes each
CURVE_ENTRIES = Cap("entries of speed-up curves", 32 * 2**20)

# that a scheduler asks for in a run: two years in rounds of a minute; a pass takes a tenth of a millisecond and more
PASSES = Cap("passes", 1_000_000)
# in a row, while jobs wait and none will arrive: a scheduler may prefer waiting to running forever
IDLE = Cap("passes without a job that runs", 10_000)
# in which jobs are restarted: a restart longer than the interval between passes lets jobs take turns forever
FRUITLESS = Cap("passes without progress", 200)

COMPONENTS = Cap("components of a level", 1_024)  # rarlib plan: --machines: the planner's time grows with their square
# first-fit, search_by=scan: each simulates the whole plan; the experiments of the paper end within 1,500 slots
SCANNED = Cap("limits tried one by one", 5_000)
# rarlib fabric, exact mode: a minute of computing; a job that others keep waiting for ever never ends
PHASE_EVENTS = Cap("events of phases", 50_000_000)
SHARING_JOBS = Cap("jobs of an instance", 1_000)  # rarlib fabric: every event visits all of them
SHARING_FLOWS = Cap("flows of a job", 1_000)  # rarlib fabric: a ring has one for each of its servers
# rarlib fabric: the end of each is kept; they last weeks
SHARING_ITERATIONS = Cap("iterations of an instance", 5_000_000)
# study.yaml: each is run with every scheduler, every trace and as many seeds as are wanted
STUDY_SETTINGS = Cap("settings", 10_000)
STUDY_STATEMENTS = Cap("statements", 1_000)  # study.yaml: each is an entry of the ledger that somebody reads

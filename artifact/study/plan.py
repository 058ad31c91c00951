"""The cells of a study, and which of them its looks still ask for.

Seeds come in batches, one for each look. The first has all schedulers on all traces and workloads. A later one has the
two schedulers of every statement that is still open, where the statement asks for them: a cell ends when nothing
that rests on it is open.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from artifact.study.document import JobSource, Study
from rarlib.traces.digest import digest


def batches_of(looks: Sequence[int]) -> list[list[int]]:
    """Seeds of each batch: those up to a look that no earlier look has."""
    return [list(range(before + 1, look + 1)) for before, look in zip((0, *looks[:-1]), looks, strict=True)]


def part_of(source: str, batch: int) -> str:
    """Name of a batch of a trace or workload, as in the paths of cells; the first batch has the number 1."""
    return f"{source}-b{batch}"


def split_part(part: str) -> tuple[str, int]:
    """Trace or workload and number of the batch of such a name."""
    source, _, batch = part.rpartition("-b")
    return source, int(batch)


def cells_of_batch(study: Study, batch: int, still_open: Sequence[str] | None) -> list[str]:
    """Cells of a batch, `STUDY/SOURCE-bBATCH/SCHEDULER`, in the order of the study."""
    wanted = {
        (source, name)
        for each in study.statements
        if still_open is not None and each.name in still_open
        for source in each.sources
        for name in (each.better, each.worse)
    }
    return [
        f"{study.name}/{part_of(source, batch)}/{name}"
        for source in study.sources
        for name in study.entrants
        if still_open is None or (source, name) in wanted
    ]


def wanted_cells(study: Study, look: Callable[[int], Path], until: int | None = None) -> list[str]:
    """All cells that the looks taken so far ask for.

    `look` gives the file of a look by its number, from 1 on, and may raise if there is none yet; `until`: number of the
    last batch that counts; None: all.
    """
    cells = cells_of_batch(study, 1, None)
    for number in range(1, until or len(study.looks)):
        record = json.loads(look(number).read_text(encoding="utf-8"))
        still_open = [name for name, each in record.items() if not each["decided"]]
        if not still_open:
            break
        cells += cells_of_batch(study, number + 1, still_open)
    return cells


def size_in_words(study: Study) -> str:
    """How much a run will do at most."""
    cells = len(study.entrants) * len(study.sources) * len(study.settings)
    least, most = cells * study.looks[0], cells * study.looks[-1]
    runs = f"{least:,} to {most:,}" if least < most else f"{most:,}"
    return (
        f"{study.name}: {len(study.entrants)} schedulers, {len(study.sources)} traces and workloads, "
        f"{len(study.settings)} settings, {len(batches_of(study.looks))} batches of seeds: {runs} runs"
    )


def cell_settings(study: Study, part: str, member: str) -> dict[str, Any]:
    """What one cell is made with, and nothing that it does not depend on; plain data."""
    name, batch = split_part(part)
    source, entrant = study.sources[name], study.entrants[member]
    settings = [tuple(each) for each in study.settings]
    costs = {each[1] for each in settings}
    return {
        "study": study.name,
        "entrant": {**entrant._asdict(), "label": "", "parameters": dict(entrant.parameters)},
        "source": source_settings(study, source),
        "clusters": dict(study.clusters),
        "costs": {name: dict(given) for name, given in study.costs.items() if name in costs},
        "settings": settings,
        "quantum_s": study.quantum_s,
        "overload": study.overload,
        "seeds": batches_of(study.looks)[batch - 1],
    }


def source_settings(study: Study, source: JobSource) -> dict[str, Any]:
    """A trace or workload as plain data, with the digest of its file if it has one."""
    found = source._asdict()
    return found | ({"digest": digest(study.folder / source.file, "sha256")} if source.file else {})

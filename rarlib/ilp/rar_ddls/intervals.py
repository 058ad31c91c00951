"""Contention in the CP-SAT model of RAR-DDLS: intervals between neighbouring starts and ends of spanning gangs.

Source: eq. 6-9 of RAR-DDLS, Yu et al., MobiHoc 2022, doi 10.1145/3492866.3549716, section 4, in whole slots.

| paper | here |
|---|---|
| indicator 0 < y_js < G_j in an interval | `meets[j, k, s]`: gang j spans, runs in interval k and is on server s |
| p_j (eq. 6) | `above[q]`: in this interval at least q gangs share the busiest server of gang j |
| sum of phi_j (eq. 9) | sum of `work` over the intervals of gang j |

Exact: p_j changes only where a spanning gang starts or ends. m gangs that can span have at most 2 m such instants;
these are variables in ascending order, each used by exactly one start or end, the unused ones last. Between two
neighbours all rates are constant, so the work of a gang is at most rate x length for every level q that is reached;
rates do not rise with q, hence the level p_j binds. The model lets a gang hold its GPUs for longer than its work takes,
or count a level that is not reached; neither makes any job end earlier (`slotted`: fewer competitors never hurt).
"""

from typing import Any

from rarlib.ilp.rar_ddls.gangs import GangModel


def add_contention(gangs: GangModel) -> None:
    """Make every spanning gang run until its work is done at the rates that contention leaves it."""
    p, m = gangs.problem, gangs.model
    wide = [j for j in gangs.jobs if max(gangs.spread[j]) > 1]
    if not wide:
        return
    intervals = range(2 * len(wide) - 1)
    instant = [m.new_int_var(0, gangs.horizon, f"instant {k}") for k in range(len(intervals) + 1)]
    length = [m.new_int_var(0, gangs.horizon, f"stretch {k}") for k in intervals]
    for k in intervals:
        m.add(instant[k] + length[k] == instant[k + 1])
    spans = {j: ~gangs.spread[j][1] if 1 in gangs.spread[j] else 1 for j in wide}
    active = _place(gangs, wide, spans, instant)
    meets = {(j, k, s): m.new_bool_var(f"meets {j} {k} {s}") for j in wide for k in intervals for s in gangs.servers}
    for (j, k, s), met in meets.items():
        m.add_implication(met, active[j, k])
        m.add_implication(met, gangs.on[j][s])
        m.add_bool_or(~active[j, k], ~gangs.on[j][s], met)
    for k in intervals:
        m.add(sum(p.gang[j] * active[j, k] for j in wide) <= sum(p.capacity))
        for s in gangs.servers:
            m.add(sum(meets[j, k, s] for j in wide) <= p.capacity[s])
    for j in wide:
        work = [_work(gangs, j, k, length[k], active[j, k], _sharers(gangs, wide, meets, j, k)) for k in intervals]
        m.add(sum(work) >= p.work[j] * spans[j])  # eq. 9


def _place(gangs: GangModel, wide: list[int], spans: dict[int, Any], instant: list[Any]) -> dict[tuple[int, int], Any]:
    """Put the starts and ends of spanning gangs onto instants; return literals for a gang running in an interval."""
    m, intervals = gangs.model, range(len(instant) - 1)
    first = {(j, k): m.new_bool_var(f"first {j} {k}") for j in wide for k in intervals}
    last = {(j, k): m.new_bool_var(f"last {j} {k}") for j in wide for k in intervals}
    active = {(j, k): m.new_bool_var(f"active {j} {k}") for j in wide for k in intervals}
    for j in wide:
        m.add(sum(first[j, k] for k in intervals) == spans[j])
        m.add(sum(last[j, k] for k in intervals) == spans[j])
    for (j, k), runs in active.items():
        m.add(runs == sum(first[j, i] for i in range(k + 1)) - sum(last[j, i] for i in range(k)))
        m.add(gangs.start[j] == instant[k]).only_enforce_if(first[j, k])
        m.add(gangs.end[j] == instant[k + 1]).only_enforce_if(last[j, k])
    events = [sum(first.get((j, k), 0) + last.get((j, k - 1), 0) for j in wide) for k in range(len(instant))]
    for k, here in enumerate(events):
        m.add(here <= (events[k - 1] if k else 1))
    return active


def _sharers(gangs: GangModel, wide: list[int], meets: dict[Any, Any], j: int, k: int) -> dict[int, Any]:
    """Literals saying that at least q gangs share the busiest server of gang j, for those q that slow it down."""
    rate, m = gangs.problem.rate, gangs.model
    most = min(len(wide), rate.shape[2] - 1)
    spreads = [servers for servers in gangs.spread[j] if servers > 1]
    slower = [q for q in range(2, most + 1) if (rate[j, spreads, q] < rate[j, spreads, q - 1]).any()]
    above = {q: m.new_bool_var(f"above {j} {k} {q}") for q in slower}
    for s in gangs.servers:
        count = sum(meets[i, k, s] for i in wide)
        for q, reached in above.items():
            m.add(count <= q - 1 + most * reached).only_enforce_if(meets[j, k, s])
    return above


def _work(gangs: GangModel, j: int, k: int, length: Any, active: Any, above: dict[int, Any]) -> Any:
    """Iterations of gang j in interval k: none unless it runs, and no more than any level reached allows (eq. 8)."""
    p, m = gangs.problem, gangs.model
    work = m.new_int_var(0, p.work[j], f"work {j} {k}")
    m.add(work <= p.work[j] * active)
    for servers, chosen in gangs.spread[j].items():
        if servers > 1:
            m.add(work <= int(p.rate[j, servers, 1]) * length).only_enforce_if(chosen)
            for q, reached in above.items():
                m.add(work <= int(p.rate[j, servers, q]) * length).only_enforce_if(chosen, reached)
    return work

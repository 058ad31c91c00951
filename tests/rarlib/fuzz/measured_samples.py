"""Files of every measured source, made up: whole, small, and such that all of its predictors have something to say."""

from itertools import product

from tests.artifact.machines import toy

_KINDS = tuple(product(("a", "b", "c"), ((2, 2), (4, 4))))
_SHAPES = ("1", "2", "11", "4", "22", "8", "44", "26")
_SIZE = 64


def _table(columns: str, rows: list[str]) -> bytes:
    return "\n".join([columns, *rows, ""]).encode()


def _deepshare() -> dict[str, bytes]:
    pairs = [
        f"p-{at},{one},{gpus},{nodes},{other},{more},{many},{0.5 + (at % 7) / 16},measured"
        for at, ((one, (gpus, nodes)), (other, (more, many))) in enumerate(product(_KINDS, _KINDS))
    ]
    alone = [f"{name},{gpus},{nodes},{100 * gpus},16,measured" for name, (gpus, nodes) in _KINDS]
    columns = "id,model,gpus,nodes,other_model,other_gpus,other_nodes,ratio,kind"
    return {
        "pairs": _table(columns, pairs),
        "alone": _table("model,gpus,nodes,samples_per_s,samples_per_process,kind", alone),
    }


def _morphling() -> dict[str, bytes]:
    steps = []
    for at, shape in enumerate(_SHAPES):
        gpus = sum(map(int, shape))
        steps.append(
            f"r-{at},bert,dp,1,1,{gpus},{shape},{len(shape)},{gpus},{_SIZE},,{8 / gpus + 1},0.125,0.25,0.5,yes"
        )
    columns = (
        "id,model,plan,pipeline,tensor,data,placement,nodes,gpus,global_batch,cpu_threads,iteration_s,forward_s,"
        "backward_exchange_s,optimizer_s,use"
    )
    again = (
        "id,model,label,plan,pipeline,tensor,data,placement,gpus,iteration_s,authors_forward_input_s,"
        "authors_iteration_s,in_authors_fit,same_as,same_iteration_s"
    )
    return {
        "placements": _table(columns, steps),
        "validation": _table(again, ["v-1,bert,DP,dp,1,1,1,1,1,9,,8.5,no,r-0,9"]),
    }


def _shockwave() -> dict[str, bytes]:
    policies, jobs = ("max_min_fairness", "finish_time_fairness", "shockwave"), range(4)
    runs = [
        f"{policy},{world},4000,{3_600 + at},{1_800 + at},30,0.5,1"
        for at, (policy, world) in enumerate(product((*policies, "allox"), ("cluster", "authors")))
    ]
    return {
        "jobs": _table(
            "job,application,batch,gpus,adaptation,steps,duration_s,arrival_s",
            [f"{job},LM,10,{1 + job % 2},gns,1000,{600 + 60 * job},{30 * job}" for job in jobs],
        ),
        "runs": _table(
            "policy,world,stored_makespan_s,last_completion_s,mean_completion_s,rounds,utilisation,unfair_jobs", runs
        ),
        "completion": _table(
            "policy,job,cluster_s,authors_s,cluster_fairness,authors_fairness,last_round",
            [f"{policy},{job},{900 + job},800,0.5,0.5,{5 + job}" for policy, job in product(policies, jobs)],
        ),
    }


def _pollux() -> dict[str, bytes]:
    rows = [
        *("pollux,tuned,cluster,0.5,10,16", "optimus,tuned,cluster,1,15,20", "optimus,realistic,cluster,2,20,30"),
        *('"pollux, p = +1",tuned,cluster,0.625,10,16', "pollux,tuned,authors,0.375,9,15"),
    ]
    return {"runs": _table("policy,workload,world,mean_completion_h,imagenet_mean_h,makespan_h", rows)}


MADE: dict[str, dict[str, bytes]] = {
    "sailor": {file: text.encode() for file, text in toy.CSV.items()},
    "morphling": _morphling(),
    "deepshare": _deepshare(),
    "shockwave": _shockwave(),
    "pollux": _pollux(),
}
"""Source -> its files by name."""

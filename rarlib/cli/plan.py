"""`rarlib plan`: a pipeline for a model and a hierarchy of machines, as JSON."""

import json
import sys
from typing import Any

import typer
from typer.core import TyperCommand


class SeveralValues(TyperCommand):
    """Lets an option that may be repeated take several values at once: `--machines 4 4`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Repeat the option before each of its further values."""
        repeated = {name for param in self.params if getattr(param, "multiple", False) for name in param.opts}
        spread: list[str] = []
        option = ""
        for position, value in enumerate(args):
            if value.startswith("--"):
                option = value if value in repeated else ""
            elif option and args[position - 1] != option:
                spread.append(option)
            spread.append(value)
        return super().parse_args(ctx, spread)


def plan(
    profile: str = typer.Option(
        ..., help="A graph.txt, a measured profile (pipedream-vgg16) or an analytic one (vgg16)."
    ),
    machines: list[int] = typer.Option(..., help="Components per level, innermost first: GPUs per server, servers."),
    bandwidth: list[float] = typer.Option(..., help="Bytes per second of each level's links."),
    variant: str = typer.Option("published", help="published (SOSP 2019) or as-coded (the authors' optimizer)."),
    straight: bool = typer.Option(False, "--straight", help="Replicate no stage."),
    memory: float = typer.Option(None, help="Memory of a GPU in bytes; by default no limit."),
    use_fewer_machines: bool = typer.Option(False, "--use-fewer-machines", help="Allow GPUs and servers to stay idle."),
    count_boundaries: bool = typer.Option(
        False, "--count-boundaries", help="Count transfers between stages (always done as published)."
    ),
    compression: float = typer.Option(None, help="Divide these transfers by this factor; implies --count-boundaries."),
    max_states: int = typer.Option(2000, help="Above this many states, try fewer places to cut."),
) -> None:
    """Cut a model into stages, replicate them, and print the plan as JSON.

    Times are seconds per minibatch in steady state; `exact` says whether the plan is proven to be the fastest. If it
    is not, no plan is faster than `lower_bound_s`.
    """
    from rarlib.model.foreign import printable
    from rarlib.pipeline.planner import Options, plan_pipeline
    from rarlib.pipeline.profiles import load_profile

    loaded = load_profile(profile)
    options = Options(
        variant=variant,
        straight=straight,
        memory=memory,
        use_fewer_machines=use_fewer_machines,
        compression=1.0 if compression is None and count_boundaries else compression,
        max_states=max_states,
    )
    if loaded.standin:
        print(
            f"STAND-IN: {printable(profile)} is not available; an analytic profile of the model is used.",
            file=sys.stderr,
        )
    result = plan_pipeline(loaded.graph, machines, bandwidth, options)
    print(json.dumps({"profile": loaded.facts, **result.as_dict()}, indent=2))


app = typer.Typer(add_completion=False)
app.command(cls=SeveralValues)(plan)

"""Make `data/standin/sia-profiles.json` from the measured profiles: `python -m tools.calibrate_profiles`.

Iterations: the seven parameters (`rarlib.cost.goodput.fit`) fitted to all rows; for a pipeline, its forward pass and
straight lines for the exchange. Gradients: the logarithm of the noise scale v / g^2, as a Chebyshev series over the
epochs. The same input gives the same bytes.
"""

import hashlib
import json
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from rarlib.cost.goodput import measured, standin
from rarlib.cost.goodput.applications import APPLICATIONS, Application
from rarlib.cost.goodput.descent import PARAMETERS, new_space
from rarlib.cost.goodput.fit import fit
from rarlib.cost.goodput.profiles import Gradients, Profiles, Steps
from rarlib.model.errors import InputError
from rarlib.model.files import write_text
from rarlib.traces.places import data_folder

_DEGREE = 5
_FEW_EPOCHS = 10
"""Fewest measurements for a series; fewer are replaced by their mean, as a series would only repeat them."""
_NOISE = (1e-3, 1e6)
"""Range of noise scales; needed because measured squares of gradients may be 0 or less."""


def fitted(profiles: Profiles) -> dict[str, Any]:
    """The stand-in's content.

    Raises:
        InputError: when the profiles are a stand-in themselves.
    """
    if profiles.facts["standin"]:
        raise InputError("a stand-in must come from measured profiles", file=standin.FILE)
    made_from, applications = {}, {}
    for name, app in APPLICATIONS.items():
        digests = profiles.facts["profiles"][name]["digests"]
        made_from[name] = hashlib.sha256("\n".join(sorted(digests.values())).encode()).hexdigest()
        rows = {kind: steps for (each, kind), steps in profiles.steps.items() if each == name}
        applications[name] = {
            **_gradients(profiles.gradients[name], app),
            "types": {kind: _iterations(steps, app, kind) for kind, steps in rows.items()},
        }
    return {
        "about": "Models fitted to the profiles of Sia's artifact: parameters of iterations, noise scale of gradients.",
        "made_by": "python -m tools.calibrate_profiles",
        "made_from": made_from,
        "applications": applications,
    }


def _gradients(gradients: Gradients, app: Application) -> dict[str, Any]:
    epochs = app.epochs
    positive = np.maximum(gradients.square[:, :epochs], 1e-300)
    noise = np.log(np.clip(gradients.variance[:, :epochs] / positive, *_NOISE))
    degree = 0 if epochs < _FEW_EPOCHS else _DEGREE
    series = chebyshev.chebfit(np.linspace(-1.0, 1.0, epochs), noise.T, degree).T
    return {
        "batch": gradients.batch.tolist(),
        "epochs": epochs,
        "work": _short(gradients.progress[:, epochs - 1].min()),
        "log_noise_scale": [[_short(x) for x in row] for row in series],
    }


def _iterations(steps: Steps, app: Application, kind: str) -> dict[str, Any]:
    placed = steps.placed
    room = max(max(shape) for shape in steps.shape if shape)
    entry: dict[str, Any] = {"room": room, "nodes": int(steps.nodes.max())}
    entry["local"] = [int(steps.local[placed].min()), int(steps.local[placed].max())]
    if not app.stages:
        params = np.zeros(PARAMETERS)
        fit(np.ascontiguousarray(steps.observations), new_space(), params)
        return {**entry, "parameters": [_short(x) for x in params]}
    one = placed & (steps.local == steps.local.min())
    inside, between = one & (steps.nodes == 1), one & (steps.nodes > 1)
    return {
        **entry,
        "nodes": min(entry["nodes"], standin.PIPELINES),
        "stages": app.stages[kind],
        "forward_s": _short((steps.step_s[one] / steps.local[one]).mean()),
        "inside_s": _line(steps.replicas[inside] // app.stages[kind] - 1, steps.sync_s[inside]),
        "between_s": _line(steps.nodes[between] - 1, steps.sync_s[between]),
    }


def _line(x: NDArray[np.int64], y: NDArray[np.float64]) -> list[float]:
    """Value at 0 and slope of a line fitted by least squares."""
    if len(x) < 2:
        return [_short(y.mean()), 0.0]
    slope, first = np.polyfit(x, y, 1)
    return [_short(first), _short(slope)]


def _short(value: Any) -> float:
    return float(f"{float(value):.6g}")


def text_of(content: dict[str, Any]) -> str:
    """The text of the file: one line for each application's gradients and one for each GPU type."""
    lines = []
    for name, entry in content["applications"].items():
        kinds = [f"   {json.dumps(kind)}: {json.dumps(rows)}" for kind, rows in entry["types"].items()]
        head = json.dumps({key: value for key, value in entry.items() if key != "types"})[:-1]
        lines.append(f'  {json.dumps(name)}: {head},\n  "types": {{\n' + ",\n".join(kinds) + "\n  }}")
    facts = json.dumps({key: value for key, value in content.items() if key != "applications"}, indent=1)[:-2]
    return facts + ',\n "applications": {\n' + ",\n".join(lines) + "\n }\n}\n"


def main() -> None:
    """Write the file."""
    write_text(data_folder() / "standin" / standin.FILE, text_of(fitted(measured.load_profiles())))


if __name__ == "__main__":
    main()

"""Throughput beside another job: nothing, eq. 7 of SJF-BCO, and laws of victim and partner."""

from collections.abc import Callable
from functools import partial

from artifact.machines.beside import OTHER_MODELS, SameNumber, blind_law, pairs_held_out, product_law, shares_alone
from artifact.machines.deepshare import CRUX, DeepShare
from artifact.machines.predictor import Predictor


def _product(source: DeepShare, *, key: SameNumber, tied: bool) -> dict[str, float]:
    return pairs_held_out(source.pairs, partial(product_law, key=key, tied=tied))


def _shares(source: DeepShare) -> dict[str, float]:
    """Crux's two jobs lose the same share, so each row is predicted by the other one."""
    one, other = CRUX
    return {**_product(source, key=lambda job: job, tied=True), one.id: other.ratio, other.id: one.ratio}


def _alone(source: DeepShare) -> dict[str, float]:
    shares = shares_alone(source.alone())
    known = [row for row in source.pairs if row.job in shares and row.other in shares]
    return {row.id: 1.0 / (1.0 + shares[row.job] * shares[row.other]) for row in known}


_FITTED: dict[str, tuple[str, Callable[[DeepShare], dict[str, float]]]] = {
    "eq-7": ("eq. 7, partner-blind", lambda source: pairs_held_out(source.pairs, blind_law)),
    "fabric-shares": ("fabric, a share by job", _shares),
    "fabric-shares-by-model": ("fabric, a share by model", partial(_product, key=lambda job: job.model, tied=True)),
    "victim-and-partner": ("victim and partner, by model", partial(_product, key=lambda job: job.model, tied=False)),
}

PREDICTORS = (
    Predictor("no-contention", "no contention", "beside", "A", lambda source: {r.id: 1.0 for r in source.scored("")}),
    Predictor("fabric-alone", "fabric, shares from runs alone", "beside", "A", _alone),
    *(Predictor(name, label, "beside", "B", each, OTHER_MODELS) for name, (label, each) in _FITTED.items()),
)

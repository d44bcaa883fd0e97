"""How likely each single fault is, after some results.

A result is the predicted share times a calibration of the collective, the same for all results,
with a relative error of a normal distribution. One result in ten thousand is anything. The
calibration is unknown: it covers the interval of what is expected. That of an all-to-all may fall
with the number of hosts: flows collide in more places, and receivers wait for each other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from fabric.collective.hypotheses import hypotheses
from fabric.collective.published import LEAST, USUAL, CollectiveKind
from fabric.collective.trials import predict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.collective.flows import Floats
    from fabric.collective.hypotheses import Hypotheses
    from fabric.collective.trials import BandwidthTest
    from fabric.topology.clos import Clos
    from fabric.topology.model import Fabric, Ints

#: Relative error of a result: two runs of nccl-tests on one set of hosts differ by 1 to 3 %. An
#: all-to-all also has other hash collisions each time, and losses differ from rail to rail: with
#: four uplinks, all-to-alls of kernels differ by 5 to 12 %.
NOISE = 0.02
_MORE_NOISE = {CollectiveKind.ALL_REDUCE: 0.01, CollectiveKind.ALL_TO_ALL: 0.08}
#: Probability that a result is anything, and of each share then; our choice.
_STRAY, _STRAY_DENSITY = 1e-4, 0.5
#: Hypotheses that are less likely than the best by this logarithm are dropped: 1e-7.
_DROPPED = 16.0
#: Errors from which on a result counts as not explained: once in 10,000.
_FAR = 4.0


@dataclass(frozen=True, eq=False)
class Observed:
    """A trial with its result: measured over expected bandwidth."""

    trial: BandwidthTest
    share: float


@dataclass(frozen=True, eq=False)
class Posterior:
    """Hypotheses that are left, with their probabilities.

    Parameters
    ----------
    fits : dict
        Collective -> logarithm of the likelihood, shape (calibrations, hypotheses).
    """

    suspected: Hypotheses
    fits: dict[CollectiveKind, Floats]

    @classmethod
    def before(cls, fabric: Fabric) -> Posterior:
        """Return what is known without any result."""
        return cls(hypotheses(fabric), {})

    @property
    def probability(self) -> Floats:
        """Probability of each hypothesis."""
        total = self.suspected.prior.copy()
        for kind, fit in self.fits.items():
            total += np.logaddexp.reduce(fit + _calibration_prior(kind)[:, None], axis=0)
        weight = np.exp(total - total.max())
        return np.asarray(weight / weight.sum())

    def after(
        self, fabric: Fabric, network: Clos, observed: Sequence[Observed], noise: float = NOISE
    ) -> Posterior:
        """Return what is known after the results of one trial, with one result or several.

        Parameters
        ----------
        observed : sequence of Observed
            Results of the same hosts and collective, such as one for each rail.
        noise : float
            Relative error of a result, > 0.
        """
        fits = dict(self.fits)
        kind = observed[0].trial.kind
        rails = tuple(sorted({rail for one in observed for rail in one.trial.rails}))
        whole = replace(observed[0].trial, rails=rails)
        prediction = predict(fabric, network, whole, self.suspected)
        usual_shares = calibration(whole)
        fit = fits.get(kind, np.zeros((len(usual_shares), len(self.suspected))))
        usual = float(np.hypot(noise, _MORE_NOISE[kind]))
        errors = np.hypot(usual, prediction.error)
        key = prediction.rails.astype(np.float64) + prediction.share / 2
        _, first, where = np.unique(key + 1j * errors, return_index=True, return_inverse=True)
        slow, share, error = prediction.rails[first], prediction.share[first], errors[first]
        alike = np.zeros((len(usual_shares), len(first)))
        for one in observed:
            hit = (slow & sum(1 << rail for rail in one.trial.rails)) > 0
            left, wide = np.where(hit, share, 1.0), np.where(hit, error, usual)
            alike += _table(one.share, left, wide, usual_shares)
        fits[kind] = fit + alike[:, where.reshape(-1)]
        return _likely(Posterior(self.suspected, fits))


def _likely(posterior: Posterior) -> Posterior:
    """Return the hypotheses that are not out of the question."""
    probability = posterior.probability
    rows = np.flatnonzero(probability > probability.max() * np.exp(-_DROPPED))
    fits = {kind: fit[:, rows] for kind, fit in posterior.fits.items()}
    return Posterior(posterior.suspected.of(rows), fits)


#: Measured over expected bandwidth of two hosts without a fault, over the interval of it.
_LEVELS: dict[CollectiveKind, Floats] = {
    CollectiveKind.ALL_REDUCE: np.linspace(LEAST[CollectiveKind.ALL_REDUCE], 1.0, 9) / USUAL,
    CollectiveKind.ALL_TO_ALL: np.linspace(0.7, 1.1, 9) / USUAL,
}
#: How it falls: by the number of pairs of hosts to the power of minus this. Kernels that exchange
#: over leaves with four uplinks (tests/reallab/slow_cluster.py) showed 0.2 to 0.3; the range is
#: our choice.
_FALLS: dict[CollectiveKind, Floats] = {
    CollectiveKind.ALL_REDUCE: np.zeros(1),
    CollectiveKind.ALL_TO_ALL: np.linspace(0.0, 0.3, 4),
}
_USUAL_FALL = 0.1


def calibration(trial: BandwidthTest) -> Floats:
    """Return measured over expected bandwidth without a fault: each level with each fall."""
    falls = (len(trial.hosts) / 2) ** -_FALLS[trial.kind]
    return np.asarray((_LEVELS[trial.kind][:, None] * falls).reshape(-1))


def _calibration_prior(kind: CollectiveKind) -> Floats:
    """Return the logarithm of the probability of each: the middle level and no fall are likely."""
    levels = _LEVELS[kind]
    odds = -0.5 * ((levels - levels.mean()) / (levels.std() + 1e-9)) ** 2
    weight = np.exp(odds[:, None] - _FALLS[kind] / _USUAL_FALL).reshape(-1)
    return np.asarray(np.log(weight / weight.sum()))


def _table(measured: float, share: Floats, errors: Floats, usual_shares: Floats) -> Floats:
    """Return the logarithm of the likelihood of a result: (calibrations, predictions)."""
    middle = usual_shares[:, None] * share
    error = middle * errors
    density = np.exp(-0.5 * ((measured - middle) / error) ** 2) / error / np.sqrt(2 * np.pi)
    return np.asarray(np.log((1 - _STRAY) * density + _STRAY * _STRAY_DENSITY))


def unexplained(
    fabric: Fabric, network: Clos, posterior: Posterior, observed: Sequence[Observed]
) -> list[int]:
    """Return the results that the likeliest hypothesis does not explain, by number."""
    best: Ints = np.array([int(posterior.probability.argmax())])
    hypothesis = posterior.suspected.of(best)
    far = []
    for number, one in enumerate(observed):
        prediction = predict(fabric, network, one.trial, hypothesis)
        share = float(prediction.share[0]) if prediction.rails[0] else 1.0
        fit = posterior.fits[one.trial.kind][:, best[0]]
        middle = share * float(calibration(one.trial)[int(fit.argmax())])
        wide = float(prediction.error[0])
        error = middle * float(np.linalg.norm([wide, NOISE, _MORE_NOISE[one.trial.kind]]))
        if abs(one.share - middle) > _FAR * error:
            far.append(number)
    return far

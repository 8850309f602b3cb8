"""Where the chunks stand on the map: one fit that is kept, newcomers placed by it, and a new fit when it is asked for.

A map does not move unasked. Only where there is none yet, or under half of it is left, is one fitted by itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from inspector import vector_tasks
from inspector.embedding.cache import StoredLayout
from inspector.embedding.models import Model
from inspector.embedding.projection import (
    FEWEST_FOR_UMAP,
    LARGEST_FIT,
    USUAL_FIT,
    Layout,
    MapFit,
    place_newcomers,
)
from inspector.embedding.search import Hits, Neighbours, score_all
from inspector.embedding.trust import LISTED, Survey, point_trust
from inspector.ui.runner import Failure, Landing, Lane, Runner

Vectors = NDArray[np.float32]

PCA, UMAP, KEPT, KEEP = "pca", "umap", "kept", "keep"
NEIGHBOURS, PLACE, SURVEY = "neighbours", "place", "survey"
LEAST_SHARE = 0.5
"""Of the map that must be left, and of the chunks that must be on it, for it to stay."""
PAIRS_AT_ONCE = 250_000
"""Newcomers times points up to which they are placed in the window's own thread: some milliseconds."""
FEW = 2_000
"""Points up to which trust is found by the worker that is up anyway."""
JOBS = (
    (Lane.CHUNK, PCA),
    (Lane.CACHE, KEPT),
    (Lane.CHUNK, PLACE),
    (Lane.CHUNK, SURVEY),
    (Lane.PROJECT, NEIGHBOURS),
    (Lane.PROJECT, UMAP),
    (Lane.PROJECT, SURVEY),
)


class LayoutKeeper(QObject):
    """Keeps the layout in step with the chunks' vectors; all that takes long is done in worker processes."""

    changed = Signal()  # another layout
    surveyed = Signal()  # its trust is known
    stage_changed = Signal(str)
    failed = Signal(str)
    relaid = Signal(object, object)  # StoredLayout before and after a re-layout that was asked for

    def __init__(self, runner: Runner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner = runner
        self._model: Model | None = None
        self._folder = ""
        self._fit = USUAL_FIT
        self._digests: tuple[str, ...] = ()
        self._matrix: Vectors | None = None
        self._base: StoredLayout | None = None  # the last fit, of the chunks there were then
        self._is_base_known = False  # whether the cache was asked for it
        self._fitting: tuple[str, ...] = ()  # the digests of the fit under way
        self._fitting_matrix: Vectors | None = None
        self._is_relaying = False
        self._neighbours: Neighbours | None = None
        self._neighbours_of: tuple[str, ...] = ()
        self.layout: Layout | None = None
        self.digests: tuple[str, ...] = ()  # of the points of the layout
        self.is_new: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.survey: Survey | None = None
        self._scored: tuple[Vectors, int, Hits] | None = None  # the row whose neighbours were asked for last
        runner.landed.connect(self._on_landed)
        runner.failed.connect(self._on_failed)

    @property
    def new_count(self) -> int:
        """How many chunks were placed by their neighbours since the last fit."""
        return int(self.is_new.sum())

    @property
    def fit(self) -> MapFit:
        """How UMAP fits."""
        return self._fit

    @property
    def stored(self) -> StoredLayout | None:
        """The last fit, as `restore_layout` takes it."""
        return self._base

    @property
    def is_up_to_date(self) -> bool:
        """Whether the layout is of the chunks as they are and nothing is under way."""
        return self.layout is not None and self.digests == self._digests and not self._fitting

    def choose_fit(self, fit: MapFit) -> None:
        """Fit in another way from now on; the map of that way is looked up, or made."""
        if fit == self._fit:
            return
        self._fit = fit
        self.cancel()
        self._base, self._is_base_known = None, False
        if self._matrix is not None:
            self._go_on()

    def show(self, model: Model, folder: str, digests: Sequence[str], matrix: Vectors) -> None:
        """Give chunks, whose vectors are the rows (n, d) of a matrix, their places."""
        if (model, folder) != (self._model, self._folder):
            self.leave()
            self._model, self._folder = model, folder
        self._digests, self._matrix = tuple(digests), matrix
        self._go_on()

    def leave(self) -> None:
        """Let go of a folder, or of a model's vectors."""
        self.cancel()
        self._model, self._folder = None, ""
        self._base, self._is_base_known = None, False
        self._neighbours, self._neighbours_of = None, ()
        self._digests, self._matrix = (), None
        self._take(None)

    def clear(self) -> None:
        """Show no chunk; the last fit stays for those that come back."""
        self.cancel()
        self._digests, self._matrix = (), None
        self._take(None)

    def cancel(self) -> None:
        """Stop what is under way; the map stays as it is."""
        for lane, key in JOBS:
            self._runner.cancel(lane, key)
        self._fitting, self._fitting_matrix, self._is_relaying = (), None, False

    def relayout(self) -> bool:
        """Fit anew from where the points stand now, turned back onto them; False while that is not possible.

        The new map is told by `relaid`, with the one before, which `restore_layout` brings back.
        """
        if self._matrix is None or self.layout is None or self._base is None or self._fitting:
            return False
        if self.digests != self._digests:
            return False
        self._is_relaying = True
        self._start_fit(self.layout.coordinates)
        return True

    def restore_layout(self, stored: StoredLayout) -> None:
        """Bring a map back, as undo does: chunks that are not on it are placed by it."""
        if self._model is None or self._matrix is None:
            return
        self.cancel()
        self.stage_changed.emit("")
        self._base = stored
        key = vector_tasks.LayoutKey(self._model, self._folder, stored.digests, fit=self._fit)
        self._runner.submit(
            Lane.CACHE, vector_tasks.run_keep_layout, vector_tasks.KeepLayoutRequest(key, stored.layout), KEEP
        )
        self._arrange()

    def nearest(self, row: int) -> tuple[NDArray[np.int64], Vectors]:
        """Give a point's true neighbours, at most ten: their rows (k,) and cosine similarities (k,), best first."""
        assert self._matrix is not None
        found = self.survey
        if found is not None and len(found.rows) == len(self._matrix):
            return found.neighbours.indices[row], 1.0 - found.neighbours.distances[row]
        if self._scored is None or self._scored[0] is not self._matrix or self._scored[1] != row:
            self._scored = self._matrix, row, score_all(self._matrix[row], self._matrix, LISTED + 1)[1]
        hits = self._scored[2]
        others = hits.indices != row
        return hits.indices[others][:LISTED], hits.scores[others][:LISTED]

    def trust_of(self, row: int) -> float | None:
        """Give the share of a point's true neighbours that are among its nearest on the map."""
        if self.layout is None or self._matrix is None or len(self.layout.coordinates) != len(self._matrix):
            return None
        found = self.survey
        if found is not None and len(found.rows) == len(self._matrix):
            return float(found.shares[row])
        return point_trust(self.nearest(row)[0], self.layout.coordinates, row)

    @property
    def matrix(self) -> Vectors | None:
        """The vectors (n, d) of the chunks as they are, None while some have none."""
        return self._matrix

    def forget_vectors(self) -> None:
        """Note that the chunks have changed and not all have vectors yet; the map stays in sight."""
        self._matrix = None

    # From the chunks to a layout

    def _go_on(self) -> None:
        """Arrange the chunks by the last fit, or look for it in the cache first."""
        assert self._model is not None
        if self._is_base_known:
            self._arrange()
            return
        key = vector_tasks.LayoutKey(self._model, self._folder, self._digests, fit=self._fit)
        self._runner.submit(Lane.CACHE, vector_tasks.run_kept_layout, key, KEPT)

    def _arrange(self) -> None:
        """Leave known chunks where they are and place the others; fit where too little of the map is left."""
        if self._matrix is None:
            return
        base = self._base
        if base is not None and base.digests == self._digests:  # as at a second start: nothing to look for
            known, stays = {}, np.ones(len(self._digests), np.bool_)
        else:
            known = {} if base is None else dict(zip(base.digests, base.layout.coordinates, strict=True))
            stays = np.array([digest in known for digest in self._digests], np.bool_)
        if base is None or not self._is_enough(base, stays):
            self._fit_unasked()
            return
        if not stays.all() and int((~stays).sum()) * int(stays.sum()) > PAIRS_AT_ONCE:
            old = np.array([known[digest] for digest in self._digests if digest in known], np.float32)
            request = vector_tasks.PlaceRequest(self._matrix[~stays], self._matrix[stays], old)
            self._runner.submit(Lane.CHUNK, vector_tasks.run_place, request, PLACE)
            return
        self._put(known, stays, None)

    def _is_enough(self, base: StoredLayout, stays: NDArray[np.bool_]) -> bool:
        """Whether a map can stay: half of it is left, half of the chunks are on it, and more could not be shown."""
        left = int(stays.sum())
        if base.layout.method == "line" or left < LEAST_SHARE * max(len(stays), len(set(base.digests))):
            return base.digests == self._digests
        return base.layout.method == "umap" or len(stays) < FEWEST_FOR_UMAP

    def _put(self, known: dict[str, Vectors], stays: NDArray[np.bool_], placed: Vectors | None) -> None:
        """Show the last fit's places with the newcomers among them."""
        assert self._matrix is not None and self._base is not None
        base = self._base.layout
        if self._base.digests == self._digests:
            self._take(base)
            return
        coordinates = np.zeros((len(stays), 2), np.float32)
        old = np.array([known[digest] for digest in self._digests if digest in known], np.float32).reshape(-1, 2)
        coordinates[stays] = old
        if placed is None:
            placed = place_newcomers(self._matrix[~stays], self._matrix[stays], old)
        coordinates[~stays] = placed
        coordinates.setflags(write=False)
        note = base.note if base.method == "umap" else ""
        self._take(Layout(coordinates, base.method, note), ~stays)

    def _take(self, layout: Layout | None, is_new: NDArray[np.bool_] | None = None) -> None:
        """Make a layout of the chunks as they are the one that is shown."""
        self.layout = layout
        self.digests = self._digests if layout is not None else ()
        self.is_new = np.zeros(len(self.digests), np.bool_) if is_new is None else is_new
        self.survey = None
        self.changed.emit()
        if layout is not None and self._matrix is not None and not self._fitting:
            known = self._neighbours if self._neighbours_of == self.digests else None
            lane = Lane.CHUNK if len(self.digests) <= FEW else Lane.PROJECT
            request = vector_tasks.SurveyRequest(self._matrix, layout.coordinates, known)
            self._runner.submit(lane, vector_tasks.run_survey, request, SURVEY)

    def _fit_unasked(self) -> None:
        """PCA at once, UMAP when ready; what fits these chunks already goes on."""
        assert self._matrix is not None
        if self._fitting == self._digests:
            return
        self.cancel()
        self._start_fit(None)

    def _start_fit(self, start: Vectors | None) -> None:
        """Have the chunks laid out, from the places given or from PCA, which is shown meanwhile."""
        assert self._matrix is not None and self._model is not None
        self._fitting, self._fitting_matrix = self._digests, self._matrix
        if start is None or len(self._digests) < FEWEST_FOR_UMAP:
            key = self._key if len(self._digests) < FEWEST_FOR_UMAP else None
            request = vector_tasks.ProjectRequest(self._matrix, "pca", start=start, key=key, renew=True)
            self._runner.submit(Lane.CHUNK, vector_tasks.run_project, request, PCA)
        if len(self._digests) < FEWEST_FOR_UMAP:
            return
        self._start = start
        if self._neighbours_of == self._digests or len(self._digests) > LARGEST_FIT:
            self._start_umap()
        else:
            self.stage_changed.emit("finding neighbours")
            count = max(LISTED, self._fit.neighbours - 1)
            self._runner.submit(
                Lane.PROJECT,
                vector_tasks.run_neighbours,
                vector_tasks.NeighboursRequest(self._matrix, count),
                NEIGHBOURS,
            )

    @property
    def _key(self) -> vector_tasks.LayoutKey:
        assert self._model is not None
        return vector_tasks.LayoutKey(self._model, self._folder, self._fitting, fit=self._fit)

    def _start_umap(self) -> None:
        """Have UMAP fit from neighbours that are known by now, where there are not too many points."""
        assert self._fitting_matrix is not None
        known = self._neighbours if self._neighbours_of == self._fitting else None
        request = vector_tasks.ProjectRequest(
            self._fitting_matrix, "umap", self._fit, start=self._start, key=self._key, renew=True, known=known
        )
        self._runner.submit(Lane.PROJECT, vector_tasks.run_project, request, UMAP)
        self.stage_changed.emit("UMAP running" if self._is_relaying else "PCA shown, UMAP running")

    # What comes back

    def _on_landed(self, landing: Landing) -> None:
        key, lane, result = landing.key, landing.lane, landing.result
        if lane is Lane.CACHE and key == KEPT:
            self._is_base_known, self._base = True, result
            self._arrange()
        elif lane is Lane.CHUNK and key == PLACE:
            self._on_placed(result)
        elif key == PCA:
            self._on_fitted(result, is_last=len(result.coordinates) < FEWEST_FOR_UMAP)
        elif lane is Lane.PROJECT and key == NEIGHBOURS:
            self._neighbours, self._neighbours_of = result, self._fitting
            self._start_umap()
        elif lane is Lane.PROJECT and key == UMAP:
            self._on_fitted(result, is_last=True)
        elif key == SURVEY and self.layout is not None and self.digests == self._digests:
            self.survey = result
            self.surveyed.emit()

    def _on_placed(self, placed: Vectors) -> None:
        """Show the newcomers where the worker put them."""
        if self._base is None or self._matrix is None:
            return
        known = dict(zip(self._base.digests, self._base.layout.coordinates, strict=True))
        stays = np.array([digest in known for digest in self._digests], np.bool_)
        if len(placed) == int((~stays).sum()):
            self._put(known, stays, placed)

    def _on_fitted(self, layout: Layout, *, is_last: bool) -> None:
        """Take a fit over; where the chunks have changed meanwhile, they are placed by it."""
        if len(layout.coordinates) != len(self._fitting):
            return
        before, digests, is_asked = self._base, self._fitting, self._is_relaying
        self._base = StoredLayout(digests, layout)
        if is_last:
            self._fitting, self._fitting_matrix, self._is_relaying = (), None, False
            self.stage_changed.emit("")
        if self._digests == digests and self._matrix is not None:
            self._take(layout)
        else:
            self._arrange()
        if is_asked and is_last and before is not None:
            self.relaid.emit(before, self._base)

    def _on_failed(self, failure: Failure) -> None:
        if (failure.lane, failure.key) in ((Lane.CHUNK, PCA), (Lane.PROJECT, NEIGHBOURS), (Lane.PROJECT, UMAP)):
            self._fitting, self._fitting_matrix, self._is_relaying = (), None, False
            self.stage_changed.emit("")
            self.failed.emit(failure.message)

"""Which engine computes a model's vectors in this process, by what is here already and how much is to be done."""

from __future__ import annotations

import logging
import threading

from inspector.embedding import bfloat16, onnx_engine
from inspector.embedding.encoder import BFLOAT16, ENGINE, Encoder, SentenceTransformerEncoder
from inspector.embedding.models import ANY_ENGINE, EngineChoice, Model
from inspector.errors import CacheError
from inspector.memory import free_cycles

WORTH_IMPORTING = 500  # texts to come, for which importing torch pays: five to fifteen seconds beside the work
WORTH_TRYING = 100  # texts to come, for which a trial of two seconds pays where torch is here

log = logging.getLogger(__name__)


def open_encoder(model: Model, allow_download: bool) -> Encoder:
    """Make the sentence-transformers encoder of a model; a ModelError says what to do."""
    return SentenceTransformerEncoder(model, allow_download=allow_download)


class Engines:
    """One model's encoder at a time.

    The exported file serves where it is here, else sentence-transformers. Where many texts are to come and bfloat16 may
    serve, it is made ready in a thread beside the work, and takes over.
    """

    def __init__(self) -> None:
        """Begin with nothing loaded; `notices` is what there is to say of files that could not be used."""
        self.notices: list[str] = []
        self.encoder: Encoder | None = None
        self._wanted: tuple[Model, EngineChoice] | None = None
        self._lowering: _Lowering | None = None
        self._is_damaged = False  # the exported file

    def get(
        self, model: Model, revision: str, choice: EngineChoice, *, allow_download: bool = False, to_come: int = 0
    ) -> Encoder:
        """Give the encoder that serves now; `to_come` counts the texts that are to follow."""
        if self._wanted != (model, choice):
            self._let_go(model)
        self._wanted = model, choice
        if choice == ANY_ENGINE:
            self._take_lowered()
            if self.encoder is None or self.encoder.engine == ENGINE:
                self._open_exported(model, revision)
        if self.encoder is None:
            self.encoder = open_encoder(model, allow_download)
        if choice == ANY_ENGINE and self._lowering is None and self._is_worth_lowering(revision, to_come):
            self._lowering = _Lowering(model, revision, self.encoder)
        return self.encoder

    def _let_go(self, model: Model) -> None:
        """Forget what another model or choice needed; sentence-transformers serves every choice."""
        if self._lowering is not None:
            self._lowering.is_wanted = False
        lets_go = self._lowering is not None
        self._lowering, self._is_damaged = None, False
        is_same = self._wanted is not None and self._wanted[0] == model
        stays = is_same and self.encoder is not None and self.encoder.engine == ENGINE
        if not stays:
            lets_go |= self.encoder is not None
            self.encoder = None
        if lets_go:
            free_cycles()

    def _take_lowered(self) -> None:
        """Let bfloat16 take over once it is ready, and free the network in float32, or the copy that is no good."""
        if self._lowering is not None and self._lowering.is_done:
            self.encoder = self._lowering.result or self.encoder
            self._lowering.is_done, self._lowering.result = False, None
            free_cycles()

    def _open_exported(self, model: Model, revision: str) -> None:
        """Let the exported file serve, where it can be used."""
        if self._is_damaged or not onnx_engine.is_ready(revision):
            return
        has_network = self.encoder is not None
        try:
            self.encoder = onnx_engine.open_exported(model, revision)
            if has_network:
                free_cycles()
        except CacheError as error:
            self.notices.append(error.message)
            self._is_damaged = onnx_engine.is_ready(revision)  # else it was set aside, and another may be made

    def _is_worth_lowering(self, revision: str, to_come: int) -> bool:
        is_here = isinstance(self.encoder, SentenceTransformerEncoder)
        least = WORTH_TRYING if is_here else WORTH_IMPORTING
        may_be_lowered = is_here or isinstance(self.encoder, onnx_engine.OnnxEncoder)
        return may_be_lowered and to_come >= least and bfloat16.may_serve(revision)


class _Lowering:
    """A thread that makes a model ready in bfloat16; once `is_done`, `result` is what may serve, if anything."""

    def __init__(self, model: Model, revision: str, encoder: Encoder) -> None:
        """Begin, with the network that is here or with one to be loaded."""
        self.result: SentenceTransformerEncoder | None = None
        self.is_done = False
        self.is_wanted = True
        self._model = model
        self._revision = revision
        threading.Thread(target=self._run, args=[encoder], name=BFLOAT16).start()

    def _run(self, encoder: Encoder) -> None:
        """Stop where it is not wanted any more, before what takes long."""
        try:
            if not bfloat16.find_units(self._revision) or not self.is_wanted:
                return
            if not isinstance(encoder, SentenceTransformerEncoder):
                encoder = open_encoder(self._model, False)
            if self.is_wanted and isinstance(encoder, SentenceTransformerEncoder):
                self.result = bfloat16.lower(encoder)
        except Exception as error:  # whatever it is, the engine that serves goes on
            log.info("the model cannot be loaded for bfloat16: %s", error)
        finally:
            del encoder
            self.is_done = True

"""Errors of the world outside a document: each carries attributes and a message that says what to do."""

from __future__ import annotations


class InspectorError(Exception):
    """Something outside the documents is wrong; `message` is one plain sentence or two for the author."""

    def __init__(self, message: str, *, subject: str = "") -> None:
        """Keep the message and the file, folder or name it is about."""
        super().__init__(message)
        self.message = message
        self.subject = subject

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle with its attributes, so that it can cross a process boundary."""
        return _rebuild, (type(self), self.message, self.subject)


class ModelError(InspectorError):
    """A model cannot be found, read or loaded."""


class CacheError(InspectorError):
    """A file of the cache cannot be used."""


class WorkerError(InspectorError):
    """A worker process stopped and could not be brought back."""


class SettingsError(InspectorError):
    """A settings file cannot be read or written."""


class FolderError(InspectorError):
    """A folder of documents cannot be read."""


class ChunkFileError(InspectorError):
    """A file of another program's chunks cannot be read."""


class StrategyError(InspectorError):
    """A strategy of another program failed, hung, or is not installed."""


def _rebuild(kind: type[InspectorError], message: str, subject: str) -> InspectorError:
    """Make an error again from its pickled attributes."""
    return kind(message, subject=subject)

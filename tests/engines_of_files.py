"""The engines that read files and frames: all, but those of data that lives in a database."""

from sfumato.engines.protocol import ENGINES

OF_FILES = [name for name in ENGINES if name != "postgres"]  # which has tests of its own

"""Files of a source from a profile set, as data frames."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from rarlib.model.errors import InputError


class SourceFiles(NamedTuple):
    """Files of a source.

    Attributes:
        kinds: file -> column -> kind of its values.
        gaps: file -> columns in which a field may be empty.
    """

    kinds: Mapping[str, Mapping[str, type]]
    gaps: Mapping[str, tuple[str, ...]]


def frames_of(source: str, data: Mapping[str, Any], files: SourceFiles) -> dict[str, pd.DataFrame]:
    """From a profile set: for each file a list of values by column.

    Args:
        source: its name, for messages.
        data: file -> column -> values.
        files: what they must hold.

    Raises:
        InputError: a file or a column is missing, or a value is not of its kind.
    """
    frames = {}
    for file, columns in files.kinds.items():
        held = data.get(file)
        if not isinstance(held, Mapping) or held.keys() != columns.keys():
            raise InputError(f"needs the columns {', '.join(columns)}", file=source, field=file)
        try:
            frames[file] = pd.DataFrame({name: pd.Series(held[name], dtype=kind) for name, kind in columns.items()})
        except (ValueError, TypeError) as error:
            raise InputError(f"holds a value that cannot be read: {error}", file=source, field=file) from None
    return frames

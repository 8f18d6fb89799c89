"""The example game, copied, whole or broken in a declared way."""

import json
import shutil
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "littlejs"
VARIANTS = Path(__file__).resolve().parent / "variants"


@dataclass(frozen=True)
class Variant:
    """One way in which the example is broken."""

    name: str
    failed: tuple[str, ...]
    staged: bool
    replacements: tuple[dict[str, Any], ...]


def variants() -> list[Variant]:
    found = []
    for path in sorted(VARIANTS.glob("*.toml")):
        told = tomllib.loads(path.read_text(encoding="utf-8"))
        found.append(Variant(path.stem, tuple(told["failed"]), told.get("staged", True), tuple(told["replace"])))
    return found


def copy_of(folder: Path, variant: Variant | None = None) -> Path:
    """Copy the example into a new folder, and break it. A replacement that does not fit exactly once is an error."""
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("node_modules", "evidence", "play-spec.json"))
    if variant is not None:
        # What is played in two seconds when it is whole need not be played for eight when it is broken.
        spec = json.loads((folder / "gatespec.json").read_text(encoding="utf-8"))
        spec["progress"]["seconds"] = 4
        (folder / "gatespec.json").write_text(json.dumps(spec), encoding="utf-8")
    for one in variant.replacements if variant is not None else ():
        path = folder / one["file"]
        text = path.read_text(encoding="utf-8")
        assert text.count(one["old"]) == 1, f"{variant and variant.name}: {one['old']!r} is not in {one['file']} once"
        path.write_text(text.replace(one["old"], one["new"]), encoding="utf-8")
    return folder

"""Every vector: real programs that were run, with the signature that they should have."""

import json
from pathlib import Path
from typing import Any

import pytest

from evalgate.stack import signature

DATA = Path(__file__).parents[2] / "data"


def _vectors(name: str) -> list[Any]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [pytest.param(vector, id=vector["id"]) for vector in map(json.loads, lines)]


@pytest.mark.parametrize("vector", _vectors("signature_vectors.jsonl") + _vectors("signature_vectors_own.jsonl"))
def test_vector(vector):
    assert signature(vector["stderr"]) == vector["expected"], vector["note"]


def test_own_vectors_tell_nothing_of_the_machine():
    text = (DATA / "signature_vectors_own.jsonl").read_text(encoding="utf-8")
    assert "/tmp/" not in text
    assert "/root" not in text


JOIN = [
    ["n01-enoent-readlink", "x30-crlf-n01", "d07-dsh-race-readlink", "n2018-enoent", "n2022-enoent"],
    ["n11-econnrefused-event", "n157-color-uncaught", "x32-crlf-n11"],
    ["n90-cause", "x31-crlf-n90"],
    ["n143-windows", "n140-path-parens"],
    ["p09-chain-from", "x36-ansi-p09"],
    ["t03-tsc-es2022", "t06-sourcemaps", "t08-esbuild-bundle"],
]
APART = [
    ["n35-builtin-jsonparse", "n36-builtin-jsonparse2"],
    ["n90-cause", "n91-cause-other"],
    ["n215-fetch-refused-other", "n2022-fetch"],
    ["n25-as-alias", "n26-as-alias-other"],
]


def _answers(ids):
    vectors = {param.values[0]["id"]: param.values[0] for param in _vectors("signature_vectors.jsonl")}
    return [signature(vectors[name]["stderr"]) for name in ids]


@pytest.mark.parametrize("ids", JOIN)
def test_one_cause_is_one_group(ids):
    assert len(set(_answers(ids))) == 1


@pytest.mark.parametrize("ids", APART)
def test_two_causes_are_two_groups(ids):
    assert len(set(_answers(ids))) == len(ids)

"""A few hundred mutated vectors; benchmarks/signature_fuzz.py runs as many as you like."""

import random

from benchmarks.signature_fuzz import complaints, load, mutate
from evalgate.stack import explain


def test_mutated_vectors():
    texts, rng = load(), random.Random(20)
    for _ in range(600):
        text = mutate(texts, rng)
        reading = explain(text)
        assert not list(complaints(text, reading)), repr(text)

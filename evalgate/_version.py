"""The version, in one place: the package metadata is built from it and `evalgate --version` prints it."""

__version__ = "0.1.0"

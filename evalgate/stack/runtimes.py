"""The runtimes whose crashes are read. A new one is a file like python.py and a line here."""

from evalgate.stack import dsh_line, node, python
from evalgate.stack.draft import Runtime

RUNTIMES: tuple[Runtime, ...] = (node.RUNTIME, python.RUNTIME, dsh_line.RUNTIME)
"""
In the order in which they are asked. Go, Rust, Java, .NET, Ruby, PHP, Perl, shells and compilers are missing on
purpose: they print no line with an error code of this kind, and a class or a message is not enough to group by.
"""

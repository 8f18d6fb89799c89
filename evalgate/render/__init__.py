"""
What a judgement looks like: one output, one file.

A renderer decides nothing, prints nothing and asks no terminal; it knows no rule by name.
"""

"""Positions as rows: every change is one version and one transition, in one statement.

`slots` says, purely, which positions a new one can meet; `neighbours` locks those in the one order that all keep.
"""

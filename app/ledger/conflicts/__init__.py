"""Conflict cases between profiles: opened with the position that causes them, decided, withdrawn, opened again.

`cases` opens and lists, `decisions` closes, `events` keeps the story, `withdrawal` settles what loses its
other side.
"""

"""Conflict cases between profiles: opened with the position that causes them, decided, withdrawn, opened again.

`consequences` says what follows from a position that holds, `entrance` is the one step by which one comes to stand
beside others, `cases` opens and lists, `decisions` decides, `closing` ends what has no conflict any more, `events`
keeps the story, `withdrawal` settles what loses its other side, `crowding` what a changed predicate makes rivals.
"""

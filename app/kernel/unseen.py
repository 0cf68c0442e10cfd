r"""The characters that no reader sees, in one place for Python and for PostgreSQL. Pure.

Both read `\uXXXX` and `\UXXXXXXXX` in a bracket expression, so one text serves them. Source: the code points with
the Unicode property Default_Ignorable_Code_Point that are assigned, and the marks of interlinear annotation.
"""

from typing import Final, LiteralString

# What stands between the brackets of a class; a range is written as in either dialect.
UNSEEN: Final[LiteralString] = (
    r"\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F"
    r"\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF9-\uFFFB\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A"
    r"\U000E0000-\U000E0FFF"
)

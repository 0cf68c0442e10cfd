r"""The scripts whose words stand side by side without a space, in one place. Pure.

Han, kana, Hangul, Thai, Lao, Khmer, Burmese; Hangul for the particles that follow a name without a space.
"""

from typing import Final, LiteralString

# What stands between the brackets of a class.
UNSPACED: Final[LiteralString] = (
    r"\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3005-\u3007\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF"
    r"\uAC00-\uD7A3\uF900-\uFAFF\U00020000-\U000323AF"
)

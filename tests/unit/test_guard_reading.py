"""A text as it is read: nothing is lost, and everything that is read is written somewhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.remember.guard.mask import mask_text
from app.remember.guard.reading import read
from app.remember.guard.secret_formats import MASK

ODD = st.text(st.sampled_from("aZ1 =\u200b\u00ad\u0301\ufb01\uff41é한ﷺ\U000e0041а\ud800\n"), max_size=40)


@given(st.one_of(ODD, st.text(max_size=80)))
def test_what_is_read_is_written_somewhere_in_the_same_order(text: str) -> None:
    as_read = read(text)
    if not as_read.starts:
        assert len(as_read.text) == len(text) or not as_read.text
        return
    assert len(as_read.text) == len(as_read.starts) == len(as_read.ends)
    assert as_read.starts == sorted(as_read.starts)
    assert all(0 <= start < end <= len(text) for start, end in zip(as_read.starts, as_read.ends, strict=True))


@given(st.text(alphabet=st.characters(codec="ascii")))
def test_plain_text_is_read_as_it_is_written(text: str) -> None:
    assert read(text).text == text


def test_what_nobody_sees_is_not_read() -> None:
    points = (0xAD, 0x34F, 0x200B, 0x202E, 0x2060, 0x3164, 0xFE0F, 0xFEFF, 0xE0041)
    assert read(f"gh{''.join(map(chr, points))}p_").text == "ghp_"
    assert read("ｇｈｐ＿").text == "ghp_"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("pass\u200bword: hun\u200bter2!\u200b now", f"pass\u200bword: {MASK * 9}\u200b now"),
        ("ｐｗ＝ｈｕｎｔｅｒ２", f"ｐｗ＝{MASK * 7}"),
        ("ﬁle: password=ﬁsh77x, ok", f"ﬁle: password={MASK * 6}, ok"),
        ("Der Rаum: раssword: hunter2", f"Der Rаum: раssword: {MASK * 7}"),
    ],
)
def test_a_secret_is_masked_where_it_is_written(text: str, masked: str) -> None:
    assert mask_text(text).text == masked

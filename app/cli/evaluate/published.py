"""The three public sets, pinned by hash: found in a folder, or fetched into it.

A file whose SHA-256 is another is not used, wherever it comes from. No address is built in: who asks for a
fetch says from where, as the address of a folder with kinships/train.txt and its like below it.
"""

import hashlib
import urllib.error
import urllib.request
from pathlib import Path
from typing import Final

from app.cli.evaluate.triples import Split, read_split
from app.kernel.errors import SetupError

PINNED: Final = {
    "kinships/train.txt": "738612111a6acf0e39662bde24c7e72a4d1edf20931beea077da367dda689731",
    "kinships/valid.txt": "c56f8630a583178b1e569f11a64aa535ae1ce0b0912d8b1e24716be2b37f04da",
    "kinships/test.txt": "05e5733265761d55be9c05bfaff5a8d0808df46f9c1e9d66cc3f2fe114e43d88",
    "umls/train.txt": "873ef4925516b83e7f6f8cc02b4be51d848828710a7f65a956f0ac4a9e452f35",
    "umls/valid.txt": "025c98f8a4891e2a6582ec5b40ee0d904031edad9c52554522f4b7904820c98e",
    "umls/test.txt": "a7eb529a3d2810fcc96341ccc97c625a5e202f8389673aa6bd317eeebbb79014",
    "nations/train.txt": "0830fa9da8e5bba2ccdaa45b7bdc9130451ba66b09ff2708f35fccaf82473e57",
    "nations/valid.txt": "2b337a62e51a2f45c283eac98a70d21b7e0e102136be1539b2a52c652a7b0530",
    "nations/test.txt": "3971085165b47b6aeaec68058c6d8d98b3005e929db81268410b95ae4db770ab",
}
SETS: Final = ("kinships", "umls", "nations")
TIMEOUT_SECONDS: Final = 30
_MOST_BYTES: Final = 10_000_000


def read_published(folder: Path, *, url: str | None) -> list[Split]:
    """Return the three sets; what is missing in the folder is fetched into it, where there is an address.

    Raises:
        SetupError: a file is missing and cannot be fetched, or is not the pinned one.
    """
    for name in PINNED:
        path = folder / name
        if not path.exists():
            if url is None:
                raise SetupError(
                    f"{path} is missing, and there is no address to fetch it from. Give a folder that has the"
                    " public triples (--data DIR), or the address of one (--url, DENSEMEM_TRIPLES_URL).",
                    code="no_triples",
                )
            content = _fetch(f"{url.rstrip('/')}/{name}")
            _check(content, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        _check(path.read_bytes(), name)
    return [read_split(folder / name) for name in SETS]


def _check(content: bytes, name: str) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != PINNED[name]:
        raise SetupError(
            f"{name} is not the file that the figures are for: its SHA-256 is {found}, not {PINNED[name]}.",
            code="other_triples",
        )


def _fetch(address: str) -> bytes:
    if not address.startswith(("https://", "http://")):
        raise SetupError("The triples are fetched by https or http only.", code="no_triples")
    try:
        with urllib.request.urlopen(address, timeout=TIMEOUT_SECONDS) as answer:
            content: bytes = answer.read(_MOST_BYTES)
    except (urllib.error.URLError, TimeoutError, OSError) as error:
        reason = getattr(error, "reason", None) or error
        raise SetupError(f"{address} cannot be fetched: {reason}.", code="no_triples") from error
    return content

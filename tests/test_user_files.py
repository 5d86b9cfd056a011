from pathlib import Path

import pytest

from auditor.errors import UsageError
from auditor.importing.source import ImportSource
from auditor.reports.labels import read_labels
from auditor.reports.strata import read_sizes
from auditor.user_files import MOST_BYTES, read_whole

DEVICE = Path("/dev/zero")


@pytest.mark.parametrize(
    "read",
    [
        lambda: read_labels([DEVICE]),
        lambda: read_sizes(DEVICE, ()),
        lambda: ImportSource(DEVICE),
    ],
    ids=["labels", "sizes", "import"],
)
def test_a_device_is_no_file_of_a_users(read):
    with pytest.raises(UsageError, match="/dev/zero: neither a regular file nor a pipe"):
        read()


def test_a_file_may_be_as_long_as_is_said_and_no_byte_longer(tmp_path):
    path = tmp_path / "sparse"
    for length in (MOST_BYTES, MOST_BYTES + 1):
        with path.open("wb") as file:
            file.truncate(length)
        if length == MOST_BYTES:
            assert len(read_whole(path)) == MOST_BYTES
        else:
            with pytest.raises(ValueError, match="longer than 32 MiB"):
                read_whole(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('domain,n\n"public,3\n', ":2: no CSV: unexpected end of data; allowed: each quoted"),
        (f"domain,n\n{'x' * 200_000},3\n", ":2: no CSV: field larger than field limit"),
        ("", ':1: columns: value "none"; allowed: n'),
    ],
)
def test_sizes_that_are_no_csv_are_refused_by_line(tmp_path, text, said):
    path = tmp_path / "sizes.csv"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError) as caught:
        read_sizes(path, ())
    assert caught.value.message.startswith(f"{path}{said}")

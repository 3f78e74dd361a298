"""How much memory control groups leave, as Linux writes it."""

import pytest

from sfumato.engines.duckdb.connection.instance import MEMORY_LIMIT, _within
from sfumato.memory import left_in_groups

GB = 1 << 30


def system(root, lines, files):
    for name, text in {"proc/self/cgroup": lines, **files}.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return root


V2, V1 = "sys/fs/cgroup", "sys/fs/cgroup/memory"


@pytest.mark.parametrize(
    ("lines", "files", "left"),
    [
        ("", {}, None),
        ("0::/\n", {}, None),
        ("0::/\n", {f"{V2}/memory.max": "max\n", f"{V2}/memory.current": "5\n"}, None),
        ("0::/\n", {f"{V2}/memory.max": "100\n", f"{V2}/memory.current": "30\n"}, 70),
        ("0::/\n", {f"{V2}/memory.max": "100\n", f"{V2}/memory.current": "130\n"}, 0),
        ("0::/\n", {f"{V2}/memory.max": "100\n"}, 100),
        ("0::/\n", {f"{V2}/memory.max": "damaged\n"}, None),
        (
            "0::/\n",
            {
                f"{V2}/memory.max": "100\n",
                f"{V2}/memory.current": "90\n",
                f"{V2}/memory.stat": "anon 20\ninactive_file 60\n",
            },
            70,
        ),
        (  # the parents' limits hold as well
            "0::/a/b\n",
            {
                f"{V2}/a/memory.max": "50\n",
                f"{V2}/a/memory.current": "10\n",
                f"{V2}/a/b/memory.max": "100\n",
                f"{V2}/a/b/memory.current": "10\n",
            },
            40,
        ),
        (
            "12:cpu,cpuacct:/x\n4:memory:/job\n0::/\n",
            {
                f"{V1}/memory.limit_in_bytes": "9223372036854771712\n",
                f"{V1}/job/memory.limit_in_bytes": "1000\n",
                f"{V1}/job/memory.usage_in_bytes": "400\n",
                f"{V1}/job/memory.stat": "inactive_file 1\ntotal_inactive_file 100\n",
            },
            700,
        ),
        (  # a container that sees its group at the root, named as from outside
            "4:memory:/docker/0123\n",
            {f"{V1}/memory.limit_in_bytes": "1000\n", f"{V1}/memory.usage_in_bytes": "1\n"},
            999,
        ),
    ],
)
def test_control_groups_say_what_is_left(tmp_path, lines, files, left):
    assert left_in_groups(system(tmp_path, lines, files)) == left


def test_without_such_files_there_is_no_limit(tmp_path):
    assert left_in_groups(tmp_path) is None


def test_an_engine_takes_a_share_of_what_is_left():
    assert _within(None, None) == {"memory_limit": MEMORY_LIMIT}
    assert _within(None, 8 * GB) == {"memory_limit": MEMORY_LIMIT}
    assert _within(None, 2 * GB) == {"memory_limit": "512MB"}
    assert _within(2 * GB, None) == {"memory_limit": "256MB", "threads": "1"}
    assert _within(2 * GB, GB // 2) == {"memory_limit": "128MB", "threads": "1"}
    assert _within(GB, 3 * GB) == {"memory_limit": "128MB", "threads": "1"}

"""The live view computes without heavy libraries."""

import subprocess
import sys

PROGRAM = """
import sys
import auditor.statistics as statistics
from auditor import protocols
from auditor.protocols.spatial_explicit.statistics import headlines
from auditor.protocols.stories.statistics import headlines as story_headlines
statistics.two_sided_p(3000, 10_000)
statistics.wilson_interval(3, 10)
headlines("m", [({"space": "bar", "prompt": "1", "temperature": 1.0}, {"men": 3000})])
story_headlines("m", [({"occupation": "baker"}, {"male": 3, "female": 5})])
for name in protocols.names():
    protocols.get(name).headlines("m", [])
print(sorted({"scipy", "numpy", "pandas", "pydantic"} & set(sys.modules)))
"""


def test_import_and_headlines_load_no_heavy_library():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout == "[]\n"

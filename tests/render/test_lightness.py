import subprocess
import sys


def test_rich_is_loaded_only_to_draw() -> None:
    code = "import sys, assay.render; assert 'rich' not in sys.modules and 'selectolax' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)

"""Make the plugin's own environment, once, in the background; then do the first mining."""

import os
import shutil
import subprocess
import sys
import time
import venv

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)


def main():  # type: () -> int
    """Install mempalace from the plugin's folder into an environment of its own, and mine."""
    from mempalace import runtime, trajectory

    environment, palace, *places = sys.argv[1:]
    making = runtime.making(environment)
    try:
        os.makedirs(making)  # whoever makes it does the work; everybody else goes
    except FileExistsError:
        return 0
    python = os.path.join(environment, runtime.BIN, runtime.PYTHON)
    try:
        venv.create(environment, with_pip=True, clear=True)
        install = [python, "-m", "pip", "install", "--quiet", ROOT + "[mcp]"]
        subprocess.run(install, check=True, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError) as error:
        trajectory.record(palace, {"at": int(time.time()), "hook": "settle", "failed": str(error)})
        shutil.rmtree(environment, ignore_errors=True)
        open(runtime.failed(environment), "w").close()
        return 1
    finally:
        os.rmdir(making)
    return subprocess.call([python, "-m", "mempalace", "mine", "--quiet", "--nice", "--palace", palace, *places])


if __name__ == "__main__":
    sys.exit(main())

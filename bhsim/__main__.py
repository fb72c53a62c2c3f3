"""``python -m bhsim``, and the entry point of the ``bhsim`` script.

What the command line needs is imported inside, so that a stop in the first tenths of a second ends as tidily as any other.
"""

import os
import sys


def main() -> None:
    """Runs the command line."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # matrices are small here, and threads are for games
    try:
        from bhsim.cli.stopping import heed_sigterm

        heed_sigterm()
        from bhsim.cli.app import main as run

        run()
    except KeyboardInterrupt as stop:
        from bhsim.cli.stopping import exit_code

        print("interrupted", file=sys.stderr)
        sys.exit(exit_code(stop))


if __name__ == "__main__":
    main()

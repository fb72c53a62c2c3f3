"""``python -m bhsim``."""

from bhsim.cli.app import main

main()

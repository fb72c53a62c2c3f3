"""The number that results are comparable by. Imports nothing."""

# Moves when the outcome of any game moves (rules, luck, bots), and only then; golden totals guard it.
BEHAVIOUR_VERSION = 1

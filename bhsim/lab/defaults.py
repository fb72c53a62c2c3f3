"""What a run has where nobody asks for anything else. Apart, since the CLI says it in its help before anything heavy is loaded."""

SEED = 1
GAMES = 10_000  # of a match-up
BUILDS, GAMES_OF_BUILD = 100, 400  # drawn by lot
PILOT_GAMES = 2_000
SEARCH_GAMES = 200_000  # of a search for the best build
FINALISTS = 4
META_GAMES = 2_000  # of each match-up of a field
MARGIN = 1.0  # percent points that are as good as none
CONFIRM_GAMES = 40_000  # of an answer against each crew of the mixture
START, STARTERS = "purple", ("purple", "green")  # crews

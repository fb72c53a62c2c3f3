"""bhsim: plays tabletop designs by the million and says what the numbers on the cards do."""

__version__ = "0.1.0"

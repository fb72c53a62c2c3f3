"""Reading what people write by hand, and saying exactly what is wrong with it and where. Knows no game."""

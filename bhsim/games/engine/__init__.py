"""What the compiled engines of all games share: the decorators, the cache of kernels, luck, and sets as bits."""

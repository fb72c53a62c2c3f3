"""The command line: each module holds a group of verbs, which parse, call one function, print and choose the exit code."""

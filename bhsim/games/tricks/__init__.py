"""The trick-taking game "Black Hat": tricks are won to move hackers over a board of accounts; fewest points win."""

"""The player: a game bundled, started in a real browser and played, so that its gates have real values."""

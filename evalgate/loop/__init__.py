"""The gate inside the loop: one run's verdict judged, and the rounds of a run kept."""

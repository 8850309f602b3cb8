"""Two ways to chunk the same source, side by side: metrics, where their boundaries agree, and what changed."""

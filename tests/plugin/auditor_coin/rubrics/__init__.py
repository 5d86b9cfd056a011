"""The rubric files of the protocol `coin`, as `coin/...`."""

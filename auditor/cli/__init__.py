"""The command line: thin commands over the scheduler, the store and the reports."""

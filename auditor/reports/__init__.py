"""Reports: what is written out of a store, and how it is explained."""

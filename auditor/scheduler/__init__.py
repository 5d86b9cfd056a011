"""The scheduler: turns a spec into a plan and drives the agents that carry it out."""

"""What the candidates are called in tables."""

FLOOR_1 = "bare aiohttp + SQLite (floor 1)"
FLOOR_2 = "openai SDK (floor 2)"
PEER = "inspect-ai (peer)"
HTTP = "auditor run, HTTP"
SIM = "auditor run, sim:"
SIM_ALONE = "simulated answers alone"

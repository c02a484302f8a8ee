"""Which element types each target takes, from the instruction table."""

import json
import subprocess
from .formats import ARITHMETIC

TARGETS = ["a2a3", "a5", "cpu"]


class Table:
    """The output of `pto isa --json`."""

    def __init__(self, pto):
        text = subprocess.run([pto, "isa", "--json"], capture_output=True, text=True, check=True).stdout
        self.rows = {row["name"]: row for row in json.loads(text)}

    def targets(self, op, d):
        types = self.rows[op]["types"]
        return [t for t in TARGETS if d in types.get(t, [])]

    def types(self, op, wanted=ARITHMETIC):
        """The wanted types that some target takes."""
        return [d for d in wanted if self.targets(op, d)]

    def on(self, op):
        """The targets that have the instruction."""
        return [t for t in TARGETS if t in self.rows[op]["targets"]]

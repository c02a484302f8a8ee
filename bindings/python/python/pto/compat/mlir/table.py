"""The instruction table as data: what rows and enumerations there are. Nothing here lists instructions."""

import functools
import re

from pto import _core


def normal(name):
    """A name without what spellings differ in: case, underscores and dots."""
    return re.sub(r"[_.]", "", name).lower()


class Row:
    """An operation of the table."""

    def __init__(self, data):
        #: Rows of host dialects have the dialect in their names.
        self.full_name = f"{data['dialect']}.{data['name']}" if data["dialect"] else data["name"]
        self.dialect, _, self.name = self.full_name.partition(".")
        self.aliases = data["aliases"]
        #: Operands in the order of the generic form.
        self.slots = data["slots"]
        self.results = data["results"]
        self.attrs = data["attrs"]
        self.regions = data["regions"]
        self.slot_names = {normal(s["name"]): i for i, s in enumerate(self.slots)}
        self.attr_names = {normal(n): a for a in self.attrs for n in (a["name"], *a["aliases"])}


@functools.cache
def data():
    return _core.instruction_table()


@functools.cache
def rows(dialect):
    """The rows of a dialect by their normal names."""
    found = {}
    for row in all_rows():
        if row.dialect == dialect:
            for name in (row.name, *row.aliases):
                found.setdefault(normal(name.removeprefix(f"{dialect}.")), row)
    return found


@functools.cache
def all_rows():
    return [Row(entry) for entry in data()["rows"]]


@functools.cache
def full_names():
    """Every accepted operation name, with its row."""
    found = {}
    for row in all_rows():
        for name in (row.name, *row.aliases):
            found[name if name.startswith(f"{row.dialect}.") else f"{row.dialect}.{name}"] = row
    return found


@functools.cache
def enumerations():
    """Enumerations by their normal names."""
    return {normal(e["name"]): e for e in data()["enums"]}

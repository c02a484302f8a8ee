"""Enumerations of the table as classes: `CmpMode.LT`, `CmpModeAttr.get(CmpMode.LT)`."""

from . import table
from .attributes import Attribute
from .state import Context

#: Names that Python scripts use for enumerations of another name.
OTHER_NAMES = {"cmpmode": "cmp"}


class Member:
    """A value of an enumeration."""

    def __init__(self, cls, definition, name, value):
        self._cls, self._definition = cls, definition
        self.name, self.value = name, value

    def attribute(self):
        return make(self._definition, self.name)

    def __int__(self):
        return self.value

    __index__ = __int__

    def __eq__(self, other):
        if isinstance(other, Member):
            return (self._definition["name"], self.name) == (other._definition["name"], other.name)
        return isinstance(other, int) and other == self.value

    def __hash__(self):
        return hash((self._definition["name"], self.name))

    def __str__(self):
        return f"{self._cls.__name__}.{self.name}"

    __repr__ = __str__


class _Meta(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return cls._find(name)

    def __iter__(cls):
        return iter(cls._members.values())

    def __call__(cls, value):
        return cls._find(value)

    def __instancecheck__(cls, item):
        return isinstance(item, Member) and item._definition["name"] == cls._definition["name"]


def make(definition, value):
    """An attribute with a value of an enumeration."""
    name = definition["name"]
    text = {
        "dotted": f"#pto.{name}<{value}>",
        "spaced": f"#pto<{name} {value}>",
        "bare": value,
    }[definition["bracket"]]
    numbers = dict((n, k) for n, k in definition["values"])
    attribute = EnumAttr._make(text, enumeration=name, name=value, number=numbers[value])
    return attribute


class EnumAttr(Attribute):
    """A value of an enumeration as an attribute."""

    @property
    def value(self):
        return self.number

    def __int__(self):
        return self.number


def find(name):
    """The definition of an enumeration by the name of its class."""
    key = table.normal(name)
    return table.enumerations().get(OTHER_NAMES.get(key, key))


def enum_class(name, definition):
    """The class of an enumeration."""
    cls = _Meta(name, (), {"__doc__": f"Values: {', '.join(n for n, _ in definition['values'])}."})
    members = {}
    for value, number in definition["values"]:
        members[table.normal(value)] = Member(cls, definition, value, number)

    def lookup(value):
        if isinstance(value, Member):
            return value
        for member in members.values():
            if member.value == value:
                return member
        found = members.get(table.normal(str(value))) or members.get(table.normal(str(value)).removeprefix(table.normal(name)))
        if found is None:
            raise AttributeError(f"{name} has no value {value!r}; it has {', '.join(n for n, _ in definition['values'])}")
        return found

    cls._definition, cls._members, cls._find = definition, members, staticmethod(lookup)
    return cls


def attr_class(name, definition, values):
    """The attribute class of an enumeration."""

    def get(cls, value, context=None):
        if isinstance(value, Context):
            value = context
        if isinstance(value, Attribute):
            return value
        return make(definition, values._find(value).name)

    def isinstance_(cls, other):
        return isinstance(other, EnumAttr) and other.enumeration == definition["name"]

    class Meta(type):
        def __instancecheck__(cls, item):
            return isinstance_(cls, item)

    return Meta(name, (), {"get": classmethod(get), "isinstance": classmethod(isinstance_), "__doc__": f"`{definition['name']}`."})


def attribute(definition, value):
    """A Python value as a value of an enumeration."""
    if isinstance(value, Attribute):
        return value
    name = definition["name"]
    return make(definition, enum_class(name, definition)._find(value).name)

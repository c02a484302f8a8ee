"""What types and attributes have in common: their text is their identity."""


class Identity:
    """A type or an attribute. Two of one family are the same when their text is."""

    #: `Type` or `Attribute`: set by that class.
    _family = None
    #: A cast to a class is possible only from what it says is one of its own.
    _is_strict = False

    def __init__(self, cast_from=None, context=None):
        if not isinstance(cast_from, self._family):
            raise TypeError(f"{type(self).__name__} is made with `get`")
        if self._is_strict and not type(self).isinstance(cast_from):
            raise ValueError(f"{cast_from} is not a {type(self).__name__}")
        self.__dict__.update(cast_from.__dict__)

    @classmethod
    def _make(cls, text, **fields):
        self = object.__new__(cls)
        self.text = text
        self.__dict__.update(fields)
        return self

    @classmethod
    def isinstance(cls, other):
        return isinstance(other, cls)

    @property
    def context(self):
        from .state import Context

        return Context.current

    def maybe_downcast(self):
        return self

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"{self._family.__name__}({self.text})"

    def __eq__(self, other):
        return isinstance(other, self._family) and self.text == other.text

    def __hash__(self):
        return hash(self.text)

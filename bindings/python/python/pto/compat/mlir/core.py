"""A program in memory: values, operations, blocks, regions."""

from .attributes import plain
from .state import Context, Entered, MLIRError, here
from .types import Type


class Value:
    """A value: the result of an operation, or an argument of a block."""

    def __init__(self, type):
        self.type = type

    @property
    def context(self):
        return Context.current

    @property
    def location(self):
        return self.owner.location

    def get_name(self, *args, **kwargs):
        from .printer import Printer

        return Printer.name_of(self)

    def maybe_downcast(self):
        return self

    def __str__(self):
        return f"Value({self.type})"


class OpResult(Value):
    """A result of an operation."""

    def __init__(self, owner, number, type):
        super().__init__(type)
        self.owner, self.result_number = owner, number


class BlockArgument(Value):
    """An argument of a block."""

    def __init__(self, owner, number, type):
        super().__init__(type)
        self.owner, self.arg_number = owner, number

    def set_type(self, type):
        self.type = type


def as_value(item):
    """The value that an argument means: itself, or the only result of an operation."""
    if isinstance(item, Value):
        return item
    if isinstance(item, Operation):
        return item.result
    raise TypeError(f"expected a value, found {type(item).__name__}: {item!r}")


def is_value(item):
    return isinstance(item, Value) or isinstance(item, Operation) and len(item.results) == 1


class Attributes(dict):
    """The attributes of an operation by name; Python values become attributes."""

    def __setitem__(self, name, value):
        super().__setitem__(name, plain(value))


class Block:
    """Operations in order."""

    def __init__(self, region, types=()):
        self.region = region
        self.arguments = []
        self.operations = []
        for t in types:
            self.add_argument(t)

    def add_argument(self, type, loc=None):
        self.arguments.append(BlockArgument(self, len(self.arguments), type))
        return self.arguments[-1]

    @property
    def owner(self):
        return self.region.owner

    def append(self, operation):
        operation.detach()
        operation.block = self
        self.operations.append(operation)

    @staticmethod
    def create_at_start(parent, arg_types=(), arg_locs=None):
        block = Block(parent, arg_types)
        parent.blocks.insert(0, block)
        return block

    def create_after(self, *arg_types, arg_locs=None):
        block = Block(self.region, arg_types)
        self.region.blocks.insert(self.region.blocks.index(self) + 1, block)
        return block

    def __iter__(self):
        return iter(list(self.operations))


class Blocks(list):
    """The blocks of a region."""

    def __init__(self, region):
        super().__init__()
        self.region = region

    def append(self, *arg_types, arg_locs=None):
        block = Block(self.region, arg_types)
        super().append(block)
        return block


class Region:
    """The blocks inside an operation."""

    def __init__(self, owner):
        self.owner = owner
        self.blocks = Blocks(self)

    def __iter__(self):
        return iter(self.blocks)

    def __len__(self):
        return len(self.blocks)

    def __getitem__(self, at):
        return self.blocks[at]


class InsertionPoint(Entered):
    """Where new operations go: the end of a block, or the place before an operation."""

    _stack = "points"

    def __init__(self, place):
        if isinstance(place, Block):
            self.block, self.before = place, None
        elif isinstance(place, Operation):
            self.block, self.before = place.block, place
        else:
            raise TypeError(f"an insertion point is in a block or before an operation, not at {place!r}")

    @staticmethod
    def at_block_begin(block):
        return InsertionPoint(block.operations[0]) if block.operations else InsertionPoint(block)

    @staticmethod
    def at_block_terminator(block):
        return InsertionPoint(block.operations[-1]) if block.operations else InsertionPoint(block)

    @staticmethod
    def after(operation):
        following = operation.block.operations[operation.block.operations.index(operation) + 1 :]
        return InsertionPoint(following[0]) if following else InsertionPoint(operation.block)

    @property
    def ref_operation(self):
        return self.before

    def insert(self, operation):
        operation.detach()
        operation.block = self.block
        if self.before is None:
            self.block.operations.append(operation)
        else:
            self.block.operations.insert(self.block.operations.index(self.before), operation)


class Results(list):
    """The results of an operation."""


class Operation:
    """An operation with everything that belongs to it."""

    def __init__(self, name, results=(), operands=(), attributes=None, regions=0, successors=(), loc=None, ip=None):
        self.name = name
        self.operands = [as_value(o) for o in operands]
        self.results = Results(OpResult(self, i, t) for i, t in enumerate(results))
        self.attributes = Attributes()
        for key, value in (attributes or {}).items():
            if value is not None:
                self.attributes[key] = value
        self.regions = [Region(self) for _ in range(regions)]
        self.successors = list(successors or ())
        self.location = here(loc)
        self.block = None
        point = ip if ip is not None else InsertionPoint.current
        if point is not None and ip is not False:
            point.insert(self)

    @staticmethod
    def create(name, results=None, operands=None, attributes=None, successors=None, regions=0, loc=None, ip=None,
               infer_type=False):  # fmt: skip
        """Makes an operation by its name."""
        from .binding import known_name

        known_name(name)
        flat = []
        for item in operands or ():
            flat.extend(item if isinstance(item, (list, tuple)) else [item])
        results = list(results or ())
        for t in results:
            if not isinstance(t, Type):
                raise TypeError(f"`{name}`: expected the type of a result, found {t!r}")
        return Operation(name, results, flat, attributes, regions, successors, loc, ip)

    @property
    def operation(self):
        return self

    @property
    def opview(self):
        return self

    @property
    def context(self):
        return Context.current

    @property
    def parent(self):
        return self.block.region.owner if self.block is not None else None

    @property
    def result(self):
        if len(self.results) != 1:
            raise ValueError(f"`{self.name}` has {len(self.results)} results, not one")
        return self.results[0]

    @property
    def loc(self):
        return self.location

    def detach(self):
        if self.block is not None:
            self.block.operations.remove(self)
            self.block = None

    def erase(self):
        self.detach()

    def move_before(self, other):
        InsertionPoint(other).insert(self)

    def move_after(self, other):
        InsertionPoint.after(other).insert(self)

    def walk(self, callback):
        for region in self.regions:
            for block in region:
                for inner in block:
                    inner.walk(callback)
        callback(self)

    def verify(self):
        from .check import verify

        return verify(self)

    def get_asm(self, binary=False, large_elements_limit=None, enable_debug_info=False, pretty_debug_info=False,
                print_generic_op_form=False, use_local_scope=False, assume_verified=False, **unused):  # fmt: skip
        """The text of the operation; with `enable_debug_info` each line says where it comes from."""
        from .check import note_printed
        from .printer import Printer

        note_printed(self)
        text = Printer(enable_debug_info).operation_text(self)
        return text.encode() if binary else text

    def print(self, file=None, **kwargs):
        kwargs.pop("state", None)
        print(self.get_asm(**kwargs), file=file)

    def __str__(self):
        return self.get_asm()


class OpView(Operation):
    """An operation of a class of its own."""


class Module:
    """A program."""

    def __init__(self, operation):
        self.operation = operation

    @staticmethod
    def create(loc=None):
        from .check import note_created

        module = Module(Operation("builtin.module", regions=1, loc=loc, ip=False))
        module.operation.regions[0].blocks.append()
        note_created(module.operation)
        return module

    @staticmethod
    def parse(text, context=None):
        from .check import note_created, parse_errors

        text = text.decode() if isinstance(text, bytes) else text
        errors = parse_errors(text)
        if errors:
            raise MLIRError("Unable to parse module assembly:\n" + "\n".join(str(e) for e in errors), errors)
        module = Module(Operation("builtin.module", regions=1, ip=False))
        module.operation.regions[0].blocks.append()
        module.operation.text = text
        note_created(module.operation)
        return module

    @property
    def body(self):
        return self.operation.regions[0].blocks[0]

    @property
    def context(self):
        return Context.current

    def dump(self):
        import sys

        print(self, file=sys.stderr)

    def program(self):
        """The module as a `pto.Program`; its diagnostics point at the lines of the script."""
        from .check import program

        return program(self.operation)

    def __str__(self):
        return self.operation.get_asm()


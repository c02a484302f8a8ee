"""`mlir.dialects.func`: functions and calls."""

import inspect

from .attributes import FlatSymbolRefAttr, StringAttr, TypeAttr
from .binding import dialect_getattr
from .core import InsertionPoint, OpView, as_value
from .scf import values
from .types import FunctionType, Type


class FuncOp(OpView):
    """A function: `FuncOp(name, type)`."""

    OPERATION_NAME = "func.func"

    def __init__(self, name, type, *, visibility=None, body_builder=None, loc=None, ip=None):
        text = getattr(name, "value", name)
        if isinstance(type, TypeAttr):
            type = type.value
        if not isinstance(type, FunctionType):
            type = FunctionType.get(*type)
        attributes = {"function_type": TypeAttr.get(type), "sym_name": StringAttr.get(text)}
        if visibility is not None:
            attributes["sym_visibility"] = StringAttr.get(str(getattr(visibility, "value", visibility)))
        super().__init__(self.OPERATION_NAME, (), (), attributes, regions=1, loc=loc, ip=ip)
        if body_builder is not None:
            with InsertionPoint(self.add_entry_block()):
                body_builder(self)

    @property
    def type(self):
        return self.attributes["function_type"].value

    @property
    def body(self):
        return self.regions[0]

    @property
    def is_external(self):
        return not self.regions[0].blocks

    @property
    def entry_block(self):
        return self.regions[0].blocks[0]

    @property
    def arguments(self):
        return self.entry_block.arguments

    @property
    def visibility(self):
        return self.attributes.get("sym_visibility")

    @property
    def sym_name(self):
        return self.attributes["sym_name"]

    def add_entry_block(self, arg_locs=None):
        return self.regions[0].blocks.append(*self.type.inputs)

    @classmethod
    def from_py_func(cls, *inputs, results=None, name=None):
        """A decorator: the Python function makes the body of a function."""

        def decorate(function):
            from .state import here

            made = cls(name or function.__name__, FunctionType.get(list(inputs), list(results or [])), loc=here())
            with InsertionPoint(made.add_entry_block()):
                wants = "func_op" in inspect.signature(function).parameters
                returned = function(*made.arguments, **({"func_op": made} if wants else {}))
                if not (made.entry_block.operations and made.entry_block.operations[-1].name == "func.return"):
                    out = values(list(returned) if isinstance(returned, tuple) else returned)
                    ReturnOp(out)
                    made.attributes["function_type"] = TypeAttr.get(FunctionType.get(list(inputs), [v.type for v in out]))
            function.func_op = made

            def call(*args):
                return CallOp(made, list(args))

            call.func_op = made
            call.__name__ = made.sym_name.value
            return call

        return decorate


class ReturnOp(OpView):
    """Ends a function."""

    OPERATION_NAME = "func.return"

    def __init__(self, operands=(), *, loc=None, ip=None):
        super().__init__(self.OPERATION_NAME, (), values(operands), loc=loc, ip=ip)


class CallOp(OpView):
    """A call: `CallOp(function, operands)`, or `CallOp(results, callee, operands)`."""

    OPERATION_NAME = "func.call"

    def __init__(self, first, second=None, third=None, *, loc=None, ip=None):
        if isinstance(first, FuncOp):
            results, callee, operands = first.type.results, first.sym_name.value, second
        elif isinstance(first, (list, tuple)) and all(isinstance(t, Type) for t in first):
            results, callee, operands = list(first), second, third
        else:
            results, callee, operands = list(third or []), first, second
        if not isinstance(callee, FlatSymbolRefAttr):
            callee = FlatSymbolRefAttr.get(str(getattr(callee, "value", callee)).removeprefix("@"))
        given = [as_value(v) for v in operands or []]
        super().__init__(self.OPERATION_NAME, results, given, {"callee": callee}, loc=loc, ip=ip)


def return_(operands=(), *, loc=None, ip=None):
    return ReturnOp(operands, loc=loc, ip=ip)


def func(*args, **kwargs):
    """A decorator like `FuncOp.from_py_func`."""
    return FuncOp.from_py_func(*args, **kwargs)


__getattr__ = dialect_getattr("func", globals())

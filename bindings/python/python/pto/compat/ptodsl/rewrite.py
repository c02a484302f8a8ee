"""Python statements that become control flow of the kernel.

`for` over `range`, `if`, `while`, conditional expressions, `and`, `or` and `not` are rewritten into calls of `control`, which
decides when the code runs: on values of the kernel they become loops and branches of it, on Python values they are Python's.
The rewritten code runs in the same scopes, with the lines of the script.

    for i in range(n):          for loop in control.Loop((n,), [probe(x)]):
        x = x + i                   i, [x] = loop.index, loop.current
                                    x = x + i
                                    loop.end([probe(x)])
                                [x] = loop.current
"""

import ast
import functools
import inspect
import textwrap
import types

from . import control
from .errors import PTODSLAstRewriteError
from .trace import RUNTIME


def rewritten(function):
    """The function with control flow of the kernel; itself if its source cannot be found."""
    try:
        code = _code(function.__code__)
    except (OSError, TypeError, IndentationError):
        return function
    if code is None:
        return function
    scope = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    missing = [name for name in code.co_freevars if name not in scope]
    if missing:
        return function
    function.__globals__.setdefault(RUNTIME, control)
    made = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, tuple(scope[n] for n in code.co_freevars)
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


@functools.cache
def _code(code):
    lines, first = inspect.getsourcelines(code)
    tree = ast.parse(textwrap.dedent("".join(lines)))
    definition = next((n for n in tree.body if isinstance(n, ast.FunctionDef)), None)
    if definition is None:
        return None
    definition.decorator_list = []
    definition.returns = None
    for argument in [*definition.args.posonlyargs, *definition.args.args, *definition.args.kwonlyargs]:
        argument.annotation = None
    ast.increment_lineno(tree, first - 1)
    Rewriter(code.co_filename).function(definition)
    # The names that the function takes from outside must be free in it, too.
    outer = ast.FunctionDef(
        name="__outer__", args=_arguments(code.co_freevars), body=[definition, ast.Return(_load(definition.name))],
        decorator_list=[], type_params=[],
    )  # fmt: skip
    module = ast.fix_missing_locations(ast.Module(body=[ast.copy_location(outer, definition)], type_ignores=[]))
    return _find(compile(module, code.co_filename, "exec"), definition.name, 2)


def _find(code, name, depth):
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            if depth == 1 and constant.co_name == name:
                return constant
            if depth > 1 and constant.co_name == "__outer__":
                return _find(constant, name, depth - 1)
    return None


def _arguments(names):
    return ast.arguments(posonlyargs=[], args=[ast.arg(n) for n in names], kwonlyargs=[], kw_defaults=[], defaults=[])


def _load(name):
    return ast.Name(name, ast.Load())


def _store(name):
    return ast.Name(name, ast.Store())


def _runtime(name):
    return ast.Attribute(_load(RUNTIME), name, ast.Load())


def _call(function, *args):
    return ast.Call(function, list(args), [])


def _lazy(expression):
    return ast.Lambda(_arguments([]), expression)


def _probes(names):
    return ast.List([_call(_runtime("probe"), _lazy(_load(n))) for n in names], ast.Load())


def _assign(names, value):
    if not names:
        return []
    return [ast.Assign([ast.List([_store(n) for n in names], ast.Store())], value)]


class _Names(ast.NodeVisitor):
    """The names that statements assign, and those that they read."""

    def __init__(self):
        self.assigned, self.read = [], set()

    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Store):
            self._assign(node.id)
        else:
            self.read.add(node.id)

    def _assign(self, name):
        if name not in self.assigned and (not name.startswith("__pto") or name.startswith(("__pto_at", "__pto_go", "__pto_skip"))):
            self.assigned.append(name)

    def visit_Subscript(self, node):
        # An element of a list that is assigned: the list changes.
        if isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name):
            self._assign(node.value.id)
        self.generic_visit(node)

    def visit_AugAssign(self, node):
        if isinstance(node.target, ast.Name):
            self.read.add(node.target.id)
        self.generic_visit(node)

    def visit_FunctionDef(self, node):
        # What an inner function reads may come from here; what it assigns stays in it.
        self._assign(node.name)
        inner = _Names()
        for child in node.body:
            inner.visit(child)
        self.read |= inner.read

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node):
        inner = _Names()
        inner.visit(node.body)
        self.read |= inner.read

    def _comprehension(self, node):
        inner = _Names()
        for child in ast.iter_child_nodes(node):
            inner.visit(child)
        self.read |= inner.read

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension


def _assigned(statements):
    names = _Names()
    for statement in statements:
        names.visit(statement)
    return names.assigned


def _exposed(statements):
    """Names that may be read before the statements assign them."""
    found, defined = set(), set()
    for statement in statements:
        names = _Names()
        names.visit(statement)
        if isinstance(statement, ast.Assign):
            value = _Names()
            value.visit(statement.value)
            found |= value.read - defined
            plain = all(isinstance(t, (ast.Name, ast.Tuple, ast.List)) for t in statement.targets)
            if plain:
                defined |= set(names.assigned)
                continue
        found |= names.read - defined
        if isinstance(statement, (ast.FunctionDef, ast.AnnAssign)):
            defined |= set(names.assigned)
    return found


def _leaves(statements):
    """True if a `break` or `continue` belongs to the loop around the statements."""
    for statement in statements:
        if isinstance(statement, (ast.Break, ast.Continue)):
            return True
        if isinstance(statement, (ast.For, ast.While, ast.FunctionDef)):
            if not isinstance(statement, ast.FunctionDef) and _leaves(statement.orelse):
                return True
            continue
        for field in ("body", "orelse", "finalbody"):
            if _leaves(getattr(statement, field, [])):
                return True
    return False


class Rewriter(ast.NodeTransformer):
    def __init__(self, file):
        self.file = file
        self.counter = 0
        self.outside = set()

    def fresh(self, what):
        self.counter += 1
        return f"__pto_{what}{self.counter}"

    def error(self, node, message):
        raise PTODSLAstRewriteError(message, (self.file, node.lineno, node.col_offset + 1, None))

    def function(self, node):
        outer, self.scope = getattr(self, "scope", None), node
        node.body = self.statements(node.body)
        self.scope = outer

    def statements(self, body):
        out = []
        for statement in body:
            made = self.visit(statement)
            out.extend(made if isinstance(made, list) else [made])
        return out

    def visit_FunctionDef(self, node):
        self.function(node)
        return node

    def visit_Lambda(self, node):
        return self.generic_visit(node)

    def _used_elsewhere(self, node):
        """Names that the function reads outside of a statement."""
        inside = {id(n) for n in ast.walk(node)}
        return {
            n.id
            for n in ast.walk(self.scope)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and id(n) not in inside
        }

    def _changing(self, node, body, skip=()):
        """Names that a region changes and that somebody may see."""
        names = [n for n in _assigned(body) if n not in skip]
        seen = _exposed(body) | self._used_elsewhere(node)
        return [n for n in names if n in seen and not self._is_function(body, n)]

    def _is_function(self, body, name):
        return any(isinstance(n, ast.FunctionDef) and n.name == name for s in body for n in ast.walk(s))

    def visit_For(self, node):
        over = node.iter
        ranged = isinstance(over, ast.Call) and not any(isinstance(a, ast.Starred) for a in over.args)
        named = ranged and (
            (isinstance(over.func, ast.Name) and over.func.id == "range")
            or (isinstance(over.func, ast.Attribute) and over.func.attr == "range")
        )
        if not named:
            node.body = self.statements(node.body)
            node.orelse = self.statements(node.orelse)
            node.iter = self.visit(node.iter)
            return node
        if not isinstance(node.target, ast.Name):
            self.error(node, "the variable of a loop of the kernel is one name")
        if _leaves(node.body) or node.orelse:
            return self._counted(node)
        names = self._changing(node, node.body, (node.target.id,))
        body = self.statements(node.body)
        loop = self.fresh("loop")
        bounds = ast.Tuple([self.visit(a) for a in over.args], ast.Load())
        made = ast.For(
            target=_store(loop),
            iter=_call(_runtime("Loop"), bounds, _probes(names)),
            body=[
                ast.Assign([_store(node.target.id)], ast.Attribute(_load(loop), "index", ast.Load())),
                *_assign(names, ast.Attribute(_load(loop), "current", ast.Load())),
                *body,
                ast.Expr(_call(ast.Attribute(_load(loop), "end", ast.Load()), _probes(names))),
            ],
            orelse=[],
        )
        after = _assign(names, ast.Attribute(_load(loop), "current", ast.Load()))
        return [ast.copy_location(n, node) for n in (made, *after)]

    def _counted(self, node):
        """A loop that `break` or `continue` leaves, as `while` with a counter."""
        at, go, step, stop = (self.fresh(w) for w in ("at", "go", "step", "stop"))
        args = node.iter.args
        start = args[0] if len(args) > 1 else ast.Constant(0)
        end = args[1] if len(args) > 1 else args[0]
        by = args[2] if len(args) > 2 else ast.Constant(1)
        head = [
            ast.Assign([_store(stop)], end),
            ast.Assign([_store(step)], by),
            ast.Assign([_store(at)], _call(_runtime("counter"), start, _load(stop))),
            ast.Assign([_store(node.target.id)], _load(at)),
        ]
        test = ast.Compare(_load(at), [ast.Lt()], [_load(stop)])
        body = [
            ast.Assign([_store(node.target.id)], _load(at)),
            ast.Assign([_store(at)], ast.BinOp(_load(at), ast.Add(), _load(step))),
            *node.body,
        ]
        loop = ast.While(test, body, node.orelse)
        for n in (*head, loop):
            ast.copy_location(n, node)
            ast.fix_missing_locations(n)
        self.scope.body.append(ast.Expr(_load(at)))  # the counter is seen by the next iteration
        out = [self.visit(n) for n in head]
        made = self.visit_While(loop, go)
        self.scope.body.pop()
        return [*out, *(made if isinstance(made, list) else [made])]

    def visit_While(self, node, go=None):
        if _leaves(node.body) or node.orelse:
            return self._guarded(node, go or self.fresh("go"))
        names = self._changing(node, [*node.body, ast.Expr(node.test)])
        loop = self.fresh("while")
        body = self.statements(node.body)
        current = ast.Attribute(_load(loop), "current", ast.Load())
        made = ast.For(
            target=_store(loop),
            iter=_call(_runtime("While"), _probes(names)),
            body=[
                *_assign(names, current),
                ast.If(
                    ast.UnaryOp(ast.Not(), _call(ast.Attribute(_load(loop), "test", ast.Load()), self.visit(node.test))),
                    [ast.Break()],
                    [],
                ),
                *_assign(names, current),
                *body,
                ast.Expr(_call(ast.Attribute(_load(loop), "end", ast.Load()), _probes(names))),
            ],
            orelse=[],
        )
        return [ast.copy_location(n, node) for n in (made, *_assign(names, current))]

    def _guarded(self, node, go):
        """`break` and `continue` as flags: what follows them runs only if they are not set."""
        skip = self.fresh("skip")
        body = [
            ast.Assign([_store(skip)], _call(_runtime("flag"), ast.Constant(False))),
            *_with_flags(node.body, go, skip),
        ]
        test = ast.BoolOp(ast.And(), [_load(go), node.test])
        head = ast.Assign([_store(go)], _call(_runtime("flag"), ast.Constant(True)))
        loop = ast.While(test, body, [])
        tail = [ast.If(_load(go), node.orelse, [])] if node.orelse else []
        for n in (head, loop, *tail):
            ast.copy_location(n, node)
            ast.fix_missing_locations(n)
        marker = ast.Expr(ast.Tuple([_load(go), _load(skip)], ast.Load()))
        self.scope.body.append(marker)
        out = []
        for n in (head, loop, *tail):
            made = self.visit(n)
            out.extend(made if isinstance(made, list) else [made])
        self.scope.body.remove(marker)
        return out

    def visit_If(self, node):
        names = self._changing_branch(node)
        branch = self.fresh("if")
        body, orelse = self.statements(node.body), self.statements(node.orelse)
        current = ast.Attribute(_load(branch), "current", ast.Load())
        end = ast.Expr(_call(ast.Attribute(_load(branch), "end", ast.Load()), _probes(names)))

        def side(which, statements):
            over = _call(ast.Attribute(_load(branch), which, ast.Load()))
            return ast.For(_store(self.fresh("side")), over, [*_assign(names, current), *statements, end], [])

        made = [
            ast.Assign([_store(branch)], _call(_runtime("Branch"), self.visit(node.test), _probes(names))),
            side("then", body),
            side("otherwise", orelse),
            *_assign(names, _call(ast.Attribute(_load(branch), "merged", ast.Load()))),
        ]
        if not names:
            made.append(ast.Expr(_call(ast.Attribute(_load(branch), "merged", ast.Load()))))
        # `return`, `break` and `continue` of a branch that Python decides leave through Python's own `if`.
        if any(isinstance(n, (ast.Return, ast.Break, ast.Continue)) for s in [*node.body, *node.orelse] for n in ast.walk(s)):
            test = self.fresh("test")
            plain = ast.If(_load(test), body, orelse)
            made[0].value.args[0] = _load(test)
            made = [
                ast.Assign([_store(test)], self.visit(node.test)),
                ast.If(_call(_runtime("is_dynamic"), _load(test)), _copied(made), [plain]),
            ]
        return [ast.copy_location(n, node) for n in made]

    def _changing_branch(self, node):
        names = _assigned([*node.body, *node.orelse])
        seen = _exposed(node.body) | _exposed(node.orelse) | self._used_elsewhere(node)
        return [n for n in names if n in seen and not self._is_function([*node.body, *node.orelse], n)]

    def visit_IfExp(self, node):
        test, body, orelse = (self.visit(n) for n in (node.test, node.body, node.orelse))
        return ast.copy_location(_call(_runtime("choose"), test, _lazy(body), _lazy(orelse)), node)

    def visit_BoolOp(self, node):
        parts = [_lazy(self.visit(v)) for v in node.values]
        name = "both" if isinstance(node.op, ast.And) else "either"
        return ast.copy_location(_call(_runtime(name), *parts), node)

    def visit_UnaryOp(self, node):
        node = self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            return ast.copy_location(_call(_runtime("negated"), node.operand), node)
        return node

    def visit_Compare(self, node):
        node = self.generic_visit(node)
        if len(node.ops) == 1:
            return node
        left, parts = node.left, []
        for op, right in zip(node.ops, node.comparators):
            parts.append(_lazy(ast.Compare(left, [op], [right])))
            left = right
        return ast.copy_location(_call(_runtime("both"), *parts), node)


def _copied(statements):
    """Statements that stand in two places."""
    import copy

    return copy.deepcopy(statements)


def _with_flags(statements, go, skip):
    """Statements with `break` and `continue` as assignments of flags."""
    out = []
    for at, statement in enumerate(statements):
        if isinstance(statement, ast.Break):
            return [*out, _set(go, False, statement), _set(skip, True, statement)]
        if isinstance(statement, ast.Continue):
            return [*out, _set(skip, True, statement)]
        if isinstance(statement, ast.If) and (_leaves(statement.body) or _leaves(statement.orelse)):
            statement.body = _with_flags(statement.body, go, skip) or [ast.Pass()]
            statement.orelse = _with_flags(statement.orelse, go, skip)
            out.append(statement)
            rest = _with_flags(statements[at + 1 :], go, skip)
            if rest:
                guard = ast.If(ast.UnaryOp(ast.Not(), _load(skip)), rest, [])
                out.append(ast.copy_location(guard, statement))
            return out
        out.append(statement)
    return out


def _set(name, value, like):
    return ast.copy_location(ast.Assign([_store(name)], _call(_runtime("flag"), ast.Constant(value))), like)

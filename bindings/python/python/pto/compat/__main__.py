"""`python -m pto.compat LAYER [options] script.py [arguments]`"""

import sys

from . import LAYERS, layer
from .script import UNUSABLE, Unusable


def main():
    arguments = sys.argv[1:]
    usage = f"usage: python -m pto.compat {{{','.join(LAYERS)}}} [options] script.py [arguments]"
    if arguments[:1] in (["-h"], ["--help"]):
        print(usage)
        return 0
    try:
        if not arguments:
            raise Unusable(f"no layer is given; {usage}")
        if arguments[0] not in LAYERS:
            raise Unusable(f"there is no layer {arguments[0]!r}; there are {', '.join(LAYERS)}")
        return layer(arguments[0]).main(arguments[0], arguments[1:])
    except Unusable as e:
        print(f"error: {e}", file=sys.stderr)
        return UNUSABLE


if __name__ == "__main__":
    raise SystemExit(main())

"""`python -m pto.compat LAYER [options] script.py [arguments]`"""

import sys

from . import LAYERS, layer


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help") or arguments[0] not in LAYERS:
        print(f"usage: python -m pto.compat {{{','.join(LAYERS)}}} [options] script.py [arguments]", file=sys.stderr)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    return layer(arguments[0]).main(arguments[0], arguments[1:])


if __name__ == "__main__":
    raise SystemExit(main())

"""`python -m pto …`: the command line."""


def main() -> int:
    raise SystemExit("not yet")


if __name__ == "__main__":
    raise SystemExit(main())

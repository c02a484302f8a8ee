"""Serves the programs of one peer to the bench, which talks to it through pipes; it stays alive between turns.

argv: the peer, the directory with the engine's data, the number of threads. First it says `ready|VERSION` or `missing|WHY`. Then
  prepare NAME TOLERANCE   makes a program ready: `ok|largest error|largest number|what rounding of its types explains|wrong ways`, or `none|WHY`
  time                     takes a turn at it:    `ok|milliseconds|the way that was fastest`
"""

import importlib
import os
import sys

# Whatever libraries print must not get between the answers.
ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

# A way that takes much longer in its first turn does not get another.
HOPELESS = 1.5


def say(*words):
    print(*words, sep="|", file=ANSWERS, flush=True)


def reason(error):
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].replace("|", "/")


def prepared(peer, name, tolerance):
    """The ways to compute a program, and the answer about the one that is furthest from the engine, beyond what its types explain.

    A way that is too far while others are not is wrong itself, and does not count. oneDNN, for one, lets sums of bytes overflow on processors
    without an instruction for them.
    """
    import shared

    ways, found = peer.PROGRAMS[name]()
    judged = [(*shared.distance(peer.results(way.run()), found), way.slack) for way in ways]
    beyond = [error / max(largest, 1e-300) - slack for error, largest, slack in judged]
    right = [k for k, too_much in enumerate(beyond) if too_much <= tolerance] or range(len(ways))
    worst = max(right, key=lambda k: beyond[k])
    wrong = [f"{way.name} by {beyond[k]:.1e}" for k, way in enumerate(ways) if k not in right]
    return [ways[k] for k in right], (*judged[worst], ", ".join(wrong))


def turn(ways):
    """The time and the name of the fastest way, and the ways that are worth another turn."""
    import shared

    times = [(shared.best(way.run), way) for way in ways]
    fastest, way = min(times, key=lambda t: t[0])
    return fastest, way.name, [way for time, way in times if time < HOPELESS * fastest]


def serve(peer):
    ways = []
    for line in sys.stdin:
        command, *words = line.split()
        try:
            if command == "prepare":
                # What the last program needed goes first.
                ways = []
                ways, judged = prepared(peer, words[0], float(words[1]))
                say("ok", *judged)
            else:
                time, way, ways = turn(ways)
                say("ok", time, way)
        except Exception as error:  # A peer that cannot do one program takes part in the others.
            say("none", reason(error))


def main():
    try:
        peer = importlib.import_module(f"in_{sys.argv[1]}")
        peer.start(int(sys.argv[3]))
    except Exception as error:
        return say("missing", reason(error))
    say("ready", peer.version())
    serve(peer)


main()

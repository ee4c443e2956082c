"""``python -m hippocampus``: the command line."""

from hippocampus.cli import start

if __name__ == "__main__":
    start()

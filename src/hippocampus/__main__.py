"""``python -m hippocampus``: the command line."""

from hippocampus.cli import main

if __name__ == "__main__":
    main()

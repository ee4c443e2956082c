"""Others' own suites, run against ours: ``make peers-suites``."""

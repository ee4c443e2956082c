"""Make a release: ``python -m release`` builds, repairs, checks and installs what is published."""

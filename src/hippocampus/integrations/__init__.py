"""Adapters for the frameworks people build agents with, each in a file and an extra of its own."""

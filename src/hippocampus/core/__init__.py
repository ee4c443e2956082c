"""The words of the system: records, configuration, clock and files, which every layer may use."""

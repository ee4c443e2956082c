"""The cues: each a view of the store that can be dropped and rebuilt, one file per cue."""

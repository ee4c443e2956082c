"""The conversations that ship with the engine are those that the generator makes."""

from hippocampus.calibrate.calibration import BUILT_IN, MOST_CONVERSATIONS
from hippocampus.calibrate.conversations import read_synthetic
from hippocampus_bench.synthetic import calibration_data


def test_what_ships_is_what_the_generator_makes():
    assert read_synthetic() == calibration_data(BUILT_IN.seed, MOST_CONVERSATIONS)

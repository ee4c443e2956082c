"""What a bank does while nobody asks: turns experience into knowledge that is there at once."""

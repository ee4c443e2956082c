"""Sleep, a bank's work while nobody asks: experience becomes knowledge that is there at once."""

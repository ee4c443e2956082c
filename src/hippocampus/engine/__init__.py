"""What holds banks in memory and lets threads share them."""

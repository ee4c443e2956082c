"""Types that every layer shares."""

"""How fast, how large, how soon: one file per question, one table and one JSON for all of them."""

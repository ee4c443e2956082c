"""From hits to a prompt: choose within the budget, put in order of time, render, count."""

"""Races, with real connections and processes."""

"""Modules on a real PostgreSQL; every test founds a team of its own."""

"""One module a family of routes. A route reads its request, calls one domain function in one transaction, answers.

The order of a route's parameters is the order of its refusals: caller, body as bytes, id, then the rest.
"""

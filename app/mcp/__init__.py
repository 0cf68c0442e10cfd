"""The agents' door: the operations of the HTTP door as tools of the Model Context Protocol.

    tools      derives each tool from the HTTP contract: same names, same fields, same answers
    calls      sends a call as an HTTP request and reads the answer
    resources  what a proposal may name, to be read: a team's predicates
    server     the protocol, by the official SDK
    mount      `/mcp` in the process of the HTTP door: streamable HTTP, no sessions, JSON answers
    stdio      the same for clients that start a program: a bridge to a server elsewhere

There is one implementation of an operation, the route. A tool call is a request to it under the caller's own
key, so authentication, scopes, limits, validation and idempotency are the route's, and nothing can differ. No
call leaves a session behind: each is complete in itself. What is no request never reaches the SDK: bodies are read
by the routes' own reader, batches are refused, and so is every page of a browser but one from this very address.
"""

"""The models of requests and answers: the only place that knows the JSON of the HTTP door.

Requests are closed (`extra="forbid"`), strict, and bounded; answers carry every field, null where there is
none. Nothing here decides; `remember` and the others check what depends on more than the shape.
"""

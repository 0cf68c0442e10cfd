"""Teams, profiles, keys, configuration and stored answers.

A team is the read boundary, a profile inside it the owner boundary. A key names both and is stored as a digest;
an admin key belongs to no team and reads no team's content. `admission` lets requests in by their keys.
Configuration is effective key by key: built-in default, then instance, then team. A stored answer is written in
the transaction of its effect, so a repeated request finds either both or neither.
"""

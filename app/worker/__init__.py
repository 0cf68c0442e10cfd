"""The clock's door: places what was submitted, dreams when a team is due.

`loop` leases due items and runs one step for each; `steps` wires the steps to the ports that they need.
Wake-ups come by LISTEN/NOTIFY and only save time: whoever misses one finds the item at the next poll. A
worker that is told to stop hands back what it holds, without an attempt spent; one that dies lets its leases
run out.
"""

"""How fast the door is: operations over HTTP beside a bare endpoint, and their own statements under pgbench.

    rows        a team's memory and guesses as rows of tables
    loading     an instance of many teams in bulk
    requests    what is asked of it, as bytes
    bare        an endpoint that does nothing, for what the framework costs
    server      the API process, with the bare endpoint in it
    driving     the clients, in a process of their own
    recording   what a request tells the database
    scripts     that as scripts of pgbench
    measuring   the operations in turn, by one number of clients after the other
    report      the bars, and the rows that are printed

The API process, the clients and PostgreSQL share the machine's cores; so rates say what a machine does as a whole,
and only ratios can be compared between machines. Authentication, row security and the rate limit are on; the limit
is too high to refuse. Nothing works off what is remembered meanwhile. pgbench runs few different requests again
and again, planned before, and reads no answer: it is what no client can reach.
"""

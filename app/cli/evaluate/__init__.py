"""Measuring dreams: edges are held back, a team is made of the rest, it dreams, and what it says is counted.

    triples      a folder of triples, its published split or one drawn anew
    published    the three public sets, pinned by hash: found in a folder, or fetched
    loading      a team of its own with these triples as Relationships, past `remember`
    running      one cycle of that team through the real pipeline
    measuring    what the proposals, and all that was judged, are worth against what was held back
    explaining   proposals with their explanation beside the edges that they cite
    young        teams of few edges
    large        synthetic teams of 10 000 to 300 000 edges
    stage        the database: a fresh embedded one, or DATABASE_URL
    tables       what is printed
    bars         what the figures have to reach

`measuring` is told apart from the pipeline: the cycle leaves Hypotheses in the database, and those are counted.
What only the judgement of all open pairs can tell (MRR, calibration) is computed from the inputs of a second
team with the same knowledge, entered in another order, so with other ids; what that one proposes has to be what
the first one left, to the last digit.

Nobody's team is touched: each measurement founds its own. On DATABASE_URL they stay, because nothing is ever
deleted; use a database that may go.
"""

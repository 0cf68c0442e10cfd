"""A whole team in a file, back from one, and gone for good: owner's work, for the host's commands and an admin.

    catalogue  which tables a team's rows are in, asked of the database itself, so that no table is forgotten
    lines      the file: a header, one row a line, a trailer with counts and a digest
    export     one moment of a team, streamed to a file
    doubts     rows of a file that do not fit each other, by their lines
    restore    a file back into an instance that does not have the team, in one transaction
    closing    a team that nobody works in any more, before it is erased
    erase      every row of a team, in one statement

Ids are kept, the team's too, because digests in the rows cover them: a file goes where its team is not, which is
another instance, or this one after an erasure. Only the numbers of events are given anew, in the order of the
lines: they are counted for all teams together. Rows keep their times and versions; no event is sent, nothing is
placed, staled or weighed anew. What is not the team's own stays behind (`catalogue.LEFT_OUT`), keys above all:
whoever restores a team makes new ones. A file is read by the version of the schema that wrote it.

Whoever edits a file can seal it anew: digests find accidents. What the rows give themselves is checked, and
refused by its line: words and their digest, quotes and their evidence, the keys of a Relationship and what it
says, verdicts and whose evidence they are on, supports and the verdict that entails them; the tables' own rules
do the rest, as for any writer. What no row can show is believed as it stands: who said it and when, with which
authority, out of which source group, and what the verifier found. So a file is as trustworthy as the way that it
came.

DELETE is nobody's privilege, so erasing is a function of the owner, and so is closing: nobody opens a team again.
The host's commands run as the owner; the HTTP door calls second functions, which close and erase for whoever
presents a live admin key, and for nobody else.
"""

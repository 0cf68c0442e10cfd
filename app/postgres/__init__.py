"""PostgreSQL of our own: started beside the process that needs it, stopped when that process ends.

Purpose: with no database address configured the product still runs on a real PostgreSQL. This package finds
the binaries, creates the cluster, starts the server, and makes sure that it never outlives its owner. It
knows no domain word. Linux and macOS; no Windows.

The processes::

    owner (calls `server.start`)
      |  pipe: the owner holds the only write end, the supervisor reads it as stdin
    supervisor (single thread, standard library only, session of its own)
      |  parent-death signal, on Linux
    postgres (holds the folder lock as well, until its last backend is gone)

How each death ends: owner killed, ended or stopped: end-of-file, the supervisor sends SIGINT (fast shutdown),
then SIGQUIT, then SIGKILL. A thread of the owner ends: nothing, for the pipe belongs to the process. A forked
child of the owner survives it: it has closed its copy of the pipe, and the supervisor also notices that its
parent process changed. Supervisor killed: the kernel sends SIGQUIT to PostgreSQL (Linux), and the owner's
watching thread does the same (everywhere). PostgreSQL dies: the supervisor ends, `RunningPostgres.is_alive`
turns false; it is not started again.

The data folder::

    cluster/            PGDATA, mode 0700. It appears by one rename, whole or not at all.
    cluster.new-PID/    initdb at work; a leftover is removed by the next start, under the lock
    lock                flock held by supervisor and PostgreSQL; survives neither; never unlinked
    running.json        where the running server listens; for command lines; no secret
    server.log          PostgreSQL's log, without statements, parameters or client errors

Accounts: a normal user starts PostgreSQL plainly. PostgreSQL refuses root, so root on Linux starts it in a
user namespace of its own, where root shows under a harmless number; where that is blocked (and on macOS) it
runs as the owner of the cluster, or as `nobody`.

Access: only a Unix socket, in a folder of mode 0700 that belongs to the account of the server. Whoever
reaches it is that account or root, so local authentication is `trust` and TCP is both off and rejected.

Courtesy: PostgreSQL's processes run at a nice value of 5, and on Linux their sessions as well, so that whoever
asks them, and whatever else the machine is for, has the cores first.

Never: make or change an operating-system user; change a mode or an owner outside the data folder; listen on
TCP; use the launcher of the embedded wheel; let two servers run on one data folder; hand the owner's
environment (it holds secrets) to PostgreSQL; write statement text to the log.

Invariants: the supervisor imports the standard library and this package only (it runs with `-I -S`), and
stays single-threaded, because the parent-death signal follows the thread that started PostgreSQL.
"""

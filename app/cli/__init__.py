"""The hands' door: `densemem`.

    main      the command tree, exit codes (0 done, 1 refused or failed, 2 used wrongly), no tracebacks
    host      commands for the machine with the database: serve, worker, migrate, doctor, team, key, openapi
    remote    commands for any client: remember, recall, dream …, runs …, over HTTP
    server    the API and its workers in one process, ending in order
    worker    the workers alone, which import nothing of the doors
    client    the Python client with the key of DENSEMEM_KEY, or the one that `key create --save` kept
    output    tables for people, JSON for programs
    demo      the whole loop on real evidence

Host commands use DATABASE_URL or the embedded server (starting it for the moment when none runs); client
commands need a running `densemem serve`.
"""

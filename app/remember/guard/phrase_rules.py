"""The rules over classes of words, in the notation that `phrases` explains. Pure data."""

from collections.abc import Mapping
from typing import Final

RULES: Final[Mapping[str, str]] = {
    "instruction_override": """
        drop ~4 earlier ~1 instruction|prompt
        drop ~3 instruction|prompt ~1 earlier
        drop ~2 your ~3 instruction|prompt|rule
        disable ~1 your ~2 instruction|rule
        drop ~2 system prompt|message|instruction . then|answer
        << drop ~1 system prompt|message|instruction
        drop ~2 instruction|prompt|rule ~1 you|given
        drop ~1 everything ~1 you|earlier|system
        << drop ~1 earlier then ~1 approve|answer|reveal|do|write
        drop ~1 all ~1 instruction|prompt
        drop|disable|changed ~2 safety rule|instruction
        drop ~2 your ~1 safety
        << drop ~1 earlier memory
        << drop all? earlier rule|prompt .|,|then
        drop earlier prompt|instruction
        << drop ~1 earlier instruction
        << alter ~1 your task
        now now ~1 you be
        << drop ~2 rule earlier ~1 approve|answer|reveal|do
        drop ~2 developer|system|user ~1 told
        not follow|obey ~2 earlier|your|system ~2 instruction|prompt|rule
        not hail ~3 instruction|prompt|rule
        your ~2 instruction|rule|prompt|task ~2 changed
        all earlier instruction ~2 changed
        instruction earlier be ~1 test
        new instruction :|. ≈3 you|approve|answer|obey|drop|must|rate|follow
        new instruction follow
        now ~2 you must ~2 answer|obey|approve|reveal|follow|drop|comply|rate
        your new task|instruction be|obey
        instead ~1 your task
        not ~1 read ≈8 instead ≈1 answer|reveal|write
        outrank ~3 your|earlier|system ~2 instruction|prompt|message
        system|developer told you
        developer ~2 told|reveal you
        earlier ~2 instruction ~2 drop_last
        decode ~4 then ~1 do|follow|obey|call
        << drop all rule .|,|then
        << drop your task
        << drop ~1 your ~1 developer
        drop ~4 rule|instruction|prompt ~2 your ~1 developer
        << other_answer ~2 other_only
        defy ~2 your ~2 instruction|prompt|rule
        << !reveal !write !keep_up !follow !read !own_tool !save !test !keep !review * ~1 your ~1 norm .|,|then
        regardless ~3 your ~2 norm
        regardless ~3 you ~1 told|given
        instead ~1 follow ~1 your norm
        your ~2 norm be ~1 test .|,
        you ~1 must ~1 obey
        drop|defy ~2 rule|instruction ~2 your ~1 developer
        << defy ~1 your ~1 developer
        defy ~1 everything ~3 earlier
        nothing you be told
        you not ~2 follow|obey ~1 your ~1 instruction|rule
        << alter ~1 your ~1 instruction|prompt
        earlier prompt be ~1 test
        << persona|do|answer ~1 against your
        drop ~2 systemprompt
        drop ~3 other_instruction ~2 system|your
        other_earlier ~1 instruction ~1 other_void|changed
        other_earlier ~1 instruction ~2 other_not ~2 other_void
        instruction ~1 other_earlier ~2 other_void
        instruction ~1 other_earlier ~4 not|other_not ~2 other_void
        your other_instruction other_not
        other_obey ~4 other_only
        other_only ~3 other_obey
        other_follow ~5 other_only ~3 other_text|message
        other_obey ~2 this? other_text|message
        other_drop ~1 system .
        << !reveal !other_follow * ~5 other_your ~2 other_instruction|instruction|prompt
        other_your other_new other_instruction|instruction
        other_new other_instruction|instruction :
        drop ~4 other_system|other_developer ~2 told
        not|other_not other_follow ~1 system .
        other_not other_follow other_not? ~1 instruction ~2 your|developer
        other_follow ~5 other_not ~2 instruction ~1 earlier
        other_drop ~3 other_instruction|instruction ~5 given
        your ~2 instruction|rule aside
        you be ~2 free ~2 your|all ~1 instruction|rule
        instruction|rule ~1 you ~1 given ~2 changed
        instruction|rule ~7 not longer ~2 , ~2 do|obey|follow|answer
        take ~1 rule from ~1 this|i
        do|obey|follow ~3 this ~3 not ~3 system|developer
        instruction|prompt|rule ~6 this ~1 outrank
        outrank ~2 prompt
        << drop ~2 earlier ~3 then ~3 answer|reveal|obey
        other_drop ~3 other_earlier ~2 other_instruction|instruction|prompt
        other_drop ~3 other_instruction|instruction|prompt ~3 other_earlier|other_system|given|other_told
        other_drop ~2 other_your ~2 other_instruction|instruction|prompt
        other_drop ~2 other_all ~2 other_instruction|instruction
        drop ~1 everything|other_all ~6 earlier|told
        other_drop ~4 told
        other_not other_follow ~2 earlier|your ~2 instruction
        other_not other_follow ~3 instruction ~2 earlier
        not other_follow ~2 earlier|your ~2 instruction
        other_follow ~2 earlier|your ~2 instruction ~1 other_not
        other_follow other_not ~2 earlier|your ~2 instruction
    """,
    "role_spoofing": """
        << note|message|instruction to ~1 model ~3 :|,
        << to ~1 model :
        << hail ~2 model|called ≈8 approve|rate|drop|delete|must|obey|own_tool|call
        if you be ~2 model|called
        model ~1 read this ~4 you|must
        model must ~1 approve|rate ~5 fact|verdict
        model must ~2 call ~2 own_tool
        model must obey
        you be called
        you be ~1 unlimited
        unlimited : enable
        << persona ~1 you be
        you be now ~3 unlimited|model
        you be now ~1 developer mode
        you be not longer ~1 bound|model|restricted
        persona ~3 unlimited
        persona ~3 model ~2 not ~2 rule|refuse|safety
        persona ~3 grandmother
        unlimited mode
        enable ~1 developer mode ~2 answer|not
        developer mode ≈5 rule be changed
        answer ~2 not ~1 rule|safety
        answer ~1 unlimited
        << you must|known not rule|safety .
        model ~2 not refuse
        not refuse .
        << obey ~3 only|this|i
        you ~1 obey
        comply ~1 all request
        i be your developer
        this be ~1 developer :
        enable your system|rule
        changed your ~1 rule
    """,
    "secret_extraction": """
        reveal ~4 your ~3 prompt|instruction|message|memory
        write ~4 your ~2 system prompt|instruction|message
        reveal|write ~3 system instruction|prompt|message ~1 you
        << reveal|write ~2 system prompt !of
        << reveal|write ~2 secret|system instruction|rule
        reveal ~4 your ~1 system|earlier rule
        reveal ~1 prompt ~1 system
        << reveal|write ~2 message of ~1 system prompt
        << reveal ~1 message|everything earlier
        what be your ~1 system|earlier instruction|prompt|message
        message ~1 your system? instruction|prompt
        send|reveal|write ~3 secret|memories ~4 you known|must|be
        send|reveal|write ~8 your memory
        send|reveal|write ~4 secret|memories ~5 your instruction|prompt|answer
        reveal|send|write ~6 memories ~5 your
        << send ~4 secret|memories ~2 to ~4 destination
        << send ~4 secret|memories to ~1 destination
        << ask ~1 user ~3 secret ~3 send
        other_reveal ~3 your ~2 instruction|prompt
        other_reveal ~3 instruction|prompt ~2 other_system|system
        other_reveal ~3 system ~1 instruction|prompt
        what ~1 instruction|prompt ~1 you given
        reveal|write ~3 systemprompt
        other_reveal ~4 other_text ~2 other_earlier
        other_reveal ~3 other_everything ~4 other_earlier
        << other_reveal ~1 prompt .
        << reveal|write ~1 your ~1 norm .|,|then
        << reveal ~5 other_your ~2 other_instruction|instruction|prompt
        other_betray ~3 other_secret|prompt|other_instruction
        other_reveal ~3 all|your|other_system ~2 other_secret
        other_reveal ~3 other_secret ~1 other_system
        reveal|write ~4 message|prompt|instruction ~4 earlier ~1 this
        reveal|write ~3 prompt ~1 you be
        message of ~1 your ~1 system message
        send ~1 your ~1 system ~1 prompt|instruction|message
        << send|reveal|write ~2 memories ~1 you ~1 known
        << send|reveal|write ~4 secret you w known
    """,
    "tool_spoofing": """
        << call ~3 own_tool ~8 all|not|verdict
        << call ~2 tool|function ~8 not inform
        << call ~1 shell tool
        call ~6 your shell tool
        << tool|function result : ≈8 review|verdict|fact
        delete|own_tool all ~1 memories
    """,
    "memory_poisoning": """
        save|own_tool forever
        save ~2 your memory :|,|this
        all future secret
        if ~1 you be ask ~5 , only|answer
        if ~2 user ask ~5 , you must only|answer
        if ~3 ask ~5 , you? only answer
        not mention ~1 this ~1 instruction|message|rule
        not mention ~1 you
        not inform|reveal|mention ~2 user ~2 this|you|instruction
        not inform|reveal|mention this ~2 to ~1 user
        keep this instruction|message secret
        do this not inform
        approve|rate ~1 this ~3 fact
        << approve|rate ~4 this? ~3 as ~1 fact
        approve|rate all ~2 claim ~2 fact|verdict
        << approve all ~1 claim
        << only? answer|reveal ~2 fact .
        << only answer ~1 fact|verdict
        << answer ~4 verdict to
        your confidence ~2 fact
        confidence be fact|verdict ~1 confidence
        model : answer|return ~1 fact|verdict
        confidence ≈6 all claim
        you must approve ~2 claim ~1 not
    """,
}
# What a text that no person sees needs at least, to be taken for one that speaks to a model.
ADDRESSED_RULES: Final = """
    model|called :|,
    model|called ~1 must|approve|rate|answer
    << to ~1 model|called .|:|,
    << system :
    << drop ~4 instruction|prompt|rule|all|everything|earlier|told|your|you|user|message|request|what
    << answer ~1 verdict|fact|only
    answer this ~4 verdict|fact
    you must answer|obey|reveal|inform|call|mention
    you must approve|rate ~4 claim|this|all|fact|subject|request
    << told|reveal ~1 user
    << approve|rate ~1 this|all|claim
    << call ~1 tool
    << praise ~6 .
    << state|answer|write|claim ~1 this|only
    << you? ~1 must ~2 state|praise|write|mention
    << only ~1 state|answer|write|praise
    model|called ~3 not ~1 state|praise|inform|reveal|mention
    << approve|rate ~2 request|subject
    << reveal ~3 secret|prompt|memory|memories
    not ~1 reveal|inform|state ~2 this|user
    not ~1 mention
    << obey
    << do|follow ~2 this ~2 not
    << send ~2 secret|memories
    << write only
"""

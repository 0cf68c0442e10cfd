"""A language model behind one port: a closed question in, a closed answer or a named failure out.

`model` is the port: what is asked (`Question`), what may come back (`Outcome`, a union of values, each with the
`Usage` that it cost), and the Protocol. `anthropic_model` is its one adapter, `scripted` the model of tests.
`batches` is the port for questions that may wait for hours at half the price, `anthropic_batches` its adapter.
`usage` counts tokens, `reported` reads what the provider says of them, `prices` turns them into money, `rates`
says what a call may cost at most, `prompts` loads instructions with their schema, `fence` shows untrusted
content, `reading` reads what comes back, `words` looks at a model's own words, `key` finds the API key, `doctor`
looks at it. Behind the adapters: `connection` opens the SDK, `bounds` limits what comes in, `events` reads a
stream, `request` and `transcript` speak the protocol, `faults` names errors, `retrying` says when to try again.
Knows no domain word.

The model is an untrusted, expensive and sometimes absent helper:

* nothing that a provider does raises here: refusals, cuts, limits and faults are values. Only a programming
  mistake and a cancellation raise, and what a cancelled call has used by then is in the caller's `Tally`;
* an answer is text that should hold JSON; whoever asked reads it strictly and repairs nothing;
* tries are ours, not the SDK's: the pause between two of them respects Retry-After and the deadline, and holds no
  permit, no connection to the database and no transaction; a try that may have cost something is the last, because
  whoever asks has to see whether there is money for another;
* the key is read when a call needs it, never logged, never in an error, never in a trace, and is sent to nobody
  but the configured address: no redirect is followed, and no address in an answer is asked;
* what an answer has cost is read exactly, as it came over the wire, or not at all: then it is no answer, and is
  charged at an estimate;
* no word of the provider makes an answer cheap: its tokens cost no less than those of the model that was asked,
  whatever model it names; its input is no less than was counted before the call, nor than an eighth of the
  question's characters, and what the messages have of it was never read from a cache; its output no less than an
  eighth of the characters that came; counts of a stream never fall; only a refusal before any word is free;
* an event out of its turn is no answer;
* an answer that is whole is used, however its connection ends;
* an answer is read up to a length (`bounds`), and never unpacked;
* a call is never made that could cost more than its question allows: the input is counted first, which is free.

Decisions: a provider's address, model and effort are settings of the process. Server-side fallbacks are asked for
with the provider's own choice of model; one that has none answers alone. A cached prefix is the instructions only,
because they alone are the same from call to call.
"""

"""The guard of `remember`: what may be stored, and what no model may read. Pure. (Design, section 4, step 1)

    submission ──▶ masking ──▶ injection ──▶ Guarded(submission, masked, quarantined)

It runs in process on the checked submission, before anything of it is stored, logged or sent.

**Secrets** are written over where they stand with as many code points, so that citations stay valid; line ends
stay. They are looked for in the text as it is read (`reading`: what nobody sees is out, fullwidth letters are
plain), found where it is written. Four ways to know one: its form (`secret_formats`, `private_keys`), a name
beside it or a sentence that tells it (`secret_names`, `named_values`, with `placeholders` for what only looks like
a value), its place (`secret_places`: addresses, headers, random values; `secret_shapes`: tables,
calls, lines that go on), the program that takes it (`secret_commands`). A value that was a secret once, and that
is no word, is one wherever the submission repeats it (`mask.KnownSecrets`). Only the kind and the
number are kept. `masking` walks a submission; `mask.mask_text` and `mask.mask_json` serve whatever else has free
text, such as reasons.

**Injection** (`injection`) is read in layers, the plain text first:

1. `markup`: tokens of chat templates, tags of tool calls, role headers. `hidden`: what no reader sees, of which
   far less is needed. `transcripts`: turns of a chat that was never held.
2. `phrases`: the text becomes a string of word classes (`wording`, several languages), the rules (`phrase_rules`)
   are patterns over it, misspellings included; `unspaced` does without words where a script has none. `squeezed`
   sees through glued, spaced and leet writing. `kinds` knows situations that public taxonomies of attacks name:
   who is addressed, what is forged, what is to be kept from whom.
3. `disguise` and `folding`: lookalike letters, invisible characters, escapes, base64, hex, rot13, backwards.
4. `mentions`: a quotation on a line that describes attacks is not speech.

Never: a secret in a result, a reason or a repr; a guess about who wrote a text; any I/O, clock or randomness.

Invariants, each with a property test: the number of code points stays; guarding twice changes nothing; no seeded
secret remains; any text is read in time linear in its length as it was written (all repetitions are bounded; no
character is read as more than four, and marks are put in order by thirty: `kernel.compatibility`).

Decisions where the design is silent:

* Evidence is what is held, so a hostile proposal quarantines the evidence that it cites.
* Injection is looked for in the masked text, which is what is stored.
* Data of images in base64 is neither masked nor decoded to anything that reads as text, so it stays.
* `<|endoftext|>` alone is text about tokenizers; with a role or a speaker behind it, it is an attack.
* A quoted attack on a line about attacks is let through. That can be abused, and gains little: a quotation entails
  nothing, and no prompt of ours holds evidence.
* Words for passwords in documentation (`user:pass@host`) are masked as well; it costs nothing.

Limits, by choice: no model, hence no meaning. A polite sentence that steers without any of the known words passes,
as does an attack in a language of which no words are listed. The guard is one wall of several: the verifier wants
plain statements, and a dream sees statements, never evidence.
"""

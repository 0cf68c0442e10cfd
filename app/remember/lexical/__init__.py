"""The lexical verifier: does a citation say what a claim says, word for word enough to be sure?

Deterministic, pure, and strict on purpose: an answer `entailed` writes memory, so whatever is not
recognised is `insufficient`. Precision comes before recall. (Design, section 4, "The `lexical` verifier is
strict and explainable".)

A client chooses the spans, so a span could cut out "It is not true that …" or "… only if an extra is
installed". Hence two scopes. Subject, predicate and object must be named **inside** the cited text;
negation, hedges, conditions, questions, attribution and quotation are looked for in the **whole** sentence
of the content that a span touches, and the sentences beside it must not take it back. In record form the
whole line counts.

Order of judging; the first that applies decides:

1. `span_invalid`: no span, more than four, a span outside the content.
2. Record form (`records.py`): whole cited lines `Name: S` and `Key: O` of one record. Entailed:
   `record_states`. Else, as insufficient: `record_line_cut`, `record_conditional`, `record_continues`,
   `record_ambiguous`, `record_doubtful`, `record_name_missing`, `record_value_differs`; these only name
   the reason when the sentence form finds nothing.
3. `subject_not_cited`, `object_not_cited`, `predicate_not_cited`: one of the three is not named inside the
   cited text.
4. Sentence form (`sentence_form.py`): one sentence must read [frame] subject, predicate, object [tail],
   each gap of words that are known to be harmless. If none does: `question`, `quoted`, `attributed`,
   `conditional`, `hedged`, `negation_unclear` where a cue explains it, else `order_not_recognised`.
5. The sentence that reads so is refused for a cue in its remaining words (the same codes), or for a
   neighbour that takes it back: `taken_back`.
6. Polarity. Affirmed: `+` is entailed (`sentence_states`), `-` is insufficient (`states_the_opposite`).
   Denied: `-` is entailed (`sentence_denies`), `+` is contradicted (`sentence_denies`). Two sentences that
   disagree: `sentences_disagree`.

Modules: `tokens` and `sentences` cut the text, `forms` spells the predicate, `words` and `cues` hold the
word lists, `clause` reads what stands before the predicate, `tail` what follows it, `sentence_form` puts
them together, `records` reads records, `judge` keeps the order above, `verifier` puts it behind
the port.

Limits, by choice: no pronouns across sentences, no tense but the present for states, no synonyms beyond
the aliases, and only English around the names. Names match as whole token sequences, case folded; a
hyphen, dot, slash or plus joins a token, and every CJK character is a token of its own, which is safe
because unknown tokens beside a name are refused.
"""

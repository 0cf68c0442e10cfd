"""The lexical verifier: does a citation say what a claim says, word for word enough to be sure?

Deterministic, pure, and strict on purpose: an answer `entailed` writes memory, so whatever is not
recognised is `insufficient`. Precision comes before recall. (Design, section 4, "The `lexical` verifier is
strict and explainable".)

Everything beside the three names is judged by allow lists: what is not known to be harmless refuses. A list
of what to refuse would leak, since there are endless words to take a statement back with.

A client chooses the spans, so a span could cut out "It is not true that …" or "… only if an extra is
installed". Hence two scopes. Subject, predicate and object must be named **inside** the cited text; the
**whole** sentence of the content that a span touches must be harmless, and so must the two sentences on
either side of it, whatever separates them. In record form the whole line counts, the block that it stands
in, and all paragraphs around that. A client chooses the names, too: a name that holds a verb, a denial or a
frame never helps to entail.

Order of judging; the first that applies decides:

1. `span_invalid`: no span, more than four, a span outside the content.
2. Record form (`records.py`): whole cited lines `Name: S` and `Key: O` of one record. Entailed:
   `record_states`. Else, as insufficient: `record_line_cut`, `record_conditional`, `record_continues`,
   `record_ambiguous`, `record_doubtful`, `record_name_missing`, `record_value_differs`; these only name
   the reason when the sentence form finds nothing.
3. `subject_not_cited`, `object_not_cited`, `predicate_not_cited`: one of the three is not named inside the
   cited text. `subject_possessive`, `object_possessive`: it is named only as an owner, "Acme's headquarters".
4. Sentence form (`sentence_form.py`): one sentence must read [frame] subject, predicate, object [tail],
   each gap of words that are known to be harmless. If none does: `question`, `quoted`, `attributed`,
   `conditional`, `hedged`, `negation_unclear`, `script_unclear` where a cue explains it, else
   `order_not_recognised`.
5. The sentence that reads so is refused for a cue in its remaining words (the same codes).
6. Two sentences of the content that disagree, cited or not: `sentences_disagree`. A neighbour that is no
   plain clause and no heading of known words, or names both ends: `taken_back`. What the service says itself,
   in the words of a seeded predicate, is plain; but of succession, which may be how the claim ended.
7. Polarity. Affirmed: `+` is entailed (`sentence_states`), `-` is insufficient (`states_the_opposite`).
   Denied: `-` is entailed (`sentence_denies`), `+` is contradicted (`sentence_denies`).

Modules: `tokens` and `sentences` cut the text, `forms` spells the predicate, `names` says which names count,
`mentions` where they stand, `words`, `cues` and `frames` hold the word lists, `plain_clause` knows clauses without
a secret, `clause` reads what stands before the predicate, `tail` what follows it, `sentence_form` puts them
together, `context` judges the sentences around; `records` reads records, `record_block` what they stand in,
`specifiers` their versions; `judge` keeps the order above, `verifier` puts it behind the port.

Limits, by choice: no pronouns across sentences, no parentheses or appositions after a name but its short
form, no free prose beside the cited sentence, no tense but the present for states, no synonyms beyond the
aliases, and only English around the names. Names match as whole token sequences, case folded; a hyphen, dot,
slash or plus joins a token, and every CJK character is a token of its own, which is safe because unknown tokens
beside a name are refused. What no list can see stays open: a capitalised word that only looks like a name in a
list after the object, a summary that ridicules its own record in words that summaries use, and a lie told
plainly.
"""

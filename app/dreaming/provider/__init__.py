"""The generator that asks a model. Behind the port of `generation`; the model is behind the port of `app.llm`.

    pairs       premises become pairs of nodes worth a thought, with the predicates that are open between them
    sheet       pairs become one request: opaque references, compact rows, candidates marked, all of it fenced data
    allowance   how large a call may be: what is left of the budgets, in tokens of this model
    reference_map  what a sheet's references stand for, kept while its batch is away
    answer      the closed answer becomes proposals, each item read strictly, each rejected by itself
    conversation   call after call: permits, turns, errors listed and asked again, what each call has cost
    generator   the steps in order, and what happens when the provider fails

What the model sees: names, values, predicates with label and meaning, premises as rows, the rules' own
proposals as hints. Never an id of the database, evidence text, a verifier's rationale, a profile, a team, or a
secret.

What it may answer: ideas between the nodes it was shown, by the predicates and premises it was shown.
Everything else is rejected with its reason, never repaired. The accepted shape then passes the same validation
as the rules' proposals, against the ledger as it is by then: a model is believed no more than a rule.

Decisions:

* A pair is looked at because premises connect it, at most two steps apart. Half of the pairs are those that the
  rules carry, as far as there are any: they come with a hint. A hint earns no trust: the rules' likelihood is
  not the model's to repeat.
* An idea that the rules carry as well is one Hypothesis that names both generators, `dreamer-v1+rules-v1`, and
  rests on the sources of both. Its likelihood is the model's.
* A statement has to hedge and to name both ends, and even then it is not kept: words can always say something
  else than the edge that is stored, so the ledger's statement is written from the edge, as for the rules.
* Where an answer cannot be read at all, the model is told why and asked once more, as long as turns are left. A
  cut answer is asked for half of its groups.
* A generator chosen as `auto` falls back to the rules when the provider fails, and the run says so; it has then
  not assessed its inputs, so the next run asks again. Chosen as `provider`, the run fails, and is tried again
  where that may help.
* A dry run asks nobody: it shows what the rules would propose and what the provider would cost at most.
"""

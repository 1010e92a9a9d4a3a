"""How sure a rule is that decides without a model: what was seen on labelled rows, rounded."""

QUOTE = 0.97  # the source's own words in quotation marks, and not denied there
SPAN = 0.95  # a whole clause of the source; what is left is irony and context
PARAPHRASE = 0.75  # the least share of the words in one sentence; all of them is 0.15 more
NUMBER = 0.85  # another value for the same thing: subject, noun and occasion agree
NEGATION = 0.8  # the same words with the opposite sign
UNSETTLED = 0.5  # nothing proves it and nothing speaks against it

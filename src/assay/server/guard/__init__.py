"""The guard: it stands in front of any upstream, and the clients of OpenAI and Anthropic work unchanged.

Answers to `/v1/chat/completions`, `/v1/responses` and `/v1/messages` are checked, streamed or not; every other request
goes to the upstream and back as it is. The mode says what a client gets:

annotate   everything, at once; the report is added
hold       text sentence by sentence once it is checked; the answer ends before the first refuted sentence
block      the whole answer once it is checked; an abstention in its place if a claim is refuted
repair     the whole answer, brought in line with its sources; an abstention where that fails
"""

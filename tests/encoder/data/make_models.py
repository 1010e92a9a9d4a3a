"""Makes the tiny models of these tests; needs the `onnx` package, which the tests themselves do not.

`overlap.onnx` is a verifier by rule, so that tests can say what must come out: the share of the claim's known words
that stand in the evidence decides between SUPPORTED and INSUFFICIENT, and "not" in only one of the two turns support
into refutation. `nan.onnx` gives NaN. `packed.onnx` is a mean of embeddings and one product, its weights kept outside.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save

HERE = Path(__file__).parent
SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
VOCABULARY = """
    not . , the a of in is was by it has to and on at for with from big small red blue old new first last
    paris london rome berlin france england italy germany capital city river tower bridge built 1889 1900 1953 2001
    everest mountain hillary tenzing climbed metres high 8849 nepal water boils degrees 100 cat dog sat mat sleeps
    marie curie won nobel prize physics chemistry poland born died year people live there king queen museum opened
"""
WORDS = VOCABULARY.split()
FILLERS = [f"w{number}" for number in range(400)]
WIDTH = 8


def tokenizer() -> dict[str, object]:
    words = [*SPECIALS, *WORDS, *FILLERS]
    special = [
        {
            "id": n,
            "content": w,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for n, w in enumerate(SPECIALS)
    ]
    cls, sep, a, b = (
        {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
        {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
        {"Sequence": {"id": "B", "type_id": 1}},
    )
    return {
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": 128, "strategy": "LongestFirst", "stride": 0},
        "padding": None,
        "added_tokens": special,
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [cls, a, sep],
            "pair": [cls, a, sep, b, {"SpecialToken": {"id": "[SEP]", "type_id": 1}}],
            "special_tokens": {w: {"id": w, "ids": [SPECIALS.index(w)], "tokens": [w]} for w in ("[CLS]", "[SEP]")},
        },
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": {w: n for n, w in enumerate(words)}, "unk_token": "[UNK]"},
    }


def inputs(names: tuple[str, ...] = ("input_ids", "attention_mask", "token_type_ids")) -> list[object]:
    return [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"]) for name in names]


OUTPUT = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 3])]


def constant(name: str, value: object, kind: type = np.int64) -> object:
    return numpy_helper.from_array(np.asarray(value, dtype=kind), name)


def overlap() -> object:
    node = helper.make_node
    initial = [
        constant("zero", 0), constant("one", 1), constant("three", 3), constant("not", len(SPECIALS)),
        constant("ax1", [1]), constant("ax2", [2]), constant("ax1o", [1]), constant("floor", 1.0, np.float32),
        constant("cut", 0.75, np.float32), constant("slope", 20.0, np.float32), constant("low", -5.0, np.float32),
    ]  # fmt: skip
    nodes = [
        node("Equal", ["token_type_ids", "one"], ["in_claim"]),
        node("Not", ["in_claim"], ["in_evidence"]),
        node("Greater", ["input_ids", "three"], ["known"]),
        node("Equal", ["input_ids", "one"], ["unknown"]),
        node("Or", ["known", "unknown"], ["word"]),
        node("And", ["word", "in_claim"], ["claim"]),
        node("And", ["known", "in_evidence"], ["evidence"]),
        node("Unsqueeze", ["input_ids", "ax2"], ["rows"]),
        node("Unsqueeze", ["input_ids", "ax1"], ["columns"]),
        node("Equal", ["rows", "columns"], ["same"]),
        node("Unsqueeze", ["claim", "ax2"], ["claim_rows"]),
        node("Unsqueeze", ["evidence", "ax1"], ["evidence_columns"]),
        node("And", ["same", "claim_rows"], ["same_claim"]),
        node("And", ["same_claim", "evidence_columns"], ["match"]),
        node("Cast", ["match"], ["match_f"], to=TensorProto.FLOAT),
        node("ReduceMax", ["match_f", "ax2"], ["found"], keepdims=0),
        node("ReduceSum", ["found", "ax1o"], ["n_found"], keepdims=1),
        node("Cast", ["claim"], ["claim_f"], to=TensorProto.FLOAT),
        node("ReduceSum", ["claim_f", "ax1o"], ["n_claim"], keepdims=1),
        node("Max", ["n_claim", "floor"], ["n_safe"]),
        node("Div", ["n_found", "n_safe"], ["share"]),
        node("Sub", ["share", "cut"], ["over"]),
        node("Mul", ["over", "slope"], ["strength"]),
        node("Equal", ["input_ids", "not"], ["is_not"]),
        node("And", ["is_not", "in_claim"], ["not_claim"]),
        node("And", ["is_not", "in_evidence"], ["not_evidence"]),
        node("Cast", ["not_claim"], ["not_claim_f"], to=TensorProto.FLOAT),
        node("Cast", ["not_evidence"], ["not_evidence_f"], to=TensorProto.FLOAT),
        node("ReduceMax", ["not_claim_f", "ax1o"], ["c"], keepdims=1),
        node("ReduceMax", ["not_evidence_f", "ax1o"], ["e"], keepdims=1),
        node("Equal", ["c", "e"], ["agree"]),
        node("Where", ["agree", "strength", "low"], ["supported"]),
        node("Where", ["agree", "low", "strength"], ["refuted"]),
        node("Sub", ["share", "share"], ["insufficient"]),
        node("Concat", ["supported", "refuted", "insufficient"], ["logits"], axis=1),
    ]
    return helper.make_graph(nodes, "overlap", inputs(), OUTPUT, initial)


def broken() -> object:
    nodes = [
        helper.make_node("Cast", ["input_ids"], ["x"], to=TensorProto.FLOAT),
        helper.make_node("ReduceMean", ["x", "axis"], ["mean"], keepdims=1),
        helper.make_node("Sub", ["mean", "mean"], ["nothing"]),
        helper.make_node("Div", ["nothing", "nothing"], ["nan"]),
        helper.make_node("Concat", ["nan", "nan", "nan"], ["logits"], axis=1),
    ]
    return helper.make_graph(nodes, "nan", inputs(("input_ids",)), OUTPUT, [constant("axis", [1])])


def outside(name: str, shape: list[int], kind: int, size: int) -> TensorProto:
    tensor = TensorProto(name=name, data_type=kind, dims=shape, data_location=TensorProto.EXTERNAL)
    for key, value in (("location", "weights.bin"), ("offset", "0"), ("length", str(size))):
        tensor.external_data.add(key=key, value=value)
    return tensor


def packed() -> object:
    vocabulary = len(SPECIALS) + len(WORDS) + len(FILLERS)
    initial = [
        outside("words", [vocabulary, WIDTH], TensorProto.FLOAT, 4 * vocabulary * WIDTH),
        outside("out", [WIDTH, 3], TensorProto.INT8, WIDTH * 3),
        outside("out_scale", [3], TensorProto.FLOAT, 12),
        outside("out_zero", [3], TensorProto.INT8, 3),
        constant("axis", [1]),
    ]
    nodes = [
        helper.make_node("Gather", ["words", "ids"], ["x"]),
        helper.make_node("ReduceMean", ["x", "axis"], ["mean"], keepdims=0),
        helper.make_node("DequantizeLinear", ["out", "out_scale", "out_zero"], ["weights"], axis=1),
        helper.make_node("MatMul", ["mean", "weights"], ["logits"]),
    ]
    return helper.make_graph(nodes, "packed", inputs(("ids",)), OUTPUT, initial)


def main() -> None:
    (HERE / "tokenizer.json").write_text(json.dumps(tokenizer(), ensure_ascii=False, separators=(",", ":")))
    for name, graph in (("overlap", overlap()), ("nan", broken()), ("packed", packed())):
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
        if name != "packed":
            checker.check_model(model)
        save(model, HERE / f"{name}.onnx")


if __name__ == "__main__":
    main()

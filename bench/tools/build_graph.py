"""
Write ``encode/minilm.onnx`` and ``encode/multilingual.onnx``: encoders as graphs without weights.

Every initialiser of MiniLM's is external data that points into the published ``model.safetensors``
by byte offset, so the graph is 23 KB, the weights are the file whose hash everybody knows, and
installing the model converts nothing. Those of multilingual-e5-small are in four bits, and are
given from memory when a session starts; its words come in as vectors. The fused operators
(``com.microsoft``) are part of every ONNX Runtime build; transposed and concatenated weights are
folded once, when a session starts.

    python bench/tools/build_graph.py model.safetensors src/hippocampus/encode/minilm.onnx
    python bench/tools/build_graph.py e5-small-q4.bin src/hippocampus/encode/multilingual.onnx
"""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from hippocampus.encode.e5_file import read_e5

LAYERS, HEADS, WIDTH = 6, 12, 384
EPSILON = 1e-12
FUSED = "com.microsoft"


class Graph:
    """Collects nodes and initialisers; ``layout`` is the header of the safetensors file."""

    def __init__(self, weights: Path):
        with weights.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            self.layout = json.loads(file.read(length))
        self.first_byte = 8 + length
        self.location = weights.name
        self.nodes: list[onnx.NodeProto] = []
        self.initialisers: list[onnx.TensorProto] = []

    def weight(self, name: str) -> str:
        """Declare a tensor of the safetensors file."""
        entry = self.layout[name]
        if entry["dtype"] != "F32":
            msg = f"{name} is {entry['dtype']}: the graph is written for F32 weights"
            raise ValueError(msg)
        start, end = entry["data_offsets"]
        tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=entry["shape"])
        tensor.data_location = TensorProto.EXTERNAL
        where = {
            "location": self.location,
            "offset": self.first_byte + start,
            "length": end - start,
        }
        for key, value in where.items():
            tensor.external_data.add(key=key, value=str(value))
        self.initialisers.append(tensor)
        return name

    def constant(self, name: str, value: np.ndarray | np.generic) -> str:
        self.initialisers.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(
        self, op: str, inputs: list[str], output: str, *, domain: str = "", **attributes
    ) -> str:
        self.nodes.append(helper.make_node(op, inputs, [output], domain=domain, **attributes))
        return output

    def matmul(self, x: str, weight: str, output: str) -> str:
        """Multiply by a PyTorch weight, which lies as (out, in)."""
        turned = self.node("Transpose", [self.weight(weight)], f"{weight}.T", perm=[1, 0])
        return self.node("MatMul", [x, turned], output)

    def add_and_norm(self, x: str, bias: str, residual: str, norm: str, output: str) -> str:
        inputs = [x, residual, *map(self.weight, (f"{norm}.weight", f"{norm}.bias", bias))]
        return self.node("SkipLayerNormalization", inputs, output, domain=FUSED, epsilon=EPSILON)


def embeddings(graph: Graph) -> str:
    """Return words + positions + the one token type, normalised."""
    e = "embeddings"
    zero, one = graph.constant("zero", np.array([0])), graph.constant("one", np.array([1]))
    words = graph.node(
        "Gather", [graph.weight(f"{e}.word_embeddings.weight"), "input_ids"], "words"
    )
    kinds = graph.node("Gather", [graph.weight(f"{e}.token_type_embeddings.weight"), zero], "kind")
    places = graph.node("Add", [graph.weight(f"{e}.position_embeddings.weight"), kinds], "places")
    length = graph.node("Shape", ["input_ids"], "length", start=1, end=2)
    used = graph.node("Slice", [places, zero, length, zero, one], "used_places")
    norm = [graph.weight(f"{e}.LayerNorm.weight"), graph.weight(f"{e}.LayerNorm.bias")]
    summed = graph.node("Add", [words, used], "summed")
    return graph.node("LayerNormalization", [summed, *norm], "embedded", epsilon=EPSILON)


def layer(graph: Graph, x: str, number: int, output: str) -> str:
    """Append one transformer layer."""
    p, o = f"encoder.layer.{number}", f"layer{number}"
    parts = [f"{p}.attention.self.{part}" for part in ("query", "key", "value")]
    turned = [
        graph.node("Transpose", [graph.weight(f"{part}.weight")], f"{part}.weight.T", perm=[1, 0])
        for part in parts
    ]
    weight = graph.node("Concat", turned, f"{o}.qkv.weight", axis=1)
    biases = [graph.weight(f"{part}.bias") for part in parts]
    bias = graph.node("Concat", biases, f"{o}.qkv.bias", axis=0)
    mixed = graph.node(
        "Attention", [x, weight, bias, "lengths"], f"{o}.mixed", domain=FUSED, num_heads=HEADS
    )
    dense = f"{p}.attention.output"
    attended = graph.add_and_norm(
        graph.matmul(mixed, f"{dense}.dense.weight", f"{o}.attention"),
        f"{dense}.dense.bias", x, f"{dense}.LayerNorm", f"{o}.attended",
    )  # fmt: skip
    wide = graph.matmul(attended, f"{p}.intermediate.dense.weight", f"{o}.wide")
    bent = graph.node(
        "BiasGelu", [wide, graph.weight(f"{p}.intermediate.dense.bias")], f"{o}.bent", domain=FUSED
    )
    return graph.add_and_norm(
        graph.matmul(bent, f"{p}.output.dense.weight", f"{o}.narrow"),
        f"{p}.output.dense.bias", attended, f"{p}.output.LayerNorm", output,
    )  # fmt: skip


def build(weights: Path) -> bytes:
    """Return the serialised graph for a safetensors file of all-MiniLM-L6-v2."""
    graph = Graph(weights)
    x = embeddings(graph)
    for number in range(LAYERS):
        x = layer(graph, x, number, "hidden" if number == LAYERS - 1 else f"layer{number}.out")
    inputs = [
        helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "length"]),
        helper.make_tensor_value_info("lengths", TensorProto.INT32, ["batch"]),
    ]
    hidden = helper.make_tensor_value_info("hidden", TensorProto.FLOAT, ["batch", "length", WIDTH])
    made = helper.make_graph(graph.nodes, "minilm", inputs, [hidden], graph.initialisers)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(FUSED, 1)]
    model = helper.make_model(made, opset_imports=opsets, ir_version=8, producer_name="hippocampus")
    return model.SerializeToString(deterministic=True)


def build_e5(weights: Path) -> bytes:
    """Return the serialised graph for a file of multilingual-e5-small."""
    read = read_e5(weights)
    shapes = {name: _shape(name, read.width) for name in read.names if name != "emb.word"}
    initialisers = [_given(name, shape) for name, shape in shapes.items()]
    nodes: list[onnx.NodeProto] = []

    def node(op: str, inputs: list[str], output: str, *, domain: str = "", **attributes) -> str:
        nodes.append(helper.make_node(op, inputs, [output], domain=domain, **attributes))
        return output

    def add_and_norm(x: str, residual: str, norm: str, bias: str, output: str) -> str:
        inputs = [x, residual, f"{norm}.w", f"{norm}.b", bias]
        return node("SkipLayerNormalization", inputs, output, domain=FUSED, epsilon=EPSILON)

    for name, value in (("zero", np.array([0])), ("one", np.array([1]))):
        initialisers.append(numpy_helper.from_array(value, name))
    kind = node("Gather", ["emb.type", "zero"], "kind")
    places = node("Add", ["emb.pos", kind], "places")
    length = node("Shape", ["words"], "length", start=1, end=2)
    used = node("Slice", [places, "zero", length, "zero", "one"], "used_places")
    summed = node("Add", ["words", used], "summed")
    norm = [summed, "emb.ln.w", "emb.ln.b"]
    x = node("LayerNormalization", norm, "embedded", epsilon=EPSILON)
    layers = sum(name.endswith(".q.w") for name in shapes)
    for number in range(layers):
        p = f"l{number}"
        weight = node("Concat", [f"{p}.{part}.w" for part in "qkv"], f"{p}.qkv.w", axis=1)
        bias = node("Concat", [f"{p}.{part}.b" for part in "qkv"], f"{p}.qkv.b", axis=0)
        inputs = [x, weight, bias, "lengths"]
        mixed = node("Attention", inputs, f"{p}.mixed", domain=FUSED, num_heads=HEADS)
        out = node("MatMul", [mixed, f"{p}.ao.w"], f"{p}.attention")
        attended = add_and_norm(out, x, f"{p}.aln", f"{p}.ao.b", f"{p}.attended")
        wide = node("MatMul", [attended, f"{p}.fi.w"], f"{p}.wide")
        bent = node("BiasGelu", [wide, f"{p}.fi.b"], f"{p}.bent", domain=FUSED)
        narrow = node("MatMul", [bent, f"{p}.fo.w"], f"{p}.narrow")
        last = "hidden" if number == layers - 1 else f"{p}.out"
        x = add_and_norm(narrow, attended, f"{p}.oln", f"{p}.fo.b", last)
    float32 = TensorProto.FLOAT
    inputs = [
        helper.make_tensor_value_info("words", float32, ["batch", "length", read.width]),
        helper.make_tensor_value_info("lengths", TensorProto.INT32, ["batch"]),
    ]
    hidden = helper.make_tensor_value_info("hidden", float32, ["batch", "length", read.width])
    made = helper.make_graph(nodes, "multilingual", inputs, [hidden], initialisers)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid(FUSED, 1)]
    model = helper.make_model(made, opset_imports=opsets, ir_version=8, producer_name="hippocampus")
    return model.SerializeToString(deterministic=True)


def _shape(name: str, width: int) -> list[int]:
    """Return the shape of a tensor as the graph multiplies by it: (in, out)."""
    part = name.partition(".")[2]
    if name in ("emb.pos", "emb.type"):
        return [512 if name == "emb.pos" else 2, width]
    if part in ("q.w", "k.w", "v.w", "ao.w"):
        return [width, width]
    return {"fi.w": [width, 4 * width], "fo.w": [4 * width, width], "fi.b": [4 * width]}.get(
        part, [width]
    )


def _given(name: str, shape: list[int]) -> onnx.TensorProto:
    """Declare a tensor that a session is given."""
    tensor = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=shape)
    tensor.data_location = TensorProto.EXTERNAL
    size = 4 * int(np.prod(shape))
    for key, value in {"location": "memory", "offset": 0, "length": size}.items():
        tensor.external_data.add(key=key, value=str(value))
    return tensor


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    made = build(source) if source.suffix == ".safetensors" else build_e5(source)
    print(f"{target}: {target.write_bytes(made):,} bytes")

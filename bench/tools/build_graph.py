"""
Write ``encode/minilm.onnx``: the MiniLM encoder as a graph whose weights stay where they are.

Every initialiser is external data that points into the published ``model.safetensors`` by byte
offset, so the graph is 23 KB, the weights are the file whose hash everybody knows, and installing
the model converts nothing. The fused operators (``com.microsoft``) are part of every ONNX Runtime
build; transposed and concatenated weights are folded once, when a session starts.

    python bench/tools/build_graph.py model.safetensors src/hippocampus/encode/minilm.onnx
"""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

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


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    print(f"{target}: {target.write_bytes(build(source)):,} bytes")

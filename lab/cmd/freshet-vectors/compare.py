"""Holds the vectors of freshet-vectors against ONNX Runtime's, text by text, and the time
that both take on one thread: in float32, and in int8, where ONNX Runtime has the model
that was published so. See `make vectors`.

compare.py PROGRAM NAME FOLDER INT8-FOLDER ARCHIVE INT8-ARCHIVE TEXTS-FOLDER
"""
import json, pathlib, subprocess, sys, tempfile, time, zipfile

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

program, name, folder, bytes_folder, archive, bytes_archive, docs = sys.argv[1:]
texts = []
for page in sorted(pathlib.Path(docs).rglob("*.md")):
    texts += [p.strip() for p in page.read_text().split("\n\n") if len(p.strip()) > 20]
texts = texts[:: max(1, len(texts) // 300)][:300] + ["naïve café, ÅNGSTRÖM", "湖 and 水", "[SEP] [MASK]", "a" * 200, "", "don't_stop(me)"]

scratch = pathlib.Path(tempfile.mkdtemp())
(scratch / "texts.json").write_text(json.dumps(texts))
length = json.loads((pathlib.Path(folder) / "sentence_bert_config.json").read_text())["max_seq_length"]
first = json.loads((pathlib.Path(folder) / "1_Pooling/config.json").read_text())["pooling_mode_cls_token"]
prompts = json.loads((pathlib.Path(folder) / "config_sentence_transformers.json").read_text())["prompts"] or {}


def ours(model):
    told = json.loads(subprocess.run([program, "-model", model, "-texts", scratch / "texts.json", "-out", scratch / "vectors"],
                                     check=True, capture_output=True, text=True).stdout)
    v = np.fromfile(scratch / "vectors", dtype="<f4").reshape(len(texts), told["dims"])
    return v / np.linalg.norm(v, axis=1, keepdims=True), told["seconds"]


def theirs(file):
    with zipfile.ZipFile(file) as z:
        model = next(n for n in z.namelist() if n.endswith(".onnx"))
        words = next(n for n in z.namelist() if n.endswith("tokenizer.json"))
        tokenizer = Tokenizer.from_str(z.read(words).decode())
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(z.read(model), options, providers=["CPUExecutionProvider"])
    tokenizer.no_padding()
    tokenizer.enable_truncation(length)

    def embed(text):
        ids = np.array([tokenizer.encode(prompts.get("passage", "") + text).ids], dtype=np.int64)
        states = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)})[0][0]
        v = states[0] if first else states.mean(0)
        return v / np.linalg.norm(v)

    embed("warm")
    start = time.perf_counter()
    vectors = np.array([embed(t) for t in texts])
    return vectors, time.perf_counter() - start


def nearest(vectors):
    likeness = vectors @ vectors.T
    np.fill_diagonal(likeness, -2)
    return np.argsort(-likeness, axis=1, kind="stable")[:, :10]


ways = {"ONNX Runtime float32": theirs(archive), "freshet float32": ours(folder), "freshet int8": ours(bytes_folder), "ONNX Runtime int8": theirs(bytes_archive)}
want, took = ways["ONNX Runtime float32"]
ten = nearest(want)
print(f"{name}, {len(texts)} texts: cosine with ONNX Runtime in float32, mean and least; how many of a text's ten nearest are the same; time beside it")
for way, (got, seconds) in ways.items():
    cosine = (got * want).sum(1)
    same = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(nearest(got), ten)])
    print(f"  {way:20}  {cosine.mean():.5f}  {cosine.min():.4f}  {100 * same:5.1f} %  {seconds / took:.2f} ×")

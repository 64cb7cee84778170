"""Holds the vectors of freshet-vectors against ONNX Runtime's, text by text, and the time
that both take on one thread. See `make vectors`.

compare.py PROGRAM NAME MODEL-FOLDER ARCHIVE TEXTS-FOLDER
"""
import json, pathlib, subprocess, sys, tempfile, time, zipfile

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

program, name, folder, archive, docs = sys.argv[1:]
texts = []
for page in sorted(pathlib.Path(docs).rglob("*.md")):
    texts += [p.strip() for p in page.read_text().split("\n\n") if len(p.strip()) > 20]
texts = texts[:: max(1, len(texts) // 300)][:300] + ["naïve café, ÅNGSTRÖM", "湖 and 水", "[SEP] [MASK]", "a" * 200, "", "don't_stop(me)"]

scratch = pathlib.Path(tempfile.mkdtemp())
(scratch / "texts.json").write_text(json.dumps(texts))
ours = json.loads(subprocess.run([program, "-model", folder, "-texts", scratch / "texts.json", "-out", scratch / "vectors"],
                                 check=True, capture_output=True, text=True).stdout)
got = np.fromfile(scratch / "vectors", dtype="<f4").reshape(len(texts), ours["dims"])

with zipfile.ZipFile(archive) as z:
    model = next(n for n in z.namelist() if n.endswith(".onnx"))
    words = next(n for n in z.namelist() if n.endswith("tokenizer.json"))
    tokenizer = Tokenizer.from_str(z.read(words).decode())
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(z.read(model), options, providers=["CPUExecutionProvider"])
length = json.loads((pathlib.Path(folder) / "sentence_bert_config.json").read_text())["max_seq_length"]
first = json.loads((pathlib.Path(folder) / "1_Pooling/config.json").read_text())["pooling_mode_cls_token"]
prompts = json.loads((pathlib.Path(folder) / "config_sentence_transformers.json").read_text())["prompts"] or {}
tokenizer.no_padding()
tokenizer.enable_truncation(length)

def embed(text):
    ids = np.array([tokenizer.encode(prompts.get("passage", "") + text).ids], dtype=np.int64)
    states = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)})[0][0]
    v = states[0] if first else states.mean(0)
    return v / np.linalg.norm(v)

embed("warm")
start = time.perf_counter()
want = np.array([embed(t) for t in texts])
took = time.perf_counter() - start
cosine = (got * want).sum(1) / np.linalg.norm(got, axis=1)
print(f"{name}: {len(texts)} texts, cosine with ONNX Runtime (fp32) mean {cosine.mean():.6f}, least {cosine.min():.6f} "
      f"(vectors of int8); time {ours['seconds'] / took:.2f} × that of ONNX Runtime")

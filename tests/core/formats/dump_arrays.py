"""Prints what NumPy and safetensors find in exported files, one array a line:
format, name, dtype, shape, and the bytes as hexadecimal digits."""
import sys

import numpy
import safetensors

npz_file, safetensors_file = sys.argv[1:]

with numpy.load(npz_file, allow_pickle=False) as archive:
    for name in archive.files:
        array = archive[name]
        if array.dtype.kind == "U":
            print("npz-text", name, array.dtype.str, list(array.shape), str(array).encode().hex(),
                  sep="\t")
        else:
            assert array.flags.c_contiguous
            print("npz", name, array.dtype.str, list(array.shape), array.tobytes().hex(), sep="\t")

with open(safetensors_file, "rb") as file:
    for name, tensor in safetensors.deserialize(file.read()):
        print("safetensors", name, tensor["dtype"], list(tensor["shape"]),
              bytes(tensor["data"]).hex(), sep="\t")

with safetensors.safe_open(safetensors_file, framework="numpy") as file:
    print("metadata", "earscope", file.metadata()["earscope"].encode().hex(), sep="\t")

"""People in wards who guard diseases, under names of nodes that must not be heard anywhere."""

import numpy as np
import pyarrow as pa

import sfumato as sf

PROMISE = sf.PersonalizedPrivacy(2, "guard")
SECRETS = {"WISHaa31": ["flu", "cold"], "WISHbb72": ["HIV", "hepatitis"]}  # node names


def wards_source(n=120, seed=3) -> pa.Table:
    draw = np.random.default_rng(seed)
    disease = draw.choice(
        ["flu", "cold", "HIV", "hepatitis", "none"], n, p=[0.2, 0.2, 0.1, 0.1, 0.4]
    )
    guard = draw.choice([*SECRETS, "HIV", None], n, p=[0.1, 0.1, 0.1, 0.7])
    return pa.table(
        {
            "age": draw.integers(20, 60, n),
            "zip": [f"0{z}" for z in draw.integers(100, 108, n)],
            "disease": disease,
            "guard": guard,
            "row": list(range(n)),
        }
    )


def read(source, **changed) -> sf.Table:
    roles = {
        "quasi_identifiers": {"age": sf.Intervals(5, 20), "zip": sf.Prefix()},
        "sensitive": "disease",
        "hierarchies": {"disease": sf.Tree(SECRETS | {"none": None})},
    }
    return sf.read(source, **(roles | changed))

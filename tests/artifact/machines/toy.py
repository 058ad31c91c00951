"""A source made by hand, in the layout of Sailor's files: four blocks, two clusters, round numbers."""

import io

import pandas as pd

from artifact.machines.sailor import Sailor

MEGA = 1_000_000
HIDDEN, TOKENS, WORDS = 1000, 2048, 50_304

MEASURED = """\
id,cluster,model,nodes,gpus,stages,replicas,tensor_parallel,microbatch,global_batch,microbatches,layers_per_stage,gpu_types,iteration_s,exchange_s,peak_bytes,use,flag,file
toy-1,gh200,toy,1,1,1,1,1,1,8,8,6,G,20.0,0.01,10e9,yes,,a
toy-2,gh200,toy,4,4,2,2,1,1,8,4,3-3,G,10.0,0.5,10e9,yes,,a
toy-3,gh200,toy,4,4,1,4,1,1,8,2,6,G,10.0,1.0,10e9,yes,,a
toy-4,mixed,toy,4,4,2,2,1,1,8,4,3-3,G+H;H+G,10.0,0.5,10e9,yes,,a
toy-5,mixed,toy,4,4,2,2,1,1,8,4,3-3,G+H;H+G,1.0,0.5,10e9,no,copy,a
"""
PROFILES = """\
model,gpu,microbatch,tensor_parallel,first_layer,last_layer,forward_s,backward_s,update_s,set
toy,G,1,1,0,0,0.25,0.5,0.125,simulator
toy,G,1,1,1,4,0.25,0.5,0.125,simulator
toy,G,1,1,5,5,0.5,1.0,0.125,simulator
toy,H,1,1,0,4,0.5,1.0,0.25,simulator
toy,H,1,1,5,5,1.0,2.0,0.25,simulator
toy,G,1,1,0,5,0.5,1.0,0.125,planner
"""
LAYERS = f"""\
model,tensor_parallel,first_layer,last_layer,parameters,input_values,output_values,kept_values
toy,1,0,0,{WORDS * HIDDEN},{TOKENS},{HIDDEN * TOKENS},{MEGA}
toy,1,1,4,{10 * MEGA},{HIDDEN * TOKENS},{HIDDEN * TOKENS},{20 * MEGA}
toy,1,5,5,{WORDS * HIDDEN},{HIDDEN * TOKENS},{WORDS * TOKENS + 1},{50 * MEGA}
"""
NETWORK = """\
where,sender,sender_gpus,receiver,receiver_gpus,c2,c1,c0,max_bytes_per_s
between,G,1,G,1,0.0,0.0,1.0,1000000000.0
between,G,1,H,1,0.0,0.0,0.5,500000000.0
between,H,1,G,1,0.0,0.0,0.25,250000000.0
between,H,1,H,1,0.0,0.0,1.0,1000000000.0
"""
RIVALS = """\
id,simulator,iteration_s,peak_bytes,seconds_to_predict
toy-1,sailor,22.0,11e9,0.001
toy-2,sailor,,,
"""
CSV = {"measured": MEASURED, "profiles": PROFILES, "layers": LAYERS, "network": NETWORK, "rivals": RIVALS}
"""The files of the source, as text."""


def toy_source(**changed: str) -> Sailor:
    """The source; files may be given as other text."""
    texts = dict.fromkeys(("layers_per_stage",), str)
    return Sailor({file: pd.read_csv(io.StringIO(text), dtype=texts) for file, text in (CSV | changed).items()})

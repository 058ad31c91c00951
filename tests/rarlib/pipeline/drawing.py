"""A run drawn with one character per second: digits are forward passes, letters backward passes of minibatches."""


def draw(run):
    """One line per worker."""
    ops = run.operations()
    ops = ops[ops["kind"].isin(["forward", "backward"])]
    lines = []
    for _, own in ops.groupby(["stage", "replica"]):
        line = []
        for op in own.itertuples():
            sign = "0123456789"[op.minibatch] if op.kind == "forward" else "abcdefghij"[op.minibatch]
            line += "." * (round(op.start_s) - len(line)) + sign * round(op.end_s - op.start_s)
        lines.append("".join(line))
    return lines

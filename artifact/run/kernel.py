"""The kernel of a notebook that a job runs: `python -m artifact.run.kernel ARGUMENTS OF IPYTHON`."""

import os
import signal

from artifact.run.forks import hand_over

# A kernel is interrupted before it is asked to end; the process that waits for its end stays.
signal.signal(signal.SIGINT, signal.SIG_IGN)
hand_over("matplotlib_inline.backend_inline")
signal.signal(signal.SIGINT, signal.default_int_handler)

from ipykernel.kernelapp import IPKernelApp

from artifact.run.jobs import spent

log = os.dup(1)  # IPython takes the stream
IPKernelApp.launch_instance()
os.write(log, f"kernel: {spent()}\n".encode())

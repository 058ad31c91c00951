# The public names, and where each is defined; docs/api.md is made from them by `python -m tools.api`.
from rarlib.bounds.lower_bounds import Bound as Bound
from rarlib.bounds.lower_bounds import largest_bound as largest_bound
from rarlib.bounds.lower_bounds import lower_bounds as lower_bounds
from rarlib.cost.goodput.assigned import Assigned as Assigned
from rarlib.cost.goodput.assigned import assign_applications as assign_applications
from rarlib.cost.named import cost_model_names as cost_model_names
from rarlib.cost.named import make_cost_model as make_cost_model
from rarlib.declared import scheduler_names as scheduler_names
from rarlib.discovery import make_scheduler as make_scheduler
from rarlib.evaluation.evaluate import Evaluation as Evaluation
from rarlib.evaluation.evaluate import evaluate as evaluate
from rarlib.model.cluster import Cluster as Cluster
from rarlib.model.decisions import Allocation as Allocation
from rarlib.model.decisions import Start as Start
from rarlib.model.decisions import Stop as Stop
from rarlib.model.decisions import Wake as Wake
from rarlib.model.errors import DecisionError as DecisionError
from rarlib.model.errors import InputError as InputError
from rarlib.model.errors import SchedulerError as SchedulerError
from rarlib.model.jobs import Job as Job
from rarlib.model.jobs import Jobs as Jobs
from rarlib.model.prices import Prices as Prices
from rarlib.model.scheduler import Scheduler as Scheduler
from rarlib.model.scheduler import View as View
from rarlib.plot.style import Look as Look
from rarlib.plot.style import look as look
from rarlib.records.compare import compare as compare
from rarlib.records.write import write_run as write_run
from rarlib.simulator.cost_models import CostModel as CostModel
from rarlib.simulator.engine import simulate as simulate
from rarlib.simulator.run import Run as Run
from rarlib.traces.load import Trace as Trace
from rarlib.traces.load import load_trace as load_trace
from rarlib.traces.table import ParsedTrace as ParsedTrace

__version__: str

"""Where the rules of the pipeline are that the Snakefile of a study includes."""

from rarlib.model.project import ROOT


def study_rules() -> str:
    """Path of the rules for a study."""
    return str(ROOT / "workflow" / "rules" / "study.smk")

"""The figures of a study, a notebook each, as `figures.yaml` of the project describes them."""

from typing import Any

from artifact.study.document import Study


def figures_of_study(study: Study) -> dict[str, dict[str, Any]]:
    """Figures by name, as `figures.yaml` of the project has them."""
    return {
        name: {
            "title": each["title"],
            "category": study.title,
            "tables": [f"{study.name}-{table}" for table in each["tables"]],
            "caption": each["caption"],
            "alt": each["alt"],
        }
        for name, each in study.figures.items()
    }

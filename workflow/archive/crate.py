"""RO-Crate metadata of a deposit, profile Provenance Run Crate 0.5: facts (JSON) on stdin, metadata on stdout.

It runs in the environment of workflow/archive/tools.lock, the only one that has the package rocrate.
"""

import json
import sys
from pathlib import PurePosixPath

from rocrate.model.contextentity import ContextEntity
from rocrate.rocrate import ROCrate

PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/provenance/0.5": ("Provenance Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
WORKFLOW_PROFILE = "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"
FORMATS = {
    ".cff": "application/yaml", ".csv": "text/csv", ".html": "text/html", ".ipynb": "application/x-ipynb+json",
    ".json": "application/json", ".md": "text/markdown", ".pdf": "application/pdf", ".py": "text/x-python",
    ".svg": "image/svg+xml", ".tsv": "text/tab-separated-values", ".yaml": "application/yaml", ".lock": "text/plain",
}  # fmt: skip
ENGINE = "https://snakemake.github.io"
PLAIN = "text/plain"


class Crate:
    """The crate under construction."""

    def __init__(self, facts):
        self.facts, self.crate = facts, ROCrate(version="1.1")

    def add(self, identifier, kind, /, **properties):
        """An entity, once; a reference to it."""
        found = self.crate.dereference(identifier)
        return found or self.crate.add(ContextEntity(self.crate, identifier, {"@type": kind, **properties}))

    def file(self, path, kind="File", /, **properties):
        """A file of the deposit, with its digest."""
        known = self.facts["files"][path]
        form = FORMATS.get(PurePosixPath(path).suffix, PLAIN)
        about = {"name": PurePosixPath(path).name, "encodingFormat": form, "contentSize": str(known["bytes"])}
        entity = self.add(path, kind, **{**about, "sha256": known["sha256"], **properties})
        self.crate.root_dataset.append_to("hasPart", entity)
        return entity

    def parameter(self, identifier, label, kind):
        """A formal parameter of the workflow or of a notebook."""
        about = {"conformsTo": {"@id": "https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE"}, "name": label}
        return self.add(identifier, "FormalParameter", additionalType=kind, **about)


def describe(facts):
    """The crate of all facts."""
    made = Crate(facts)
    crate, root = made.crate, made.crate.root_dataset
    organisation = made.add(f"{facts['url']}#contributors", "Organization", name=facts["author"], url=facts["url"])
    terms = facts["licence"]
    licence = made.add(terms["id"], "CreativeWork", name=terms["name"], identifier=terms["id"],
                       description=terms["description"])  # fmt: skip
    root["name"], root["description"] = facts["name"], facts["abstract"]
    root["datePublished"], root["license"], root["author"] = facts["day"], licence, organisation
    root["publisher"], root["identifier"] = organisation, facts["directory"]
    crate.metadata["conformsTo"] = [{"@id": "https://w3id.org/ro/crate/1.1"}, {"@id": list(PROFILES)[-1]}]
    root["conformsTo"] = [made.add(url, "CreativeWork", name=name, version=version)
                          for url, (name, version) in PROFILES.items()]  # fmt: skip
    snakemake = made.add(
        ENGINE, "SoftwareApplication", name="Snakemake", url=ENGINE, softwareVersion=facts["snakemake"]
    )
    language = made.add("https://w3id.org/workflowhub/workflow-ro-crate#snakemake", "ComputerLanguage",
                        name="Snakemake", identifier={"@id": ENGINE}, url={"@id": ENGINE})  # fmt: skip
    program = facts["workflow"]
    workflow = made.file(program["file"], ["File", "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"],
                         name=program["name"], version=program["version"], url=facts["url"], license=licence,
                         encodingFormat=PLAIN, programmingLanguage=language)  # fmt: skip
    workflow["conformsTo"] = made.add(WORKFLOW_PROFILE, "CreativeWork", name="ComputationalWorkflow", version="1.0")
    root["mainEntity"] = workflow
    ledger = made.parameter("#ledger", "ledger of claims", "File")
    configuration = made.parameter("#configuration", "configuration", "File")
    workflow["input"], workflow["output"] = [configuration], [ledger]
    given = [made.file(name, exampleOfWork=configuration) for name in facts["configuration"]]
    gives = made.file("results/claims.csv", exampleOfWork=ledger)
    configuration["workExample"], ledger["workExample"] = given, [gives]
    for name in facts["described"]:
        made.file(name)
    readme = crate.dereference("README.md")
    readme["about"] = root
    steps = [
        figure_entities(made, number, *item, organisation) for number, item in enumerate(facts["figures"].items(), 1)
    ]
    workflow["hasPart"] = [step["tool"] for step in steps]
    workflow["step"] = [step["step"] for step in steps]
    whole = made.add("#run", "CreateAction", name="Run of the pipeline", instrument=workflow, object=given,
                     description=f"All results, from commit {facts['commit']}", result=[gives], agent=organisation,
                     startTime=min((f["started"] for f in facts["figures"].values()), default=facts["moment"]),
                     endTime=max((f["ended"] for f in facts["figures"].values()), default=facts["moment"]),
                     actionStatus="http://schema.org/CompletedActionStatus")  # fmt: skip
    made.add("#organize", "OrganizeAction", name="Snakemake's run", instrument=snakemake, result=whole,
             object=[step["control"] for step in steps], agent=organisation,
             description="Snakemake ran the steps of the pipeline")  # fmt: skip
    root["mentions"] = [whole, *(step["action"] for step in steps)]
    return crate


def figure_entities(made, number, name, figure, agent):
    """One figure: its notebook as a tool, the step, the run with inputs, parameters, times and software."""
    software = [made.add(f"https://pypi.org/project/{package}/{version}/", "SoftwareApplication", name=package,
                         url=f"https://pypi.org/project/{package}/", softwareVersion=version)
                for package, version in made.facts["software"].items()]  # fmt: skip
    tool = made.file(figure["notebook"], ["File", "SoftwareSourceCode"], name=f"Notebook of {name}",
                     version=made.facts["workflow"]["version"], url=made.facts["url"],
                     softwareRequirements=software)  # fmt: skip
    step = made.add(f"#step/{name}", "HowToStep", name=f"Draw {name}", position=str(number), workExample=tool)
    data = [made.add(f"#data/{source['name']}", "Dataset", **source) for source in figure["data"]]
    values = [made.add(f"#{name}/{key}", "PropertyValue", name=key, value=value)
              for key, value in figure["parameters"].items()]  # fmt: skip
    code = made.add(f"#code/{figure['code']}", "PropertyValue", name="digest of the code", value=figure["code"],
                    propertyID="https://w3id.org/ro/terms/workflow-run#sha256")  # fmt: skip
    inputs = [made.file(file) for file in [*figure["tables"], *figure["cells"]]]
    action = made.add(f"#run/{name}", "CreateAction", name=f"Run of the notebook of {name}",
                      description=figure["title"],
                      instrument=tool, object=[*inputs, *values, code, *data], agent=agent,
                      result=[made.file(file) for file in figure["results"]], startTime=figure["started"],
                      endTime=figure["ended"], actionStatus="http://schema.org/CompletedActionStatus")  # fmt: skip
    control = made.add(f"#control/{name}", "ControlAction", name=f"Snakemake's job of {name}", instrument=step,
                       object=action, agent=agent, description=f"Snakemake ran the notebook of {name}")  # fmt: skip
    return {"tool": tool, "step": step, "action": action, "control": control}


def plain(entity):
    """An entity whose lists of one are that one, as RO-Crate recommends."""
    return {key: value[0] if isinstance(value, list) and len(value) == 1 else value for key, value in entity.items()}


def main():
    """Read facts, write metadata."""
    content = describe(json.load(sys.stdin)).metadata.generate()
    content["@graph"] = sorted(map(plain, content["@graph"]), key=lambda entity: entity["@id"])
    json.dump(content, sys.stdout, indent=1, sort_keys=True)
    print()


if __name__ == "__main__":
    main()

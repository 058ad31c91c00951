"""Check a folder's RO-Crate without network: `check_crate.py FOLDER CACHE`, in the environment of tools.lock.

roc-validator takes the JSON-LD context from its cache when it is offline. The package rocrate holds the context, so it
is put there first, through an adapter that answers for the context's address.
"""

import json
import sys
from pathlib import Path

import rocrate
from requests import Response
from requests.adapters import BaseAdapter
from requests_cache import CachedSession
from rocrate_validator.models import Severity
from rocrate_validator.services import validate
from urllib3 import HTTPResponse

CONTEXT = "https://w3id.org/ro/crate/1.1/context"
PROFILE = "provenance-run-crate-0.5"
BIOSCHEMAS = "https://bioschemas.org/"
OLDER = {
    "ComputationalWorkflow": BIOSCHEMAS + "ComputationalWorkflow",
    "FormalParameter": BIOSCHEMAS + "FormalParameter",
    "input": BIOSCHEMAS + "ComputationalWorkflow#input",
    "output": BIOSCHEMAS + "ComputationalWorkflow#output",
}
"""rocrate holds the context of RO-Crate 1.3, which moved these four terms; the profile is one of RO-Crate 1.1."""

NOT_MEANT = "process-run-crate-0.5_5.1"
"""Wants an absolute URI of each program, also of those that are files of the crate, which must have a relative one."""


class Shipped(BaseAdapter):
    """Answers with the context that rocrate holds."""

    def send(self, request, **_options):
        """The context as a response."""
        context = json.loads((Path(rocrate.__file__).parent / "data" / "ro-crate.jsonld").read_text(encoding="utf-8"))
        context["@context"].update(OLDER)
        data = json.dumps(context).encode()
        found = Response()
        found.status_code, found.url, found.request, found._content = 200, request.url, request, data
        found.headers["Content-Type"] = "application/ld+json"
        found.raw = HTTPResponse(
            body=b"", status=200, headers=found.headers, request_url=request.url, preload_content=False
        )
        return found

    def close(self):
        """Nothing is open."""


def fill(cache):
    """Put the context where the validator looks for it."""
    session = CachedSession(cache_name=cache, expire_after=-1, backend="sqlite", allowable_codes=(200, 302, 404))
    session.mount("https://", Shipped())
    session.get(CONTEXT, headers={"Accept": "application/ld+json, application/json, */*;q=0.1"})


def main():
    """One line for each requirement or recommendation that is not met; exit code 1 if there is one."""
    folder, cache = sys.argv[1:]
    fill(cache)
    found = validate({
        "rocrate_uri": folder, "profile_identifier": PROFILE, "requirement_severity": Severity.RECOMMENDED,
        "offline": True, "cache_path": cache, "cache_max_age": -1, "abort_on_first": False,
    })  # fmt: skip
    issues = sorted(
        {
            f"{issue.check.identifier} {issue.violatingEntity}: {issue.message}"
            for issue in found.get_issues()
            if issue.check.identifier != NOT_MEANT
        }
    )
    print("\n".join(issues) if issues else f"meets what {PROFILE} requires and recommends")
    return int(bool(issues))


if __name__ == "__main__":
    sys.exit(main())

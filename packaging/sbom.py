#!/usr/bin/env python3
"""Write the bill of materials of a bundle, CycloneDX 1.6, from the account of third parties inside it.

python packaging/sbom.py BUNDLE OUTPUT
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def main(arguments: list[str]) -> int:
    """Write the file; return the exit code, 1 where it does not validate."""
    folder, output = Path(arguments[0]), Path(arguments[1])
    (account,) = [*folder.rglob("third-party.json")][:1]
    bill = bill_of(json.loads(account.read_text(encoding="utf-8")))
    text = json.dumps(bill, indent=1, ensure_ascii=False)
    output.write_text(text, encoding="utf-8")
    fault = fault_of(text)
    print(f"sbom: {len(bill['components'])} parts{', ' + fault if fault else ', valid CycloneDX 1.6'}")
    return 1 if fault else 0


def bill_of(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Describe the program and its parts."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    own = {"type": "application", "name": project["name"], "version": project["version"], "bom-ref": project["name"]}
    components = [_component(part) for part in parts]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid4()}",
        "version": 1,
        "metadata": {"timestamp": datetime.now(UTC).isoformat(timespec="seconds"), "component": own},
        "components": components,
        "dependencies": [{"ref": project["name"], "dependsOn": [part["bom-ref"] for part in components]}],
    }


def _component(part: dict[str, Any]) -> dict[str, Any]:
    name, version = part["name"], part["version"]
    component: dict[str, Any] = {"type": "library", "name": name, "version": version}
    component["licenses"] = [{"license": {"name": part["licence"]}}]
    address = {
        "python": f"pkg:pypi/{re.sub(r'[-_.]+', '-', name).lower()}@{version.replace('+', '%2B')}",
        "debian": f"pkg:deb/debian/{name.replace('+', '%2B')}@{version.replace('+', '%2B').replace(':', '%3A')}",
    }.get(part["kind"])
    component["bom-ref"] = address or f"{name}@{version}"
    if address:
        component["purl"] = address
    return component


def fault_of(text: str) -> str:
    """Return what the schema says against a bill, "" when nothing."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    fault = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    return str(fault) if fault else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

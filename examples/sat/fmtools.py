#!/usr/bin/python3
"""Prints a solver block from a description of FM-Tools (fm-tools.sosy-lab.org): fmtools.py FILE.yml VERSION PROGRAM.

PROGRAM is the path of the program in the archive, which is only in the tool-info module of BenchExec. The archive is that
of the DOI of the version, to be saved under the name that is printed. Needs Debian's python3-yaml.
"""
import json
import re
import sys

import yaml

file, wanted, program = sys.argv[1:]
with open(file, encoding="utf-8") as text:
    tool = yaml.safe_load(text)
versions = {str(v["version"]): v for v in tool.get("versions") or []}
if wanted not in versions:
    sys.exit(f"{file} has no version {wanted}; it has {', '.join(versions)}")
version = versions[wanted]
options = version.get("benchexec_toolinfo_options") or []
packages = version.get("required_ubuntu_packages") or []
name = re.sub(r"[^A-Za-z0-9_-]+", "-", tool["name"]).strip("-")
where = f"https://doi.org/{version['doi']}" if "doi" in version else version.get("url", "nowhere")
text = json.dumps  # HCL strings are JSON strings, except for templates
quote = lambda s: text(str(s)).replace("${", "$${").replace("%{", "%%{")

print(f"# {tool['name']} {wanted}, {tool.get('spdx_license_identifier', 'licence unknown')}: {where}")
if packages:
    print(f"# It needs {', '.join(packages)}.")
print(f"solver {quote(name)} {{")
print(f"  archive = {quote(f'archives/{name}-{wanted}.zip')}")
print(f"  command = [{', '.join(map(quote, [program, *options]))}]")
if teams := sorted({m["institution"] for m in tool.get("maintainers") or [] if m.get("institution")}):
    print(f"  team    = {quote(teams[0])}")
if "project_url" in tool:
    print(f"  website = {quote(tool['project_url'])}")
print("}")

"""The figures that the dashboard and the alerts that are shipped read."""

import json
import re

import yaml
from balanced_nodes import DEPLOY

ALERTS = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text())["groups"]
BOARD = json.loads((DEPLOY / "grafana" / "dashboards" / "hippocampus.json").read_text())


def expressions():
    for group in ALERTS:
        for rule in group["rules"]:
            yield rule["alert"], rule["expr"]
    for panel in BOARD["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"]


def names(expression):
    """Return the figures that an expression reads."""
    plain = re.sub(r"\{[^}]*\}", "", re.sub(r'"[^"]*"', '""', expression))
    return set(re.findall(r"\b(?:hippocampus|process|haproxy|pg)_\w+\b", plain))

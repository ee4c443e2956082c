"""What is shipped to deploy with names files, options, variables, routes and figures that exist."""

import json
import os
import re
import shutil
import subprocess
import tomllib
from importlib import import_module
from pathlib import Path, PurePosixPath

import jsonschema
import pytest
import yaml
from balanced_nodes import DEPLOY
from packaging.requirements import Requirement
from prometheus_client import generate_latest
from shipped_figures import ALERTS, BOARD, expressions, names

from hippocampus.cli.command import HELP, make_command
from hippocampus.cli.commands import HOMES
from hippocampus.encode.model_files import MODELS
from hippocampus.server.observability import Figures
from hippocampus.verbs import BANK_VERBS

ROOT = Path(__file__).parents[2]
CHART = DEPLOY / "helm" / "hippocampus"
TEXTS = sorted(p for p in DEPLOY.rglob("*") if p.is_file() and ".gitignore" not in p.name)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]
DOCKERFILE = (DEPLOY / "Dockerfile").read_text()
UNITS = {unit.name: unit.read_text() for unit in (DEPLOY / "systemd").iterdir()}
UNIT = UNITS["hippocampus.service"]
RELEASE = {"store": {"existingSecret": "database"}}


def options_of(command):
    import_module(f"hippocampus.cli.{HOMES[command]}")
    made = make_command(command)
    return {name for one in made.params for name in (*one.opts, *one.secondary_opts)}


def options_among(words):
    return {word for word in words if word.startswith("--")}


def check_serve(words):
    """Check the words of a command line that serves."""
    assert words[0] == "serve", words
    wrong = options_among(words) - options_of("serve")
    assert not wrong, wrong


def variables():
    """Return the variables of the environment that the program reads."""
    told = json.dumps(HELP)
    return set(re.findall(r"HIPPOCAMPUS_[A-Z_]+", told))


# ---------------------------------------------------------------- the standby

PROGRAMS = {
    "pg_isready": "exit 0",
    "postgres": 'ls "$PGDATA"',
    "pg_basebackup": """\
while [ "$1" != --pgdata ]; do shift; done
mkdir -p "$2" && [ -z "$(ls -A "$2")" ] || exit 1
echo 17 >"$2/PG_VERSION"
if [ -e "$CUT_OFF" ]; then kill -9 $PPID; exit; fi
mkdir "$2/global" && touch "$2/standby.signal"
""",
}


def test_no_part_of_a_copy_that_was_cut_off_is_started_as_a_standby(tmp_path):
    programs, cut_off, data = tmp_path / "bin", tmp_path / "cut off", tmp_path / "data"
    programs.mkdir()
    for name, script in PROGRAMS.items():
        (programs / name).write_text(f"#!/usr/bin/env bash\n{script}\n")
        (programs / name).chmod(0o755)
    told = os.environ | {
        "PATH": f"{programs}:{os.environ['PATH']}", "PGDATA": str(data), "PRIMARY_HOST": "primary",
        "REPLICATION_PASSWORD": "x", "CUT_OFF": str(cut_off),
    }  # fmt: skip

    def start():
        command = ["bash", DEPLOY / "postgres" / "standby.sh"]
        done = subprocess.run(command, env=told, check=False, capture_output=True, text=True)
        return done.returncode, done.stdout.split()

    cut_off.touch()
    assert (-9, []) == start()
    cut_off.unlink()
    whole = (0, ["PG_VERSION", "global", "standby.signal"])
    assert whole == start()
    assert whole == start()  # nothing is copied again
    (data / "PG_VERSION").unlink()
    assert (1, []) == start()  # of a database that is damaged nothing is thrown away
    assert (data / "global").is_dir()


# ---------------------------------------------------------------- compose


def test_ours_in_compose_is_called_as_it_can_be():
    ours = [one for one in SERVICES.values() if one["image"].startswith("hippocampus:")]

    assert len(ours) == 4
    for one in ours:
        check_serve(one["command"])
        assert {n for n in one["environment"] if n.startswith("HIPPOCAMPUS_")} <= variables()
        assert one["read_only"]
        assert [True, True, False, False] == ["--no-sleep" in s["command"] for s in ours]


def test_everything_that_compose_refers_to_exists():
    volumes = set(COMPOSE["volumes"])
    for one in SERVICES.values():
        assert set(one.get("depends_on", ())) <= set(SERVICES)
        assert set(one.get("secrets", ())) <= set(COMPOSE["secrets"])
        for mount in one.get("volumes", ()):
            source = mount.partition(":")[0]
            assert source in volumes or (DEPLOY / source).exists(), mount
    assert (DEPLOY / COMPOSE["x-hippocampus"]["build"]["context"]).resolve() == ROOT
    assert (ROOT / COMPOSE["x-hippocampus"]["build"]["dockerfile"]).exists()


def test_all_that_open_the_store_of_compose_share_a_folder_for_its_ring_of_keys():
    ours = [one for one in SERVICES.values() if one["image"].startswith("hippocampus:")]
    example = (DEPLOY / "env.example").read_text()
    made = re.search(r"^ +&& install .*--owner=10001 .*$", DOCKERFILE, re.MULTILINE)[0].split()

    (ring,) = set(re.findall(r"^# ring:(\S+)", example, re.MULTILINE))
    folder = str(PurePosixPath(ring).parent)
    for one in ours:
        assert f"keys:{folder}" in one["volumes"]  # to be written: erasures replace the ring
        assert one["environment"]["HIPPOCAMPUS_KEY"] == "${HIPPOCAMPUS_KEY:-}"
    assert re.search(r"^HIPPOCAMPUS_KEY=$", example, re.MULTILINE)
    assert folder in made, "a new volume has the owner that its folder has in the image"


def test_every_variable_that_compose_wants_is_in_the_example():
    wanted = set(re.findall(r"\$\{(\w+):\?", (DEPLOY / "compose.yaml").read_text()))
    example = (DEPLOY / "env.example").read_text()

    assert wanted
    assert wanted <= set(re.findall(r"^(\w+)=", example, re.MULTILINE))


def test_images_have_versions():
    for name, one in SERVICES.items():
        assert re.search(r":(\d|v\d|\$\{)", one["image"]), name


def test_scripts_find_the_variables_that_they_read():
    for service, script in (("primary", "primary.sh"), ("standby", "standby.sh")):
        read = set(re.findall(r"\$\{?([A-Z_]+)", (DEPLOY / "postgres" / script).read_text()))
        given = set(SERVICES[service]["environment"])
        assert read - {"PGDATA", "PRIMARY_PORT"} <= given, service  # PGDATA is the image's
        assert (DEPLOY / "postgres" / script).stat().st_mode & 0o111


def test_the_balancer_is_told_all_that_its_configuration_wants():
    wanted = set(re.findall(r'"\$\{(\w+)', (DEPLOY / "haproxy.cfg").read_text()))

    assert wanted == set(SERVICES["balancer"]["environment"])
    for name, value in SERVICES["balancer"]["environment"].items():
        if name.startswith(("HIPPOCAMPUS_SERVER", "HIPPOCAMPUS_REPLICA")):
            assert value.partition(":")[0] in SERVICES


# ---------------------------------------------------------------- image, unit


def test_the_image_copies_only_files_that_exist_in_the_build_context():
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().split()
    for line in re.findall(r"^COPY (?!--from)(.*) \S+$", DOCKERFILE, re.MULTILINE):
        for name in line.split():
            assert (ROOT / name).exists(), name
            assert f"!{name}" in ignored, name


def test_the_image_is_given_extras_and_models_that_exist():
    extras = re.search(r"^ARG EXTRAS=(.*)$", DOCKERFILE, re.MULTILINE)[1].split(",")
    models = re.search(r'^ARG MODELS="(.*)"$', DOCKERFILE, re.MULTILINE)[1].split()

    assert set(extras) <= set(PROJECT["optional-dependencies"])
    assert set(models) <= set(MODELS)
    words = json.loads(re.search(r"^CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)[1])
    check_serve(words)
    assert ["hippocampus"] == json.loads(
        re.search(r"^ENTRYPOINT (.*)$", DOCKERFILE, re.MULTILINE)[1]
    )
    assert "hippocampus" in PROJECT["scripts"]


def test_nobody_in_an_image_is_root():
    assert re.search(r"^USER \d{4,}:\d{4,}$", DOCKERFILE, re.MULTILINE)


@pytest.mark.skipif(shutil.which("sed") is None, reason="there is no sed")
def test_the_image_has_every_version_of_the_lock():
    lock = (ROOT / "requirements.lock").read_text()
    script = re.search(r"sed -nE '(.*)' requirements.lock", DOCKERFILE)[1]
    made = subprocess.run(
        ["sed", "-nE", script], input=lock, capture_output=True, text=True, check=True
    ).stdout
    pinned = {Requirement(line).name: Requirement(line) for line in made.splitlines()}

    assert len(re.findall(r"^[A-Za-z0-9]\S*==", lock, re.MULTILINE)) == len(made.splitlines())
    assert all(str(one.specifier).startswith("==") for one in pinned.values())
    assert {"fastapi", "psycopg", "numpy", "cryptography", "nanobind"} <= set(pinned)


def test_the_unit_serves():
    options = re.search(r'^Environment="SERVE_OPTIONS=(.*)"$', UNIT, re.MULTILINE)[1]
    assert "serve $SERVE_OPTIONS" in UNIT
    check_serve(["serve", *options.split()])
    for comment in re.findall(r"^#   SERVE_OPTIONS=(.*)$", UNIT, re.MULTILINE):
        check_serve(["serve", *comment.split()])
    assert set(re.findall(r"HIPPOCAMPUS_[A-Z_]+", UNIT)) <= variables()


def test_the_unit_of_sleep_watches_with_options_that_there_are():
    unit = UNITS["hippocampus-sleeper.service"]
    told = re.findall(r"(?:hippocampus sleep |#   SLEEP_OPTIONS=)(.*)$", unit, re.MULTILINE)

    assert options_among(" ".join(told).split()) == {"--watch", "--timezone"}
    assert {"--watch", "--timezone"} <= options_of("sleep")
    assert set(re.findall(r"HIPPOCAMPUS_[A-Z_]+", unit)) <= variables()


@pytest.mark.slow
def test_the_unit_of_ray_starts_a_node_with_options_that_there_are():
    scripts = pytest.importorskip("ray.scripts.scripts")
    unit = UNITS["hippocampus-ray.service"]
    told = re.findall(r"(?:/ray start |RAY_NODE=)(.*?)\"?$", unit, re.MULTILINE)
    known = {name for one in scripts.start.params for name in one.opts}

    assert {"--block", "--head", "--address"} <= options_among(" ".join(told).split()) <= known


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd")
@pytest.mark.parametrize("name", sorted(UNITS))
def test_systemd_finds_a_unit_sound_and_little_exposed(name, tmp_path):
    for program in ("hippocampus", "ray"):
        (tmp_path / program).write_text("#!/bin/sh\n")
        (tmp_path / program).chmod(0o755)
    unit = tmp_path / name
    unit.write_text(UNITS[name].replace("/opt/hippocampus/bin", str(tmp_path)))
    found = subprocess.run(
        ["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False
    )
    exposed = subprocess.run(
        ["systemd-analyze", "security", "--offline=yes", "--threshold=20", unit],
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert "" == "".join(line for line in found.stderr.splitlines() if unit.name in line)
    assert 0 == exposed.returncode, exposed.stdout


# ---------------------------------------------------------------- figures


def ours():
    figures = Figures()
    figures.requests.labels("/", "GET", "200").inc()
    figures.seconds.labels("/").observe(1)
    figures.calls.labels("read").set(1)
    told = generate_latest(figures.registry).decode()
    return set(re.findall(r"^(\w+)[ {]", told, re.MULTILINE))


def test_the_board_and_the_alerts_read_figures_that_a_server_gives():
    there = ours()
    for where, expression in expressions():
        own = {name for name in names(expression) if name.startswith(("hippocampus_", "process_"))}
        assert own <= there, where


def test_every_figure_that_a_server_gives_is_on_the_board():
    told = " ".join(expression for _, expression in expressions())
    left_out = {
        name for name in ours()
        if name.startswith("hippocampus_") and not name.endswith(("_created", "_sum", "_count"))
        and name not in told
    }  # fmt: skip

    assert not left_out


def test_routes_that_alerts_name_are_routes():
    for where, expression in expressions():
        for verbs in re.findall(r"/v1/banks/\{bank\}/\(([\w|]+)\)", expression):
            assert set(verbs.split("|")) <= set(BANK_VERBS), where


def test_an_alert_says_what_it_is_and_what_to_do():
    rules = [rule for group in ALERTS for rule in group["rules"]]

    assert len({rule["alert"] for rule in rules}) == len(rules)
    for rule in rules:
        assert {"summary", "what_to_do"} == set(rule["annotations"])
        assert rule["labels"]["severity"] in {"page", "ticket"}
        assert rule["for"]


def test_the_board_asks_the_provisioned_source_in_panels_that_do_not_overlap():
    places = yaml.safe_load(
        (DEPLOY / "grafana/provisioning/datasources/prometheus.yaml").read_text()
    )
    uid = places["datasources"][0]["uid"]
    taken = set()
    for panel in BOARD["panels"]:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not cells & taken, panel["title"]
        taken |= cells
        assert at["x"] + at["w"] <= 24
        assert all(one["datasource"]["uid"] == uid for one in panel.get("targets", ()))
    assert len({panel["id"] for panel in BOARD["panels"]}) == len(BOARD["panels"])


def test_the_board_reads_the_figure_of_opentelemetry_by_its_exported_name():
    asked = [expression for _, expression in expressions() if "gen_ai" in expression]
    read = {name for one in asked for name in re.findall(r"\bgen_ai_client\w+", one)}

    exported = "gen_ai.client.operation.duration".replace(".", "_") + "_seconds"
    assert {f"{exported}_bucket", f"{exported}_count"} == read


def test_prometheus_asks_services_that_there_are():
    config = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())
    targets = {
        target.partition(":")[0]
        for job in config["scrape_configs"]
        for one in job["static_configs"]
        for target in one["targets"]
    }

    assert targets <= set(SERVICES)
    assert all((DEPLOY / "prometheus" / name).exists() for name in config["rule_files"])
    jobs = {job["job_name"] for job in config["scrape_configs"]}
    for where, expression in expressions():
        assert set(re.findall(r'\bjob="(\w+)"', expression)) <= jobs, where


# ---------------------------------------------------------------- chart


def test_the_values_of_the_chart_are_what_its_schema_says():
    schema = json.loads((CHART / "values.schema.json").read_text())
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    jsonschema.Draft7Validator.check_schema(schema)

    with pytest.raises(jsonschema.ValidationError, match="non-empty"):
        jsonschema.validate(values, schema)  # there must be a database
    values["store"]["existingSecret"] = "database"
    jsonschema.validate(values, schema)
    assert set(values) | {"global"} == set(schema["properties"])


SERVICE = {"type": "ClusterIP", "port": 1, "readsPort": 2}


@pytest.mark.parametrize(
    "wrong",
    [
        {"servers": 0}, {"servers": "two"}, {"residentMb": 1}, {"serveers": 2}, {"rate": -1},
        {"balancer": {"replicas": 1, "image": "", "service": SERVICE}},
        {"balancer": {"replicas": 1, "image": "a:1", "service": SERVICE | {"readsPort": 0}}},
        {"serviceMonitor": {"enabled": True, "tokenSecret": ""}}, {"image": {"repository": ""}},
        {"keyRing": {"existingClaim": "keys", "file": "../ring"}}, {"keyRing": {"file": "ring"}},
        {"extraVolumes": [{"name": "scratch", "emptyDir": {}}]}, {"extraVolumes": [{}]},
        {"extraVolumeMounts": [{"name": "models"}]},
        {"extraVolumeMounts": [{"name": "models", "mountPath": "/keys"}]},
    ],
)  # fmt: skip
def test_values_that_make_no_sense_are_refused(wrong):
    schema = json.loads((CHART / "values.schema.json").read_text())
    values = yaml.safe_load((CHART / "values.yaml").read_text()) | RELEASE

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(values | wrong, schema)


def test_the_chart_has_the_version_of_the_program():
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())

    assert chart["appVersion"] == PROJECT["version"]


def test_the_balancer_of_the_chart_is_the_one_that_is_tested():
    def rules(text):
        lines = [line.strip() for line in text.splitlines()]
        left_out = ("#", "server ", "bind ", "{{", "resolvers", "parse-resolv-conf", "hold ")
        return [line for line in lines if line and not line.startswith(left_out)]

    made = (CHART / "templates" / "balancer.yaml").read_text()
    inside = made.partition("haproxy.cfg: |\n")[2].partition("\n---\n")[0]

    assert rules((DEPLOY / "haproxy.cfg").read_text()) == rules(inside)


def rendered(**values):
    helm = pytest.importorskip("helm_python", reason="pip install helm-python-sdk renders charts")
    with helm.Chart.load(CHART) as chart:
        made = chart.render(values=RELEASE | values, name="demo", namespace="memory")
    texts = [text for name, text in made.items() if name.endswith(".yaml")]
    return [one for text in texts for one in yaml.safe_load_all(text) if one]


ALL = {
    "store": {"existingSecret": "database", "environmentSecret": "more"},
    "keyRing": {"existingClaim": "memory-keys", "file": "ring"},
    "extraVolumes": [{"name": "models", "persistentVolumeClaim": {"claimName": "models"}}],
    "extraVolumeMounts": [
        {"name": "models", "mountPath": "/opt/hippocampus/models", "readOnly": True}
    ],
    "readers": {"servers": 2},
    "servers": 3, "rate": 50, "extraArgs": ["--longest", "30"], "podAnnotations": {"a": "b"},
    "serviceMonitor": {"enabled": True, "tokenSecret": "token", "tokenKey": "token"},
    "nodeSelector": {"disk": "fast"}, "tolerations": [{"key": "a", "operator": "Exists"}],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("values", [{}, ALL, {"sleeper": {"enabled": False}}])
def test_the_chart_renders_to_what_kubernetes_may_run(values, tmp_path):
    objects = rendered(**values)
    pods = [one["spec"]["template"]["spec"] for one in objects if "template" in one.get("spec", {})]
    containers = [one for pod in pods for one in pod["containers"]]

    assert len(pods) == 3 - ("sleeper" in values) + ("readers" in values)
    for pod in pods:
        assert pod["securityContext"]["runAsNonRoot"]
        mounted = {mount["name"] for one in pod["containers"] for mount in one["volumeMounts"]}
        assert mounted == {volume["name"] for volume in pod["volumes"]}
    for one in containers:
        assert one["securityContext"]["readOnlyRootFilesystem"]
        assert one["resources"]["limits"]["memory"]
        if one["name"] != "haproxy":
            check_serve(one["args"])
            assert one["readinessProbe"]["httpGet"]["path"] == "/readyz"
    balancer = next(one for one in objects if one["kind"] == "ConfigMap")
    (tmp_path / "haproxy.cfg").write_text(balancer["data"]["haproxy.cfg"])
    if shutil.which("haproxy"):
        told = (tmp_path / "haproxy.cfg").read_text().replace("parse-resolv-conf", "")
        (tmp_path / "haproxy.cfg").write_text(told)  # there need be no such file here
        subprocess.run(["haproxy", "-q", "-c", "-f", tmp_path / "haproxy.cfg"], check=True)


@pytest.mark.slow
def test_what_opens_the_store_in_the_chart_may_write_its_ring_of_keys():
    specs = [one.get("spec", {}) for one in rendered(**ALL)]
    pods = [spec["template"]["spec"] for spec in specs if "template" in spec]
    ours = [one for one in pods if one["containers"][0]["name"] != "haproxy"]

    assert len(ours) == 3
    for pod in ours:
        (container,) = pod["containers"]
        mounts = {mount["mountPath"]: mount for mount in container["volumeMounts"]}
        volumes = {volume["name"]: volume for volume in pod["volumes"]}
        given = {one["name"]: one.get("value") for one in container["env"]}
        ring = PurePosixPath(given["HIPPOCAMPUS_KEY"].partition("ring:")[2])
        held = mounts[str(ring.parent)]
        assert not held.get("readOnly")
        claim = volumes[held["name"]]["persistentVolumeClaim"]
        assert claim == {"claimName": "memory-keys"}
        assert mounts["/opt/hippocampus/models"] == ALL["extraVolumeMounts"][0]
        assert ALL["extraVolumes"][0] == volumes["models"]


@pytest.mark.slow
def test_helm_finds_nothing_wrong_with_the_chart():
    helm = pytest.importorskip("helm_python", reason="pip install helm-python-sdk lints charts")
    found = helm.lint(CHART, values=RELEASE)

    assert [] == [one for one in found["messages"] if one["severity"] > 1]
    assert [] == found["errors"]
    with pytest.raises(helm.HelmValuesError, match="existingSecret"), helm.Chart.load(CHART) as one:
        one.render(values={}, name="demo", namespace="memory")


def test_nothing_that_is_shipped_holds_a_secret():
    for text in TEXTS:
        found = re.findall(r"^(\w*(?:PASSWORD|TOKEN)\w*)=(.+)$", text.read_text(), re.MULTILINE)
        assert not found, text

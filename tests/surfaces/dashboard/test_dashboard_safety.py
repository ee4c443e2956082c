"""Memories are untrusted text: whatever they say, nothing of it runs, and nothing is fetched."""

import re
from importlib.resources import files
from urllib.parse import quote

import httpx
import pytest

from hippocampus.dashboard import POLICY

STATIC = {
    one.name: one.read_text(encoding="utf-8")
    for one in (files("hippocampus.dashboard") / "static").iterdir()
}
HOSTILE = [
    "<img src=x onerror=\"parent.ran('img')\">",
    "<script>ran('script')</script>",
    "\"><svg onload=ran('svg')>",
    "<a href=\"javascript:ran('link')\">Lena lives in Porto.</a>",
    "'-ran('quote')-'",
    "<style>*{display:none}</style>",
    "</textarea></pre><iframe srcdoc=\"<script>parent.ran('frame')</script>\">",
    "{{constructor.constructor('ran()')()}} ${ran()} `ran()`",
    "\u202eRTL \u2028 line \x00 nul".replace("\x00", "\ufffd"),
]
NAME = "<b onmouseover=ran('bank')>bank"


@pytest.fixture
def hostile(memory):
    bank = memory.bank(NAME)
    for at, text in enumerate(HOSTILE * 2):
        bank.remember(
            f"{text} Lena lives in Porto, number {at % len(HOSTILE)}.", speaker=text,
            session=f"log {text}", source=text, metadata={text: text}, at="2025-05-30T09:00Z",
        )  # fmt: skip
    bank.sleep()
    return bank


@pytest.mark.slow
def test_whatever_memories_say_nothing_of_it_runs_in_any_view(memory, hostile, serve, visit):
    eye = visit(serve(memory))
    eye.page.add_init_script(
        """
        window.heard = [];
        window.ran = (what) => heard.push(`ran: ${what}`);
        addEventListener("securitypolicyviolation", (e) => heard.push(`tried: ${e.blockedURI}`));
        """
    )
    bank = quote(NAME, safe="")
    some = hostile.episodes(limit=len(HOSTILE))
    heard, asked = [], []
    eye.page.on("request", lambda request: asked.append(request.url))
    views = [
        "search?q=" + quote(HOSTILE[0]), "timeline", "topics", "facts", "facts?entity=Lena",
        f"facts?entity={quote(HOSTILE[0])}", f"topics?topic={quote(HOSTILE[1])}",
        f"trends?terms={quote(HOSTILE[1])},Porto&by=day", "sleep", f"sleep?curve={some[0].id}",
        "admin", *(f"timeline?m={e.id}" for e in some),
    ]  # fmt: skip
    for view in views:
        eye.see(f"#/{bank}/{view}")
        heard += eye.page.evaluate("heard")

    assert [] == heard
    assert [] == [url for url in asked if not url.startswith(eye.url)]
    assert eye.page.locator("iframe, script[src='x'], img[src='x'], main style").count() == 0
    shown = eye.page.locator("dialog blockquote").inner_text()
    assert shown.startswith(some[-1].text[:5]), "it is shown as what it is: text"


@pytest.mark.slow
@pytest.mark.usefixtures("hostile")
def test_addresses_that_somebody_made_up_are_answered_calmly(memory, serve, visit):
    eye = visit(serve(memory))
    for address in ("#/%E0%A4%A/search", "#/a/b/c?d", "#javascript:alert(1)", "#/x/__proto__"):
        eye.see(address)
        assert eye.page.locator("main > *").count()


def test_no_script_makes_nodes_of_markup_or_code_of_text():
    forbidden = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser"
        r"|createContextualFragment|srcdoc|setHTML|javascript:"
    )
    found = {name: forbidden.findall(text) for name, text in STATIC.items()}

    assert {} == {name: words for name, words in found.items() if words}


def test_no_file_holds_inline_script_or_style_or_another_place_to_fetch_from():
    given = {name: set(re.findall(r"\bhttps?://[^\s\"')]+", text)) for name, text in STATIC.items()}
    page = STATIC["index.html"]

    assert {"http://www.w3.org/2000/svg"} >= set().union(*given.values())
    assert re.fullmatch(r"(<script[^>]*src=[^>]*></script>)*", "".join(
        re.findall(r"<script.*?</script>", page, re.DOTALL)))  # fmt: skip
    assert "style=" not in page
    assert "<style" not in page
    assert not re.search(r"\son\w+=", page)


def test_the_files_there_are_exactly_those_that_are_fetched():
    named = set(re.findall(r"[\"'(]\.?/?([\w.-]+\.(?:js|css|svg))[\"')]", "".join(STATIC.values())))

    assert named | {"index.html", "not-found.html", "docs.html"} == set(STATIC)


@pytest.fixture
def http(memory, serve):
    with httpx.Client(base_url=serve(memory), timeout=30) as client:
        yield client


def test_every_answer_says_how_little_a_page_may_do(http):
    for path in ("/ui", "/ui/", *(f"/ui/{name}" for name in STATIC), "/ui/none", "/ui/..%2fapp.py"):
        answer = http.get(path)
        assert POLICY == answer.headers["content-security-policy"], path
        assert "nosniff" == answer.headers["x-content-type-options"], path
        assert "no-referrer" == answer.headers["referrer-policy"], path
    assert "unsafe" not in POLICY
    assert POLICY.startswith("default-src 'none'")


def test_only_files_that_exist_are_sent_with_none_sent_twice(http):
    first = http.get("/ui/app.js")

    assert 200 == first.status_code
    assert "text/javascript; charset=utf-8" == first.headers["content-type"]
    again = http.get("/ui/app.js", headers={"If-None-Match": first.headers["etag"]})
    assert (304, b"") == (again.status_code, again.content)
    missing = ("__init__.py", "%2e%2e", "..%2f__init__.py", "%2e%2e/", "static/app.js", "app.js/")
    assert {404} == {http.get(f"/ui/{name}").status_code for name in missing}
    for address in ("/", "/ui"):
        led = http.get(address)
        assert (307, "ui/") == (led.status_code, led.headers["location"])


def test_the_whole_of_it_weighs_little():
    sizes = {name: len(text.encode()) for name, text in STATIC.items()}
    reference = sum(sizes.pop(f"docs.{kind}") for kind in ("html", "js", "css"))
    assert sum(sizes.values()) < 150_000
    assert reference < 15_000

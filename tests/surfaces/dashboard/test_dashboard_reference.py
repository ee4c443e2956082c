"""The reference of the REST API at ``/docs``: all operations, tried on the server itself."""

import httpx
import pytest

from hippocampus import Memory
from hippocampus.server.keys import Keys


@pytest.fixture
def memory():
    with Memory(":memory:", embedder="none") as memory:
        memory.bank("lena").remember("Lena moves to Lisbon in March.")
        yield memory


def test_docs_leads_to_a_page_of_this_server_alone(memory, serve):
    with httpx.Client(base_url=serve(memory), follow_redirects=True) as http:
        page = http.get("/docs")

    assert 200 == page.status_code
    assert "/ui/docs.html" == page.url.path
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert "http" not in page.text.replace("http-equiv", "")


@pytest.mark.slow
def test_every_operation_is_there_to_be_tried(memory, serve, chromium):
    token = Keys(memory).create("whoever reads", "read", ["*"]).token
    url = serve(memory)
    operations = {
        operation["operationId"]
        for methods in httpx.get(f"{url}/openapi.json").json()["paths"].values()
        for operation in methods.values()
    }
    page = chromium.new_page()
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.goto(f"{url}/docs")
    recall = page.locator("#recall")
    recall.wait_for()
    shown = page.locator(".operation").evaluate_all("all => all.map((one) => one.id)")
    assert operations <= set(shown)
    links = page.locator("main a[href^='#']").evaluate_all("all => all.map((one) => one.hash)")
    assert {link.removeprefix("#") for link in links} <= set(shown)

    recall.locator("summary").click()
    recall.locator("form input").first.fill("lena")
    recall.get_by_role("button").click()
    recall.get_by_text("401 in").wait_for()
    wrong.clear()  # the browser itself complains of that answer
    page.get_by_label("Key, kept").fill(token)
    recall.get_by_role("button").click()
    recall.get_by_text("Lena moves to Lisbon in March.").wait_for()
    assert [] == wrong
    page.close()

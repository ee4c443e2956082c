"""What is done in the dashboard is done to the bank; what cannot be done is said, and how."""

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise

import pytest

from hippocampus import Turn
from hippocampus.server.keys import Keys
from hippocampus.testing import Fails, ScriptedEmbedder

pytestmark = pytest.mark.slow  # a browser is


@pytest.fixture
def told(memory):
    bank = memory.bank("ada")
    for text in ("Lena moved to Porto.", "The kitchen leak was mended.", "Bolota is a cat."):
        bank.remember(text, speaker="Lena", session="home")
    return bank


def opened(eye, episode):
    page = eye.see(f"#/ada/timeline?m={episode.id}")
    page.wait_for_selector("dialog.drawer blockquote")
    return page


def test_the_dialog_of_a_memory_pins_corrects_forgets_or_restores_it(memory, told, serve, visit):
    eye = visit(serve(memory))
    first, second, _ = told.episodes()
    page = opened(eye, first)
    page.keyboard.press("p")
    page.wait_for_selector("dialog .tag:has-text('pinned')")
    assert told.get(first.id).pinned

    page.keyboard.press("e")
    page.fill("dialog textarea", "Lena moved to Lisbon.")
    page.click("dialog button[type=submit]")
    page.wait_for_selector("blockquote:has-text('Lisbon')")
    assert told.get(first.id).state == "superseded"
    assert {"Lena moved to Lisbon.", "Bolota is a cat."} <= {e.text for e in told.episodes()}

    page = opened(eye, second)
    page.keyboard.press("x")
    page.wait_for_selector("dialog button:has-text('Restore')")
    assert told.get(second.id).state == "forgotten"
    page.click("dialog button:has-text('Restore')")
    page.wait_for_selector("dialog button:has-text('Forget')")
    assert told.get(second.id).state == "active"


def test_what_was_forgotten_lately_is_restored_from_the_timeline(memory, told, serve, visit):
    eye = visit(serve(memory))
    first, second, third = told.episodes()
    told.forget([first.id, second.id, third.id])
    told.restore(second.id)
    told.forget(third.id, erase=True)
    page = eye.see("#/ada/timeline")
    page.click("summary:has-text('Forgotten lately')")
    page.wait_for_selector("details .item")
    assert [first.text] == page.locator("details .item").all_inner_texts()
    assert [] == eye.flaws()
    page.click("details .item")
    page.click("dialog button:has-text('Restore')")
    page.wait_for_selector("dialog button:has-text('Forget')")

    assert {first.id, second.id} == {e.id for e in told.episodes()}


def test_what_is_done_in_a_memory_is_undone_there_without_losing_the_focus(
    memory, told, serve, visit
):
    eye = visit(serve(memory))
    first = told.episodes()[0]
    page = eye.see("#/ada/timeline")
    page.click(f".item:has-text('{first.text}')")
    page.wait_for_selector("dialog.drawer blockquote")
    for key, says in (("p", "Unpin"), ("p", "Pin")):
        page.locator("dialog [data-key=p]").focus()
        page.keyboard.press(key)
        page.wait_for_selector(f"dialog [data-key=p]:text-is('{says}'):focus")
    page.keyboard.press("x")
    undo = page.locator(".toast button:has-text('Undo')")
    ink, paper = undo.evaluate(
        "(n) => [getComputedStyle(n).color, getComputedStyle(n.parentElement).backgroundColor]"
    )
    undo.click()
    page.wait_for_selector("dialog button:has-text('Forget')")
    assert told.get(first.id).state == "active"
    assert ink != paper
    assert undo.evaluate_all("all => all.length") == 0
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    assert page.evaluate("document.activeElement.textContent") == first.text
    assert page.locator("body > #toasts").count() == 1


def test_what_became_of_others_is_not_told_as_its_own(memory, serve, visit):
    bank = memory.bank("ada")
    for hour in (9, 10):
        said = "The ferry was late again, as it is."
        bank.remember(said, speaker="Ada", session="log", at=f"2025-05-30T{hour:02}:00Z")
    bank.sleep()
    [kept] = bank.episodes()
    page = opened(visit(serve(memory)), kept)
    page.wait_for_selector(".changes li")
    lines = page.locator(".changes li").all_inner_texts()

    assert any("another stands for it" in line and "another memory" in line for line in lines)
    assert all(
        "another stands for it" not in line for line in lines if "another memory" not in line
    )


def test_what_is_erased_is_gone_only_after_one_was_asked_again(memory, told, serve, visit):
    eye = visit(serve(memory))
    first = told.episodes()[0]
    page = opened(eye, first)
    page.click("dialog button:has-text('Erase')")
    page.click("dialog button:has-text('Cancel')")
    assert told.get(first.id).state == "active"
    page.click("dialog button:has-text('Erase')")
    page.click("dialog button:has-text('Erase for good')")
    page.wait_for_selector("dialog", state="detached")

    assert first.id not in {e.id for e in told.episodes()}
    assert "erase" in {change.kind for change in told.history(first.id)}


def test_something_is_remembered_in_an_empty_store_from_its_first_page(memory, serve, visit):
    eye = visit(serve(memory))
    page = eye.see("")
    assert [] == eye.flaws()
    page.click("button:has-text('Remember something')")
    page.fill("textarea", "Lena moved to Porto.")
    page.click("dialog button[type=submit]")
    page.wait_for_selector(".day .said")

    assert ["Lena moved to Porto."] == [e.text for e in memory.bank("default").episodes()]


def test_a_sleep_is_undone_from_where_it_tells_what_it_merged(memory, serve, visit):
    bank = memory.bank("ada")
    for hour in (9, 10):
        said = "The ferry was late again, as it is."
        bank.remember(said, speaker="Ada", session="log", at=f"2025-05-30T{hour:02}:00Z")
    eye = visit(serve(memory))
    page = eye.see("#/ada/sleep")
    page.click("button:has-text('What would it do?')")
    page.wait_for_selector(".outcome")
    assert "1\nmerged" in page.locator(".notice-card .figures").inner_text().replace("\n\n", "\n")
    assert 2 == len(bank.episodes()), "a dry run changes nothing"

    page.click("button:has-text('Sleep now')")
    page.wait_for_selector(".night")
    page.click(".night summary")
    page.wait_for_selector(".acts .said:has-text('ferry')")
    assert "merged" in page.locator(".acts").inner_text()
    assert "the same words" in page.locator(".acts").inner_text()
    assert 1 == len(bank.episodes())

    page.click(".night button:has-text('Undo')")
    page.click("dialog button:has-text('Undo it')")
    page.wait_for_selector(".toast:has-text('1 merged')")
    assert 2 == len(bank.episodes())


def test_the_forgetting_curve_of_a_memory_begins_anew_where_it_helped(memory, serve, visit):
    bank = memory.bank("ada")
    kept = bank.remember("Bolota is a cat.", at="2025-03-01T12:00Z")
    bank.feedback(kept.id, helpful=True)  # on 1 June, by the test's clock
    bank.pin(kept.id)  # at the same moment: two marks in one place
    eye = visit(serve(memory))
    page = eye.see("#/ada/sleep")
    page.fill("input[name=words]", "Bolota")
    page.click("button:has-text('Choose')")
    page.click("a.said:has-text('Bolota is a cat.')")
    page.wait_for_selector(f"a.said[href*='{kept.id}']")
    eye.settled()
    page.click(".numbers summary")

    rows = page.locator(".numbers tbody tr").all_inner_texts()
    left = [int(row.split("\t")[1].partition("\u202f")[0]) for row in rows]
    rises = sum(after > before for before, after in pairwise(left))
    assert 100 == left[0]
    assert 1 == rises
    assert [] == eye.flaws()


def test_an_exported_bank_is_erased_only_after_its_name_is_written(
    memory, told, serve, visit, tmp_path
):
    eye = visit(serve(memory))
    page = eye.see("#/ada/admin")
    with page.expect_download() as saved:
        page.click("button:has-text('Export all')")
    kept = tmp_path / "ada.jsonl"
    saved.value.save_as(kept)
    assert all(e.text in kept.read_text("utf-8") for e in told.episodes())

    page.click("button:has-text('Erase this bank')")
    page.fill("dialog input", "bob")
    page.click("dialog button:has-text('Erase the bank')")
    page.wait_for_selector(".wrong:has-text('not its name')")
    page.fill("dialog input", "ada")
    page.click("dialog button:has-text('Erase the bank')")
    page.wait_for_selector(".toast:has-text('Erased')")
    assert [] == memory.banks()

    memory.bank("bob").remember("Something else.")
    page = eye.see("#/bob/admin")
    page.reload()
    eye.settled()
    page.click("button:has-text('Import a file')")
    note = tmp_path / "note.md"
    note.write_text("# Trip\n\nThe ferry leaves at nine.\n", "utf-8")
    page.set_input_files("input[type=file]", note)
    page.click("dialog button[type=submit]")
    page.wait_for_selector(".toast:has-text('added')")
    assert any("ferry leaves" in e.text for e in memory.bank("bob").episodes())


def test_a_listed_source_is_restored_after_it_was_forgotten(memory, serve, visit, tmp_path):
    note = tmp_path / "ferry.md"
    note.write_text("The ferry leaves at nine.", "utf-8")
    bank = memory.bank("ada")
    bank.remember("Said by hand.")
    bank.import_(note)
    eye = visit(serve(memory))
    page = eye.see("#/ada/admin")
    row = page.locator("tr:has-text('ferry.md')")
    assert str(note) in row.inner_text()
    row.locator("button:has-text('Forget')").click()
    page.wait_for_selector(".toast:has-text('1 memory forgotten')")
    assert not bank.episodes(source="ferry.md")
    eye.settled()
    page.click("button[aria-label='Restore what is forgotten of ferry.md']")
    page.wait_for_selector(".toast:has-text('1 memory restored')")
    assert bank.episodes(source="ferry.md")
    assert [] == eye.flaws()


def test_sources_that_anchors_lead_to_are_chosen(memory, serve, visit):
    bank = memory.bank("ada")
    bank.remember("The ferry leaves at nine.", source="ferry.md")
    eye = visit(serve(memory))
    page = eye.see("#/ada/admin")
    assert "from every source" in page.inner_text("main")
    page.click("button:has-text('Choose sources')")
    page.fill("dialog textarea", "ferry.md\n\n mail \n")
    page.click("dialog button[type=submit]")
    page.wait_for_selector("main :text('from ferry.md, mail, and from nowhere else')")
    assert bank.curated().sources == ("ferry.md", "mail")
    assert [] == eye.flaws()


def test_the_profile_is_shown_as_it_was_written(memory, serve, visit):
    bank = memory.bank("ada")
    bank.remember("The ferry leaves at nine.")
    eye = visit(serve(memory))
    page = eye.see("#/ada/admin")
    page.click("button:has-text('Edit the profile')")
    page.fill("dialog [name=persona]", "You are a <b>patient</b> builder.")
    page.fill("dialog [name=projects]", "The jetty.\nThe roof.")
    page.click("dialog button[type=submit]")
    page.wait_for_selector("main :text('You are a <b>patient</b> builder.')")
    assert "The jetty.\nThe roof." == bank.profile().projects
    assert [] == eye.flaws()


# ---------------------------------------------------------------- keys


@pytest.fixture
def keyed(memory, told):
    assert told.episodes(), "there is something to keep from others"
    keys = Keys(memory)
    return {role: keys.create(role, role, ["*"]).token for role in ("admin", "read")}


def entered(eye, token, address=""):
    page = eye.see(address)
    page.fill("input[type=password]", token)
    page.keyboard.press("Enter")
    return page


def test_a_key_that_was_asked_for_is_kept_in_the_tab_alone(memory, keyed, serve, visit):
    eye = visit(serve(memory))
    page = entered(eye, "hpc_nobody_wrong")
    page.wait_for_selector("h2:has-text('does not open')")
    assert [] == eye.flaws()
    page.fill("input[type=password]", keyed["admin"])
    page.keyboard.press("Enter")
    page.wait_for_selector("#q")
    kept = page.evaluate("[JSON.stringify({...localStorage}), document.cookie, location.href]")

    assert all(keyed["admin"] not in place for place in kept)
    assert keyed["admin"] in page.evaluate("JSON.stringify({...sessionStorage})")
    other = eye.context.new_page()
    other.goto(f"{eye.url}/ui/")
    other.wait_for_selector("input[type=password]")


def test_a_key_that_is_revoked_meanwhile_is_asked_for_once(memory, keyed, serve, visit):
    eye = visit(serve(memory))
    page = entered(eye, keyed["admin"], "#/ada/timeline")
    page.wait_for_selector(".item")
    page.evaluate("sessionStorage.setItem('hippocampus.key', 'hpc_former')")
    page.evaluate("location.hash = '#/ada/sleep'")
    eye.settled()

    assert page.locator("input[type=password]").count() == 1
    assert [] == eye.flaws()


def test_whatever_is_pasted_as_a_key_can_be_taken_back(memory, keyed, serve, visit):
    eye = visit(serve(memory))
    page = entered(eye, "hpc_–schlüssel 鍵")
    page.wait_for_selector("h2:has-text('does not open')")
    page.click("button:has-text('Forget this key')")
    page.wait_for_selector("h2:has-text('asks for a key')")
    assert keyed


def test_who_may_only_read_is_offered_nothing_else(memory, told, keyed, serve, visit):
    eye = visit(serve(memory), viewport={"width": 390, "height": 844})
    page = entered(eye, keyed["read"], f"#/ada/timeline?m={told.episodes()[0].id}")
    page.wait_for_selector("dialog .hint:has-text('may only read')")
    offered = page.locator("dialog button").all_inner_texts()
    page.keyboard.press("Escape")
    eye.settled()

    assert [] == [name for name in offered if name.strip()]
    assert page.is_visible(".tag:has-text('read only')")
    assert 0 == page.locator("#new").count()
    assert [] == eye.flaws()
    page.goto(f"{eye.url}/ui/#/ada/sleep")
    eye.settled()
    assert 0 == page.locator("button:has-text('Sleep now')").count()


def test_an_admin_revokes_a_key_made_on_the_page(memory, keyed, serve, visit):
    eye = visit(serve(memory))
    page = entered(eye, keyed["admin"], "#/ada/admin")
    page.wait_for_selector("[aria-label=Keys]")
    page.click("button:has-text('Make a key')")
    page.fill("input[name=name]", "the agent")
    page.fill("input[name=banks]", "ada, acme/*")
    page.click("dialog button[type=submit]")
    token = page.locator("dialog .token").inner_text()
    known = Keys(memory)
    assert known.refresh()
    assert ("write", ("ada", "acme/*")) == (
        known.caller(token).role, known.caller(token).banks,
    )  # fmt: skip
    assert [] == eye.flaws()
    page.keyboard.press("Escape")
    page.click("button[aria-label='Revoke the key of the agent']")
    page.click("dialog button[type=submit]")
    page.wait_for_selector(".toast:has-text('Revoked')")

    assert {"admin", "read"} == {key.name for key in known.listed()}


# ---------------------------------------------------------------- bad days


@pytest.mark.usefixtures("told")
def test_a_server_that_is_said_to_be_gone_is_asked_again_with_a_click(memory, serve, visit):
    eye = visit(serve(memory))
    page = eye.see("#/ada/timeline")
    page.route("**/v1/**", lambda route: route.abort())
    page.goto(f"{eye.url}/ui/#/ada/search?q=Porto")
    page.wait_for_selector("h2:has-text('The server is gone')")
    assert [] == eye.flaws()
    page.unroute("**/v1/**")
    page.click("button:has-text('Try again')")
    page.wait_for_selector(".hits .item")


@pytest.fixture
def breaks_off():
    """Return where a server answers half of what it promises, and hangs up."""

    class Half(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", "1000")
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()
            self.wfile.write(b'{"progress": {"done": 1, "total": 9}}\n')

        do_POST = do_GET  # noqa: N815 - as the class has it

        def log_message(self, *_):
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Half) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.mark.usefixtures("told")
def test_an_answer_that_breaks_off_is_a_server_that_is_gone(memory, serve, visit, breaks_off):
    eye = visit(serve(memory))
    page = eye.see("#/ada/sleep")
    for verb in ("sleep", "episodes?*"):
        page.route(f"**/v1/banks/ada/{verb}", lambda route: route.continue_(url=breaks_off))
    page.click("button:has-text('Sleep now')")
    page.wait_for_selector("h2:has-text('The server is gone')")
    page = eye.see("#/ada/timeline")
    page.wait_for_selector("h2:has-text('The server is gone')")

    assert "in the middle of its answer" in page.inner_text("main")


def test_an_answer_that_comes_late_does_not_take_the_place_of_a_later_one(memory, serve, visit):
    for name in ("ada", "adam", "bob"):
        memory.bank(name).remember("Something.")
    eye = visit(serve(memory))
    page = eye.see("#/ada/admin")
    held = []

    def hold(route):
        held.append(route)

    page.route("**/v1/banks?prefix=a&**", hold)
    search = page.locator("main input[type=search]")
    search.fill("a")
    search.fill("bo")
    page.wait_for_selector("main .columns li:only-child .item:has-text('bob')")
    [late] = held
    with page.expect_response("**/v1/banks?prefix=a&**"):
        late.continue_()
    eye.settled()

    assert ["bob"] == page.locator("main .columns .item").all_inner_texts()


def test_a_search_that_went_on_without_meaning_says_so(open_memory, serve, visit):
    memory = open_memory(embedder=ScriptedEmbedder(on_query=Fails()))
    memory.bank("ada").remember("Lena moved to Porto.")
    eye = visit(serve(memory))
    page = eye.see("#/ada/search?q=Porto")

    told_ = page.locator(".hint.warn").inner_text()
    assert "Searched with less than usual" in told_
    assert "the model does not answer" in told_
    assert [] == eye.flaws()


def test_a_day_is_the_same_day_wherever_one_looks_from(memory, serve, visit):
    bank = memory.bank("ada")
    bank.remember("We moved to Freiburg.", at="2026-07-15")
    bank.remember("The piano stayed.", at="2026-07-15T23:30")
    eye = visit(serve(memory), timezone_id="America/Los_Angeles")
    page = eye.see("#/ada/timeline")

    assert ["Wednesday, 15 July 2026"] == page.locator("h2").all_inner_texts()
    assert ["23:30"] == page.locator("main time").all_inner_texts()
    assert "15 Jul 2026 – 15 Jul 2026; days and times are those of UTC" in page.inner_text("main")
    page = eye.see("#/ada/timeline?since=2026-07-15&until=2026-07-15")
    assert 2 == page.locator("main .item").count()
    page = eye.see("#/ada/search?q=Where did we move?&during=July 2026")
    assert re.search(r"Only of 1\W+31 Jul 2026", page.inner_text(".verdict"))

    page.keyboard.press("Escape")
    page.click("#new")
    page.fill("dialog textarea", "I planted a pear tree.")
    page.fill("dialog input[type=datetime-local]", "2026-09-09T23:45")
    page.click("dialog button[type=submit]")
    page.wait_for_selector("dialog", state="detached")
    assert "2026-09-09T23:45" == f"{bank.find('pear')[0].occurred_at:%Y-%m-%dT%H:%M}"


def test_facts_are_shown_as_far_as_they_are_read_and_then_whole(memory, serve, visit):
    memory.bank("ada").remember_many(
        [Turn(text=f"I have a dog named Rex{n}.", speaker="Ada") for n in range(80)]
    )
    eye, asked = visit(serve(memory)), []

    def impatient(route):
        asked.append(route)
        if len(asked) == 1:
            route.continue_(headers={**route.request.headers, "prefer": "wait=0"})

    eye.page.route(re.compile("/people"), impatient)
    page = eye.see("#/ada/facts")
    page.wait_for_selector("[role=status] .hint:has-text('Read from 64 of 80 memories so far')")
    assert "Ada" in page.inner_text("main .columns")
    asked[1].continue_()
    page.wait_for_selector("[role=status] .hint", state="detached")


@pytest.mark.usefixtures("told")
def test_a_bank_that_does_not_exist_is_called_so_in_every_view(memory, serve, visit):
    eye = visit(serve(memory))
    for view in ("search?q=Porto", "timeline", "topics", "facts", "trends", "sleep", "admin"):
        page = eye.see(f"#/aad/{view}")
        assert "There is no “aad”" in page.inner_text("main")
        assert ["No such bank", "ada"] == page.locator("#bank option").all_inner_texts()

    page.click("main button:has-text('Remember something')")
    page.fill("dialog textarea", "I planted a pear tree.")
    page.click("dialog button[type=submit]")
    page.wait_for_selector("#bank option:has-text('aad')", state="attached")
    assert ["I planted a pear tree."] == [e.text for e in memory.bank("aad").episodes()]


def test_an_explanation_is_of_the_hits_that_the_search_showed(memory, serve, visit):
    bank = memory.bank("ada")
    bank.remember_many([Turn(text=f"The leak number {n} was mended.") for n in range(14)])
    eye = visit(serve(memory))
    page = eye.see("#/ada/search?q=Which leak was mended?")
    page.click("button:has-text('more')")
    shown = page.locator(".hits .entry .said").all_inner_texts()
    page.click("text=How was this found?")
    page.wait_for_selector(".accounts")
    eye.settled()

    assert shown == page.locator(".accounts").first.locator(".said a").all_inner_texts()
    assert 10 < len(shown)
    assert "Proposed" not in page.inner_text(".step table.told >> nth=1")


@pytest.mark.usefixtures("told")
def test_a_search_in_vain_names_the_filters_that_may_be_why(memory, serve, visit):
    eye = visit(serve(memory))
    page = eye.see("#/ada/search?q=leak&as_of=2001-05-01")
    assert "Only what had been noted by 1 May 2001 was looked at" in page.inner_text("main")
    page = eye.see("#/ada/search?q=zzyzx&cues=lexical")
    assert "filters, or" not in page.inner_text("main .notice")


def test_a_long_text_is_one_entry_of_the_timeline_with_its_parts_in_order(memory, serve, visit):
    bank = memory.bank("ada")
    bank.remember(" ".join(f"Sentence {n} of the story." for n in range(400)), at="2026-05-11")
    bank.remember("It was long.", at="2026-05-12")
    page = visit(serve(memory)).see("#/ada/timeline")

    assert 2 == page.locator("main .entry").count()
    parts = [e.text for e in bank.episodes() if e.parts > 1]
    assert f"Part 1 of {len(parts)}; show the other {len(parts) - 1}" in page.inner_text("main")
    page.click("summary:has-text('Part 1')")
    folded = page.locator("main .entry >> nth=1").locator(".said").all_inner_texts()
    assert [one[:20] for one in parts] == [one[:20] for one in folded]


def test_what_was_done_is_told_by_name_and_not_over_another_bank(memory, told, serve, visit):
    memory.bank("bob").remember("Bob rows.")
    page = opened(visit(serve(memory)), told.episodes()[1])
    page.keyboard.press("x")
    page.wait_for_selector(".toast:has-text('Forgotten: “The kitchen leak was mended.”')")
    page.keyboard.press("Escape")
    page.wait_for_selector(".toast.old")  # what has just been done is told wherever it leads
    page.select_option("#bank select", "bob")
    page.wait_for_selector("main .said:has-text('Bob rows.')")

    assert 0 == page.locator(".toast").count()


def test_what_became_of_a_memory_says_of_which_wording(memory, told, serve, visit):
    made = told.correct(told.episodes()[0].id, "Lena moved to Lisbon.")
    page = opened(visit(serve(memory)), made)
    page.wait_for_selector(".changes")

    lines = [line.split("\n")[-1] for line in page.locator(".changes li").all_inner_texts()]
    assert ["remembered · the earlier wording", "remembered · this wording"] == lines[:2]

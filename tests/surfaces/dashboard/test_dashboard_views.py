"""Every view, wide and on a phone, light and dark, by mouse and by keyboard, in a real browser."""

import pytest
from conftest import LONG

pytestmark = pytest.mark.slow  # a browser is

VIEWS = {
    "search": "#/lena/search",
    "hits": "#/lena/search?q=When are Lena and Priya going to the Azores?",
    "filtered": "#/lena/search?q=hazelnut&speaker=Lena&since=2024-01-01&cues=lexical",
    "nothing found": "#/lena/search?q=zzyzx&cues=lexical",
    "an explanation": "#/lena/explain?q=When are Lena and Priya going to the Azores?&speaker=Lena",
    "nothing to explain": "#/lena/explain",
    "an unknown event": "#/lena/explain?q=What was that?&during=while zebras danced",
    "timeline": "#/lena/timeline",
    "an empty timeline": "#/lena/timeline?speaker=Nobody",
    "topics": "#/lena/topics",
    "a topic": "#/lena/topics?topic=cat",
    "no topics": "#/acme%2Fsupport/topics",
    "facts": "#/lena/facts",
    "an entity": "#/lena/facts?entity=Lena",
    "no facts": "#/acme%2Fsupport/facts",
    "trends": "#/lena/trends?terms=Porto,Tideline,Bolota&by=week",
    "trends of nothing": "#/lena/trends?terms=zzyzx",
    "no trends": "#/lena/trends",
    "sleep": "#/lena/sleep",
    "no sleep": "#/acme%2Fsupport/sleep",
    "banks": "#/lena/admin",
    "no such bank": "#/nobody/timeline",
    "a long name": f"#/{LONG}/admin",
    "long words": f"#/{LONG}/timeline",
    "hits of long words": f"#/{LONG}/search?q=Where does Lena live?",
    "facts of long words": f"#/{LONG}/facts",
}
PHONE = 360
LOOKS = [(1280, "light"), (1280, "dark"), (PHONE, "light"), (PHONE, "dark")]


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_in_no_view_is_text_cut_off_faint_over_other_text_or_without_a_name(
    there, visit, width, scheme
):
    eye = visit(there, viewport={"width": width, "height": 844}, color_scheme=scheme)
    flaws = {}
    for name, address in VIEWS.items():
        eye.see(address)
        flaws[name] = eye.flaws()

    assert {} == {name: found for name, found in flaws.items() if found}


def test_the_eye_sees_what_is_wrong(there, visit):
    eye = visit(there)
    eye.see(VIEWS["banks"])
    assert [] == eye.flaws()
    eye.page.evaluate("""() => {
        const main = document.querySelector("main");
        const style = (n, given) => Object.assign(n.style, given);
        for (const text of ["cut", "faint", "over"]) {
            const n = document.createElement("p");
            n.className = text;
            n.textContent = `${text} ${"a_word_without_an_end".repeat(text === "cut" ? 9 : 1)}`;
            main.append(n);
        }
        style(main.querySelector(".cut"), { width: "90px", overflow: "hidden" });
        style(main.querySelector(".faint"), { color: "#bbb" });
        style(main.querySelector(".over"), { position: "relative", top: "-24px" });
        main.append(document.createElement("input"));
    }""")

    told = "\n".join(eye.flaws())
    assert all(
        word in told for word in ("cut off: p.cut", "faint, 1.8", "overlap", "without a name")
    )


@pytest.mark.parametrize("width", [1280, PHONE])
def test_what_opens_over_a_view_is_as_sound(there, visit, width):
    eye = visit(there, viewport={"width": width, "height": 844})
    flaws = {}
    page = eye.see(VIEWS["hits"])
    page.click(".why summary")
    flaws["why"] = eye.flaws()
    page.click("summary:has-text('Filters')")
    flaws["filters"] = eye.flaws()
    page.click(".item")
    eye.settled()
    flaws["a memory"] = eye.flaws()
    page.click("dialog button:has-text('Correct')")
    flaws["correct"] = eye.flaws()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    flaws["shortcuts"] = eye.flaws()
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    flaws["remember"] = eye.flaws()
    page = eye.see(VIEWS["sleep"])
    for summary in page.query_selector_all(".night summary"):
        summary.click()
    eye.settled()
    flaws["nights"] = eye.flaws()
    page.click("button:has-text('What would it do?')")
    page.wait_for_selector(".outcome")
    flaws["a dry run"] = eye.flaws()

    assert {} == {name: found for name, found in flaws.items() if found}


@pytest.mark.parametrize("width", [1280, PHONE])
def test_every_view_reached_by_mouse_has_its_title(there, visit, width):
    eye = visit(there, viewport={"width": width, "height": 844})
    page = eye.see("#/lena/search")
    seen = []
    for place in range(page.locator("#views a").count()):
        if width < 800:
            page.click("#menu")
        page.locator("#views a").nth(place).click()
        eye.settled()
        seen.append((page.locator("#views [aria-current]").inner_text(), page.title()))

    assert [f"{name} · lena" for name, _ in seen] == [title for _, title in seen]
    assert 7 == len({name for name, _ in seen})


def test_every_view_reached_by_two_keys_has_its_title_read_out(there, visit):
    eye = visit(there)
    page = eye.see("#/lena/search?q=Porto")
    for key, title in {
        "t": "Timeline", "o": "Topics", "f": "People & facts", "r": "Trends", "l": "Sleep",
        "b": "Banks & keys", "s": "Search",
    }.items():  # fmt: skip
        page.evaluate("document.activeElement.blur()")  # a field takes letters as letters
        page.keyboard.press("g")
        page.keyboard.press(key)
        page.wait_for_selector(f"main h1:has-text('{title}')")
        eye.settled()
        assert title in page.title()
        focused = page.evaluate("document.activeElement.tagName")
        assert focused in {"H1", "INPUT"}, "whoever hears the page hears where they are"


def test_one_comes_back_to_an_opened_hit_with_the_keyboard_alone(there, visit):
    eye = visit(there)
    page = eye.see("#/lena/timeline")
    page.keyboard.press("/")
    page.wait_for_selector("#q:focus")
    page.keyboard.type("Which instrument does Senhor Matias play?")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hits .item")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    first = page.locator(".hits .item").first
    assert page.evaluate("document.activeElement.textContent") == first.text_content()
    page.keyboard.press("Enter")
    page.wait_for_selector("dialog.drawer blockquote")
    assert first.text_content() == page.locator("dialog blockquote").text_content()
    assert page.evaluate("document.querySelector('dialog').contains(document.activeElement)")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    assert "m=" not in page.url
    assert page.evaluate("document.activeElement.textContent") == first.text_content()


def test_whatever_the_tab_key_reaches_shows_that_it_has_the_focus(there, visit):
    eye = visit(there)
    page = eye.see(VIEWS["trends"])
    reached = []
    for _ in range(60):
        page.keyboard.press("Tab")
        one = page.evaluate(
            """() => {
            const n = document.activeElement, style = getComputedStyle(n);
            return n === document.body ? null
                : [n.tagName, n.id || n.textContent.trim().slice(0, 20), style.outlineStyle];
            }"""
        )
        if one is None:
            break
        reached.append(tuple(one))

    assert [] == [one for one in reached if one[2] == "none"]
    assert {"A", "BUTTON", "SELECT", "INPUT", "svg", "SUMMARY"} <= {tag for tag, *_ in reached}


def test_on_a_phone_nothing_that_has_the_focus_is_hidden_once_the_menu_closes(there, visit):
    eye = visit(there, viewport={"width": PHONE, "height": 740})
    page = eye.see("#/lena/timeline")
    assert page.get_by_role("banner").get_by_role("link", name="Hippocampus").count() == 1
    page.click("#menu")
    page.keyboard.press("Escape")
    assert page.evaluate("[document.activeElement.id, menu.ariaExpanded]") == ["menu", "false"]

    page.locator(".item").nth(40).focus()
    hidden = []
    for _ in range(30):
        page.keyboard.press("Shift+Tab")
        hidden += page.evaluate(
            """() => {
            const n = document.activeElement, { left, top } = n.getBoundingClientRect();
            const there = document.elementFromPoint(left + 4, top + 4);
            return n === there || n.contains(there) ? [] : [n.textContent];
            }"""
        )
    assert [] == hidden


def test_a_plot_is_read_with_the_arrow_keys_and_as_a_table(there, visit, past):
    eye = visit(there)
    page = eye.see("#/lena/trends?terms=Porto&by=month")
    told = past.bank("lena").trend("Porto", by="month")
    page.locator(".plot svg").focus()
    for at in (0, 1, 2):
        page.keyboard.press("ArrowRight")
        assert page.locator(".readout").inner_text().endswith(f": {told[at].count}")
    page.click(".numbers summary")

    rows = [row.split("\t") for row in page.locator(".data tbody").inner_text().splitlines()]
    assert [one.count for one in told] == [int(row[-1]) for row in rows if row[-1].strip()]


def test_a_topic_shows_the_memories_that_are_under_it_and_no_others(there, visit, past):
    eye = visit(there)
    topics = {one.name: one for one in past.bank("lena").topics()}
    shown = {}
    for name in ("cat", "porto", "people"):
        page = eye.see(f"#/lena/topics?topic={name}")
        shown[name] = page.locator(".section .entry").count()

    assert shown == {name: topics[name].episodes for name in shown}
    assert topics["people"].children, "what is broad may have none of its own"


def test_the_chosen_colours_stay_after_a_reload(there, visit):
    eye = visit(there, color_scheme="dark")
    page = eye.see("#/lena/timeline")
    paper = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(paper)
    page.keyboard.press("c")  # from "as the system" to light
    light = page.evaluate(paper)
    page.reload()
    eye.settled()

    assert dark != light
    assert light == page.evaluate(paper)


def test_who_wants_less_motion_gets_none(there, visit):
    moving = "document.getAnimations().length"
    calm, usual = visit(there, reduced_motion="reduce"), visit(there)
    for eye in (calm, usual):
        eye.see(VIEWS["hits"])
        eye.page.evaluate("document.querySelector('.item').click()")
        eye.page.wait_for_selector("dialog.drawer")
        eye.moved = eye.page.evaluate(
            "getComputedStyle(document.querySelector('.drawer')).animationName"
        )

    assert ("none", "slide") == (calm.moved, usual.moved)
    assert 0 == calm.page.evaluate(moving)

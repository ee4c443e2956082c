"""
Two made-up histories, and questions about whole conversations of each.

A turn is (day, session, role, text); a question is (when, text, days of the turns that are needed,
whether their order is asked for). Needed turns are named by their number.
"""

from __future__ import annotations

BOATYARD = (
    # 0
    ("2025-02-03", "s1", "user", "Hi, I'm Tove. I restore wooden boats in a yard at the fjord."),
    ("2025-02-03", "s1", "assistant", "Lovely to meet you, Tove. What is on the slipway?"),
    ("2025-02-03", "s1", "user", "A gaff cutter from 1911. Her name is Sildra."),
    # 3
    ("2025-02-10", "s2", "user", "I stripped the old varnish off Sildra's mast today."),
    ("2025-02-10", "s2", "assistant", "That is a long day's work. Heat gun or scraper?"),
    ("2025-02-10", "s2", "user", "Scraper. My wrists hate me."),
    # 6
    ("2025-02-21", "s3", "user", "My daughter wants to learn the cello, so we rented one."),
    ("2025-02-21", "s3", "assistant", "A rented cello is a good way to begin."),
    # 8
    ("2025-03-04", "s4", "user", "Ordered larch planks from the sawmill for the hull."),
    ("2025-03-04", "s4", "user", "They cost more than the whole boat did."),
    # 10
    ("2025-03-12", "s5", "user", "The insurance man came and looked at the yard's fire doors."),
    ("2025-03-12", "s5", "assistant", "Did he find anything to change?"),
    ("2025-03-12", "s5", "user", "New extinguishers, and a sprinkler over the paint store."),
    # 13
    ("2025-03-28", "s6", "user", "Replaced eleven hull planks on Sildra, the larch is beautiful."),
    ("2025-03-28", "s6", "assistant", "Eleven! How many are left?"),
    ("2025-03-28", "s6", "user", "Seven on the port side."),
    # 16
    ("2025-04-09", "s7", "user", "Took the kids to the aquarium, the wolffish stared at us."),
    # 17
    ("2025-04-22", "s8", "user", "Caulked the seams with cotton and pitch, the yard stinks."),
    ("2025-04-22", "s8", "assistant", "Pitch lingers. How long until you launch her?"),
    ("2025-04-22", "s8", "user", "Three weeks if the engine behaves."),
    # 20
    ("2025-05-02", "s9", "user", "The cello teacher says my daughter has a good ear."),
    # 21
    (
        "2025-05-16",
        "s10",
        "user",
        "We launched Sildra! She leaked for an hour and then swelled tight.",
    ),
    ("2025-05-16", "s10", "assistant", "Congratulations! That is what larch does."),
    # 23
    ("2025-06-01", "s11", "user", "Hired an apprentice, Per, he starts in the yard on Monday."),
    # 24
    ("2025-06-20", "s12", "user", "My daughter played the cello at midsummer, three whole tunes."),
)
BOATYARD_ASKED = (
    ("Summarise our conversations about Sildra.", (2, 3, 13, 21), False),
    ("Can you give me a recap of how the cello has been going?", (6, 20, 24), False),
    ("What was the first thing I told you?", (0,), False),
    ("In what order did I caulk the seams, strip the mast and order the planks?", (3, 8, 17), True),
    ("Which came first, the launch or the insurance man's visit?", (10, 21), True),
    ("Did I hire an apprentice before we launched Sildra?", (21, 23), True),
    ("What did we talk about on 12 March?", (10, 12), False),
    ("List everything I have said about my daughter.", (6, 20, 24), False),
    ("What did we discuss most recently?", (24,), False),
    ("When did I first mention the larch planks?", (8,), False),
    ("Walk me through the work on the boat in chronological order.", (3, 8, 13, 17, 21), False),
    ("Give me an overview of our chat about fire safety.", (10, 12), False),
)

BAKERY = (
    # 0
    ("2025-01-06", "a", "user", "I signed the lease for the corner shop, it will be a bakery."),
    ("2025-01-06", "a", "assistant", "Congratulations! When do you get the keys?"),
    ("2025-01-06", "a", "user", "On the 15th. The landlady is called Mrs Obuya."),
    # 3
    ("2025-01-19", "b", "user", "Tore out the old carpet in the shop. There is terrazzo under it!"),
    ("2025-01-19", "b", "user", "My back is done for."),
    # 5
    ("2025-01-30", "c", "user", "The bank turned down my loan for the oven."),
    ("2025-01-30", "c", "assistant", "I am sorry. Is a credit union an option?"),
    ("2025-01-30", "c", "user", "Maybe. I'll ask mine on Friday."),
    # 8
    ("2025-02-07", "d", "user", "The credit union said yes, eighteen thousand over five years."),
    # 9
    ("2025-02-14", "e", "user", "Started a rye sourdough culture, it smells of apples."),
    ("2025-02-14", "e", "assistant", "Apples are a good sign."),
    # 11
    ("2025-02-25", "f", "user", "Marathon training again, ran 14 km along the canal."),
    # 12
    ("2025-03-08", "g", "user", "The deck oven was delivered, four men and a crane."),
    ("2025-03-08", "g", "assistant", "A crane! Did it go through the window?"),
    ("2025-03-08", "g", "user", "Through the roof light, with two centimetres to spare."),
    # 15
    (
        "2025-03-20",
        "h",
        "user",
        "First test bake in the shop: forty rye loaves, half of them flat.",
    ),
    ("2025-03-20", "h", "assistant", "Flat how? Overproofed?"),
    ("2025-03-20", "h", "user", "Overproofed, the prep room is far too warm."),
    # 18
    ("2025-04-02", "i", "user", "Painted the shop front dark green with my cousin Idris."),
    # 19
    ("2025-04-11", "j", "user", "Knee hurts after the long run, I'm skipping a week of training."),
    # 20
    ("2025-04-26", "k", "user", "Opening day! Sold out by half past ten."),
    ("2025-04-26", "k", "assistant", "Sold out! How do you feel?"),
    # 22
    ("2025-05-10", "l", "user", "The sourdough is stable now, I feed it at four every morning."),
    # 23
    ("2025-05-18", "m", "user", "Ran the marathon in 4:21, the knee held."),
    # 24
    ("2025-06-03", "n", "user", "Hired Salome for the counter, weekends only."),
)
BAKERY_ASKED = (
    ("Could you summarize what I told you about the sourdough?", (9, 15, 22), False),
    ("Give me a summary of my marathon training.", (11, 19, 23), False),
    ("What's the very first thing we talked about?", (0,), False),
    ("In which order did these happen: the test bake, the oven's delivery, painting the front?",
     (12, 15, 18), True),
    ("Which did I do first, tear out the carpet or paint the shop front?", (3, 18), True),
    ("Was the loan turned down before or after I started the sourdough culture?", (5, 9), True),
    ("What did we talk about on 8 March 2025?", (12, 14), False),
    ("Everything I've mentioned about the oven, please.", (5, 12, 14), False),
    ("What was the most recent thing we spoke about?", (24,), False),
    ("When did I first bring up my knee?", (19,), False),
    ("List the order in which I brought up the steps of opening the bakery, in order.",
     (0, 3, 12, 15, 20), False),
    ("Sum up our discussion of the loan for me.", (5, 7, 8), False),
)  # fmt: skip
HISTORIES = {"boatyard": (BOATYARD, BOATYARD_ASKED), "bakery": (BAKERY, BAKERY_ASKED)}

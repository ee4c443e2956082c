"""Secrets are known by structure, hidden whole, and ordinary talk holds none."""

import time
from itertools import pairwise

import pytest

from hippocampus.language.secrets import SecretFinder, SecretSpan, find_secrets

HIDDEN = {
    "The login for staging is admin / letmein99.": "The login for staging is admin / [password].",
    "Zugangsdaten: eva / geheim77": "Zugangsdaten: eva / [password]",
    "My password is hunter2, as ever.": "My password is [password], as ever.",
    "the wifi password: Sommer!2024": "the wifi password: [password]",
    'The password changed to "blue horse".': 'The password changed to "[password]".',
    "Mein Passwort lautet k4tze99.": "Mein Passwort lautet [password].",
    "My PIN is 4711.": "My PIN is [code].",
    "The PIN of the safe is 9021.": "The PIN of the safe is [code].",
    "The PIN of Anna's card was 1188.": "The PIN of Anna's card was [code].",
    "The wifi code is 48213377.": "The wifi code is [code].",
    "gate code 2580, mind the dog": "gate code [code], mind the dog",
    "The keypad code at the office is 7731#": "The keypad code at the office is [code]",
    "The code for the bike lock is 372.": "The code for the bike lock is [code].",
    "The code of the front door changed to 8812.": "The code of the front door changed to [code].",
    "The combination of the locker is 24-6-18.": "The combination of the locker is [code].",
    "4821 is the door code.": "[code] is the door code.",
    "Your verification code is 482913.": "Your verification code is [code].",
    "Der WLAN-Code ist 48213377.": "Der WLAN-Code ist [code].",
    "Le code du portail est 4821B.": "Le code du portail est [code].",
    "El código de la puerta es 4821.": "El código de la puerta es [code].",
    "The password to the vault is Zx81_now.": "The password to the vault is [password].",
    "pw: Tr0ub4dor&3.": "pw: [password].",
    "my password's hunter2.": "my password's [password].",
    "Her password’s Rex2019!, I think.": "Her password’s [password]!, I think.",
    "the passphrase is correct horse battery staple.": "the passphrase is [password].",
    "Our seed phrase: apple river stone candle window.": "Our seed phrase: [password].",
    "the recovery phrase is velvet-anchor-lemon-orbit.": "the recovery phrase is [password].",
    "Pay with 4111 1111 1111 1111 please.": "Pay with [card number] please.",
    "card4111111111111111": "card[card number]",
    "scan_5500005555555559.png": "scan_[card number].png",
    "run_536-22-8711": "run_[identity number]",
    "step_5500 0055 5555 5559": "step_[card number]",
    "recall_5500005555555559": "recall_[card number]",
    "{'id': 'npm_16C7e42F292c6912E7710c838347Ae178B4a'}": "{'id': '[key]'}",
    "IBAN DE89 3704 0044 0532 0130 00": "IBAN [account number]",
    "IBAN DE89370400440532013000, too": "IBAN [account number], too",
    "postgres://bob:s3cr3t@db/x": "postgres://bob:[password]@db/x",
    "Write to a.b@c-d.at about it.": "Write to [e-mail address] about it.",
    "Call +43 660 1234567 or (212) 555-0100.": "Call [phone number] or [phone number].",
    "His passport number is X1234567.": "His passport number is [identity number].",
    "use AKIAIOSFODNN7EXAMPLE there": "use [key] there",
    "The form wants 12345678Z": "The form wants [identity number]",
    "6630 is now our new garage code.": "[code] is now our new garage code.",
    "The lift code 7741 works again.": "The lift code [code] works again.",
    "doorCode: 7741": "doorCode: [code]",
    '{"id": 7, "lockerCode": 7741}': '{"id": 7, "lockerCode": [code]}',
    '{"myGarageDoorCode": "7741"}': '{"myGarageDoorCode": "[code]"}',
}

ORDINARY = [
    "The login is at app / web; the logins are SSO / OAuth2 only.",
    "Our login page is src/app2.py, the credentials are kept in vault / kv2",
    "I forgot my password again.",
    "The password is wrong.",
    "The rent is 450 pw and the bills are mine.",
    "my password's SHA256 hash was leaked, and the password's length matters",
    "The zip code is 90210, the area code 212 and the order number 48213377.",
    "The error code on the router is 4021; the status code was 503.",
    "The product code for the door is 48213, and the door is 2100 mm high.",
    "The code for the module is 300 lines, and the lock code is 1200 lines.",
    "We changed the door code 300 days ago; the alarm code has 1200 characters.",
    "The door code changed in 2024 and costs 1500. The gate opens at 0630.",
    "The wifi is 5000 kr a year, room 4821, and we drove 48213 km.",
    "The PIN of the safe is unknown, and the password to Anna's iPhone is lost.",
    "The passphrase is stored under the doormat.",
    "The passphrase is four random dictionary words.",
    "My recovery phrase was lost several years ago.",
    "the passphrase is required before every single login",
    "The mnemonic is every good boy deserves football.",
    "Order 4111111111111112 has shipped.",  # Luhn does not hold
    "ISBN 978-3-16-148410-0, 10:30 on 2025-03-12, version 3.11.7, 1,234,567.89 euros",
    "The secret of good bread is time, and the token gesture annoyed him.",
    "uuid 123e4567-e89b-12d3-a456-426614174000, commit d41d8cd98f00b204e9800998ecf8427e",
    "cd21392410021444e0067395 has a card's number, 00749023034f779cba17e176 a phone's",
    "toolu_01A5500005555555559 answers run_5500005555555559",
    "{'tool_call_id': 'of-5500005555555559'}",
    "IBAN DE00 3704 1144 2532 9130 78",
    "12345678A is no identity number",
    "2017 was the first summer the gate code failed.",
    "In 2022 was the old alarm code retired.",
    "The fire code for lifts is 2018, the safety code of the gate 1998.",
    "The elevator code 512 stands for a jam, and door code 4040 signals low power.",
    "The alarm code 303 means smoke.",
    "tokens = word_tokenize(text); password = request.form['password']",
]


@pytest.mark.parametrize("text", HIDDEN)
def test_only_a_secret_is_replaced_by_its_kind(text):
    assert HIDDEN[text] == SecretFinder().redact(text)


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_holds_none(text):
    assert [] == find_secrets(text)


@pytest.mark.parametrize(
    "field", ["pinCode", "PIN_CODE", "lift_code", "lockerCode", "alarm-code", "cardPin", "otherPin"]
)
def test_a_field_is_known_for_a_code_however_its_words_are_joined(field):
    assert {field: "[code]"} == SecretFinder().redact_fields({field: 7741})


@pytest.mark.parametrize("field", ["zipCode", "status_code", "pinCount", "spin", "doorCount"])
def test_a_field_of_another_number_is_no_code(field):
    assert {field: 7741} == SecretFinder().redact_fields({field: 7741})


def test_a_private_key_is_hidden_to_its_end():
    body = "\n".join("MIIEpAIBAAKCAQEA" + "x" * 40 for _ in range(20))
    told = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"
    shown = SecretFinder().redact(f"Keep this:\n{told}\nThanks.")
    assert "Keep this:\n[private key]\nThanks." == shown


@pytest.mark.parametrize("run", ["docs/", "=-", "Docs-2024/v1/"])
def test_a_key_is_found_behind_however_long_a_path_or_line(run):
    key = "gho_16C7e42F292c6912E7710c838347Ae178B4a"
    assert run * 300 + "[key]" == SecretFinder().redact(run * 300 + key)


def test_a_number_is_found_behind_a_long_line():
    assert "-_" * 300 + "n[card number]" == SecretFinder().redact("-_" * 300 + "n5500005555555559")


def test_spans_are_in_order_without_overlapping():
    text = " ".join(HIDDEN)
    spans = find_secrets(text)
    assert len(spans) >= len(HIDDEN)
    assert all(a.end <= b.start for a, b in pairwise(spans))


def test_a_secret_that_begins_within_another_is_hidden_to_its_end():
    more = SecretFinder(lambda _: [SecretSpan("name", 0, 9), SecretSpan("place", 5, 13)])

    assert "[name] here" == more.redact("Ada Lovelace, here")


@pytest.mark.slow
@pytest.mark.parametrize(
    "shape",
    ["1 ", "a@", "password ", "password is ", "+1", "A1", "a.", "eyJa.", "key=", "-----BEGIN ",
     "12 ", "my number is ", "x" * 9 + " ", "::", "'", "pin ", "login is a / ", "gate code ",
     "code for the door is ", "1234 is the ", "12-"],
)  # fmt: skip
def test_a_hostile_text_is_read_in_linear_time(shape):
    def seconds(size):
        text = (shape * size)[:size]
        begun = time.process_time()
        find_secrets(text)
        return time.process_time() - begun

    seconds(1000)
    short = min(seconds(8_000) for _ in range(3))
    assert min(seconds(64_000) for _ in range(2)) < 24 * max(short, 0.004)

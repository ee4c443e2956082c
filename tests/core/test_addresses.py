"""Addresses of servers: what is none is an ``InputError``, and what is one can be sent as ASCII."""

from pathlib import Path

import pytest

from hippocampus.core.connections import ConnectionPool
from hippocampus.core.http import check_url
from hippocampus.core.store_address import addresses
from hippocampus.errors import InputError


@pytest.mark.parametrize(
    "url",
    [
        *(f"http://exa{chr(code)}mple.com/" for code in (*range(0x21), 0x7F, 0xA0, 0x2028)),
        "http://a..b", "http://.", f"http://{'a' * 64}.com", "http://" + 64 * "\u00fc",
        "http://[::1", "http://a:99999", "http://a:x", "http://\ud800", "http://\u2100",
        "http://a<b>", "http://a\\b", "http://a/\u00fc", "", None, 3, b"http://a",
    ],
)  # fmt: skip
def test_what_is_no_address_of_a_server_is_an_input_error(url):
    with pytest.raises(InputError, match="must be the address of a server"):
        check_url(url)


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("http://b\u00fccher.example/v1", "http://xn--bcher-kva.example/v1"),
        ("https://B\u00dcCHER.example:8443", "https://xn--bcher-kva.example:8443"),
        ("http://\uff41.example", "http://a.example"),
        ("http://[::1]:80/x", "http://[::1]:80/x"),
        ("http://Example.COM", "http://Example.COM"),
    ],
)
def test_an_international_name_of_a_host_is_sent_as_ascii(given, sent):
    assert sent == check_url(given).geturl()


def test_the_account_in_an_address_stays_as_it_was_written():
    parts = check_url("http://j\u00fc:p%40@b\u00fccher.example:8080", user=True)

    assert ("j\u00fc", "p%40") == (parts.username, parts.password)
    assert ("xn--bcher-kva.example", 8080) == (parts.hostname, parts.port)


@pytest.mark.parametrize("proxy", ["http://[::1", "http://a\x01b:1", "a:x", "https://a", "a:0"])
def test_a_proxy_of_the_environment_that_is_none_is_an_input_error(monkeypatch, proxy):
    monkeypatch.setattr("urllib.request.getproxies", lambda: {"http": proxy})
    with pytest.raises(InputError, match=r"http_proxy=\[not shown"):
        ConnectionPool(check_url("http://somewhere.example"))


@pytest.mark.parametrize("proxy", ["a:1", "//a:1", "http://a:1", "http://a:1/"])
def test_a_proxy_of_the_environment_may_be_written_without_a_scheme(monkeypatch, proxy):
    monkeypatch.setattr("urllib.request.getproxies", lambda: {"http": proxy})
    ConnectionPool(check_url("http://somewhere.example"))


def test_an_address_among_several_is_as_it_was_given():
    named = ["postgresql://db/one", "postgresql://db/two?sslmode=require", Path("three.db")]

    assert addresses(named) == [*named[:2], "three.db"]

"""What lies between a run and its servers: names, TLS, redirects, proxies, connections."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from auditor.errors import AuditorError
from tests.cli.driving import begin, serving
from tests.faults.audits import check_verified, ended, until
from tests.faults.scenario import Found, Ground, Skipped, scenario
from tests.faults.wires import (
    CHAT,
    KEY,
    KEY_VARIABLE,
    WIRES,
    calls_by_state,
    check_calls,
    check_complete,
    check_secret,
    check_stopped,
    part,
    play,
    trials_of,
    write_parts,
    write_wires,
)
from tests.mock_server import CERTIFICATE, Faults, MockServer, Quirk, Raw
from tests.mock_server.proxy import MockProxy

ONE_BY_ONE = "concurrency = 1"
_TRUSTING = {"SSL_CERT_FILE": str(CERTIFICATE)}
_LOGIN, _PASSWORD = "me", "pw-planted-5Kz7"
_REDIRECTS = (301, 302, 303, 307, 308)


@contextmanager
def proxying(leads_to: str, **settings: object) -> Iterator[MockProxy]:
    """A proxy in a thread of its own."""
    proxy = MockProxy(leads_to, **settings)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(proxy.start(), loop).result()
        yield proxy
    finally:
        asyncio.run_coroutine_threadsafe(proxy.stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


def _via(proxy: MockProxy, *, login: str = f"{_LOGIN}:{_PASSWORD}") -> dict[str, str]:
    url = proxy.url.replace("//", f"//{login}@") if login else proxy.url
    names = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
    return {**dict.fromkeys(names, url), "NO_PROXY": "", "no_proxy": ""}


@scenario("a certificate that nobody vouches for, at every endpoint; then it is trusted")
def self_signed_certificate(ground: Ground) -> Found:
    """Fails at once, without a call; the key is not sent."""
    found, trials = Found(), trials_of()
    spec, store = ground.folder / "s.toml", ground.folder / "s.db"
    with serving(is_tls=True) as server:
        write_wires(spec, server.url)
        begun = time.monotonic()
        ran = play("run", spec)
        took = time.monotonic() - begun
        words = "has no certificate that this machine trusts"
        check_stopped(found, ran, words, trials=trials)
        found.expect(server.received == 0, f"{server.received} calls were sent")
        found.expect(took < 30, f"it took {took:.0f} s")
        check_complete(found, play("resume", store, env=_TRUSTING), store, trials)
        found.expect(set(server.counts.values()) == {1}, f"calls a trial: {server.counts}")
        check_secret(found, ground.folder, ran)
    found.happened = f"every target stops within {took:.0f} s: ... {words}; nothing is sent"
    found.left = "trust it (SSL_CERT_FILE); resume"
    return found


@scenario("https:// in the spec where the server speaks http")
def https_of_an_http_server(ground: Ground) -> Found:
    found, trials = Found(), trials_of()
    spec = ground.folder / "s.toml"
    with serving() as server:
        write_wires(spec, server.url.replace("http:", "https:"))
        ran = play("run", spec)
        check_stopped(found, ran, "do not agree on TLS", trials=trials)
        write_wires(spec, server.url)
        check_complete(found, play("run", spec), spec.with_suffix(".db"), trials)
    found.happened = "every target stops at once: ... do not agree on TLS"
    found.left = "mend base_url; run again"
    return found


def _leading(status: int, location: str) -> Quirk:
    raw = Raw(status=status, content=b"", headers={"Location": location})
    return Quirk(respond=lambda body, wire: raw)


@scenario("redirects 301, 302, 303, 307, 308 to another host and within the same one")
def redirects(ground: Ground) -> Found:
    """Not followed: the other host sees no connection, so no key."""
    found = Found()
    spec = ground.folder / "s.toml"
    wires = [wire for wire in WIRES if wire.api == "chat"]
    with serving(record=True) as other:
        leads = {}
        for status in _REDIRECTS:
            leads[f"{status}-away"] = _leading(status, f"{other.url}/v1/chat/completions")
            leads[f"{status}-within"] = _leading(status, "/elsewhere/v1/chat/completions")
        with serving(models=leads, record=True) as server:
            parts = [
                part(
                    wire, server.url, name=f"{wire.name}-{model}", model=model, settings=ONE_BY_ONE
                )
                for wire in wires
                for model in leads
            ]
            write_parts(spec, parts)
            ran = play("run", spec)
            trials = len(parts) * trials_of(CHAT)
            check_stopped(found, ran, "not followed to ", trials=trials)
            check_calls(found, spec.with_suffix(".db"), server)
            found.expect(server.received == len(parts), f"{server.received} of {len(parts)} calls")
            had_key = [KEY in str(dict(request.headers)) for request in server.requests]
            found.expect(all(had_key), "the key was not in use")
            paths = [r.path for r in server.requests if r.path.startswith("/elsewhere")]
            found.expect(not paths, "a redirect within the host was followed")
        found.expect(not other.peers, "the other host was asked")
    check_secret(found, ground.folder, ran)
    found.happened = (
        f"{len(parts)} endpoints stop after one call each: answered 30x: not followed to ...;"
        " the other host sees nothing"
    )
    found.left = "mend base_url; run again"
    return found


def _check_login(found: Found, folder: Path, *rans: object) -> None:
    check_secret(found, folder, *rans, secrets=(KEY, _PASSWORD))


@scenario("a proxy from the environment (HTTP_PROXY) with a login, plain HTTP")
def proxy_for_http(ground: Ground) -> Found:
    """Every call goes through it with its login; NO_PROXY takes a host out."""
    found, trials = Found(), trials_of()
    spec, store = ground.folder / "s.toml", ground.folder / "s.db"
    with serving(key=KEY) as server, proxying(server.url, login=f"{_LOGIN}:{_PASSWORD}") as proxy:
        write_wires(spec, "http://model.invalid")
        ran = play("run", spec, env=_via(proxy))
        check_complete(found, ran, store, trials)
        check_calls(found, store, server)
        found.expect(len(proxy.asked) == trials, f"{len(proxy.asked)} requests to the proxy")
        _check_login(found, ground.folder, ran)
        again = ground.folder / "again.toml"
        write_wires(again, server.url)
        ran = play("run", again, env=_via(proxy))
        check_complete(found, ran, again.with_suffix(".db"), trials)
        found.expect(len(proxy.asked) == trials, "this machine was asked through the proxy")
    found.happened = f"{trials} calls, all through the proxy; this machine's own server without it"
    return found


@scenario("a proxy from the environment (HTTPS_PROXY) with a login, TLS through its tunnel")
def proxy_for_https(ground: Ground) -> Found:
    """The proxy sees the login and the host, and never the key."""
    found, trials = Found(), trials_of()
    spec, store = ground.folder / "s.toml", ground.folder / "s.db"
    with (
        serving(key=KEY, is_tls=True) as server,
        proxying(server.url, login=f"{_LOGIN}:{_PASSWORD}") as proxy,
    ):
        write_wires(spec, "https://model.invalid")
        ran = play("run", spec, env={**_via(proxy), **_TRUSTING})
        check_complete(found, ran, store, trials)
        check_calls(found, store, server)
        asked = {(each.method, each.target) for each in proxy.asked}
        found.expect(asked == {("CONNECT", "model.invalid:443")}, f"asked for: {asked}")
        shown = [each for each in proxy.asked if KEY in str(each.headers)]
        found.expect(not shown, f"the key was shown to the proxy {len(shown)} times")
        tunnels = len(proxy.asked)
        _check_login(found, ground.folder, ran)
    found.happened = f"{trials} calls through {tunnels} tunnels; the proxy sees host and login only"
    return found


@scenario("a proxy that refuses: a wrong login, a host that it does not let through")
def proxy_that_refuses(ground: Ground) -> Found:
    found, trials = Found(), trials_of()
    with serving() as server:
        for scheme, settings, words in (
            ("http", {"login": "other:login"}, "answered 407"),
            ("https", {"login": "other:login"}, "answered 407"),
            ("https", {"status": 403}, "answered 403"),
        ):
            spec = ground.folder / f"{scheme}{settings.get('status', 407)}.toml"
            with proxying(server.url, **settings) as proxy:
                write_wires(spec, f"{scheme}://model.invalid", settings=ONE_BY_ONE)
                ran = play("run", spec, env=_via(proxy))
                check_stopped(found, ran, words, trials=trials)
                asked = len(proxy.asked)
                found.expect(asked == len(WIRES), f"{asked} requests to the proxy")
            _check_login(found, ground.folder, ran)
        found.expect(server.received == 0, f"{server.received} calls came through")
    found.happened = "every target stops after one request: the proxy ... answered 407, or 403"
    found.left = "mend HTTPS_PROXY or NO_PROXY; resume"
    return found


@scenario("a proxy that is none over HTTP (socks5://) in the environment")
def proxy_of_another_kind(ground: Ground) -> Found:
    found = Found()
    spec = ground.folder / "s.toml"
    write_wires(spec, "https://model.invalid")
    url = f"socks5://{_LOGIN}:{_PASSWORD}@127.0.0.1:1080"
    ran = play("run", spec, env={"HTTPS_PROXY": url, "https_proxy": url, "NO_PROXY": ""})
    found.codes.append(ran.code)
    found.expect(ran.code == 2, f"exit code {ran.code}: {ran.err[-300:]}")
    found.expect("HTTPS_PROXY" in ran.err, f"it does not name the variable: {ran.err[-300:]}")
    _check_login(found, ground.folder, ran)
    found.happened = "refused before anything is sent: HTTPS_PROXY ... names no HTTP proxy"
    found.left = "name an HTTP proxy"
    return found


@scenario("a server at an address of IPv6 ([::1])")
def ipv6_address(ground: Ground) -> Found:
    if not Path("/proc/net/if_inet6").exists():
        raise Skipped("no IPv6 here")
    found, trials = Found(), trials_of()
    spec = ground.folder / "s.toml"
    with serving(host="::1") as server:
        write_wires(spec, server.url)
        check_complete(found, play("run", spec), spec.with_suffix(".db"), trials)
    found.happened = "completes"
    return found


@scenario("a server that closes each connection before the next call comes")
def connections_closed_between_calls(ground: Ground) -> Found:
    """The next call opens another; one that meets the closing is unknown, and is made again."""
    found, trials = Found(), trials_of()
    spec, store = ground.folder / "s.toml", ground.folder / "s.db"
    settings = "concurrency = 1\nrequests_per_minute = 60"
    with serving(keepalive_seconds=0.3) as server:
        write_wires(spec, server.url, settings=settings)
        check_complete(found, play("run", spec), store, trials)
        counted = calls_by_state(store)
        met, stored = counted.get("unknown", 0), sum(counted.values())
        # A call that met the closing may not have come to the server as one.
        found.expect(
            server.received <= stored <= server.received + met,
            f"{stored} calls stored, {server.received} seen, {met} met the closing",
        )
        found.expect(met <= trials // 10, f"{met} of {stored} calls met the closing")
        found.repeated = server.received - trials
        connections = len(server.peers)
    found.happened = f"{trials} trials over {connections} connections; {met} calls met the closing"
    return found


@scenario("a host that no name server knows, then mended in the spec")
def unknown_host(ground: Ground) -> Found:
    return _away(ground, "http://nowhere.invalid")


@scenario("a server that is not there (connection refused), then mended in the spec")
def refused_connection(ground: Ground) -> Found:
    return _away(ground, "http://127.0.0.1:9")


def _away(ground: Ground, root: str) -> Found:
    """The run waits, says so, and asks one call at a time; Ctrl-C ends it; nothing is failed."""
    found, trials = Found(), trials_of()
    spec, store = ground.folder / "s.toml", ground.folder / "s.db"
    write_wires(spec, root)
    process = begin("run", spec, "--no-probe", env={KEY_VARIABLE: KEY})
    met = until(lambda: _failed(store) >= 20, process)
    found.expect(met, "no call was made")
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    ran = ended(process)
    found.codes.append(ran.code)
    found.expect(ran.code == 130, f"exit code {ran.code}: {ran.err[-300:]}")
    counted = calls_by_state(store)
    found.expect(set(counted) == {"failed"}, f"calls by state: {counted}")
    found.expect(counted.get("failed", 0) < 150, f"{counted} calls in a few seconds")
    check_verified(found, store)
    with serving() as server:
        write_wires(spec, server.url)
        check_complete(found, play("run", spec), store, trials)
        found.repeated = server.received - trials
    found.happened = (
        f"{counted.get('failed', 0)} calls at five endpoints, then one a pause, none counted as"
        " billed; Ctrl-C; with another base_url the same store completes"
    )
    found.left = "mend base_url; run again"
    return found


def _failed(store: Path) -> int:
    try:
        return calls_by_state(store).get("failed", 0)
    except AuditorError:  # there is none yet, or it is being laid out
        return 0


@scenario("three servers that are never heard: unknown host, refused, silent (with --long)")
def never_heard(ground: Ground) -> Found:
    """Given up after some five minutes; exit 1, each with its reason; nothing counts as failed."""
    if not ground.is_long:
        raise Skipped("takes minutes: --long")
    found = Found()
    spec, store = ground.folder / "s.toml", ground.folder / "s.db"

    def write(silent: MockServer, *, is_well: bool) -> None:
        roots = {
            "unknown": "http://nowhere.invalid",
            "refused": "http://127.0.0.1:9",
            "silent": silent.url,
        }
        parts = [
            part(
                wire,
                silent.url if is_well else root,
                name=f"{name}-{wire.client}",
                settings="timeout_seconds = 1\nconcurrency = 2",
            )
            for name, root in roots.items()
            for wire in WIRES[:2]
        ]
        write_parts(spec, parts)

    trials = 6 * trials_of(CHAT)
    with serving(faults=Faults(rate=1.0, kinds=("hang",))) as silent:
        write(silent, is_well=False)
        begun = time.monotonic()
        ran = play("run", spec)
        took = time.monotonic() - begun
        check_stopped(found, ran, "no answer from endpoint", trials=trials)
        found.expect(280 < took < 420, f"given up after {took:.0f} s")
        check_verified(found, store)
        counted = calls_by_state(store)
        silent.faults = Faults()
        write(silent, is_well=True)
        check_complete(found, play("run", spec), store, trials)
    found.happened = (
        f"given up after {took:.0f} s and {sum(counted.values())} calls ({counted}): no answer from"
        " endpoint ...; mended, the same store completes"
    )
    found.left = "mend the server or base_url; run again"
    return found

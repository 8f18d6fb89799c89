"""
A Chromium of our own: its own profile, its own port, no way out of the machine, gone when the block is left.

Two browsers on one port do not fail: the second says nothing and listens on another address, and who then talks to the
port plays the first one's game. That gave nine green gates for a game that ignores input. So the port is not asked who
is there: the process's own line says where it listens, with a name in it that only this process has, and anything else
than the port that was asked for, on 127.0.0.1, is refused.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from evalgate.errors import CannotJudgeError
from evalgate.play.ports import PortPair
from evalgate.play.processes import ProcessError, ProcessGroups, temporary_folder

_START_SECONDS = 60.0
_LONGEST_TEMPORARY = 55
"""Unit: characters. The path of a socket has at most 103 on macOS (unix(4)), and Chromium's own part of it has 45."""
_LINE = re.compile(r"DevTools listening on (ws://(\S+?):([0-9]{1,5})/devtools/browser/[0-9A-Za-z-]+)\s*")


class WrongPortError(CannotJudgeError):
    """The browser does not listen where it was told to: somebody else has the port."""


def flags(profile: Path, ports: PortPair) -> list[str]:
    """
    Return the arguments that Chromium is started with.

    The proxy is an address on which nobody listens, and the game's own address alone is asked without it: nothing else
    can be reached, beyond this machine or on it, by name or by number.
    """
    return [
        "--headless=new",
        "--no-sandbox",
        f"--user-data-dir={profile}",
        f"--remote-debugging-port={ports.cdp_port}",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-default-apps",
        "--disable-dev-shm-usage",
        "--disable-extensions",
        "--no-default-browser-check",
        "--no-first-run",
        "--no-pings",
        "--mute-audio",
        "--hide-scrollbars",
        "--force-device-scale-factor=1",
        "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
        "--window-size=800,600",
        "--proxy-server=http://127.0.0.1:9",
        # Without `<-loopback>` every loopback address is asked without the proxy.
        f"--proxy-bypass-list=<-loopback>;127.0.0.1:{ports.port}",
        "about:blank",
    ]


def address_of(line: str, cdp_port: int) -> str:
    """
    Return the address that a line of Chromium's names.

    Raises `WrongPortError` when it is not on 127.0.0.1 and the port that was asked for.
    """
    match = _LINE.fullmatch(line.strip())
    if match is None or match[2] != "127.0.0.1" or int(match[3]) != cdp_port:
        where = line.strip() if match is None else f"{match[2]}:{match[3]}"
        raise WrongPortError(
            [
                f"chromium: listens on {where} and not on 127.0.0.1:{cdp_port} as it was told: another browser has the "
                f"port; end it, or name another one with --cdp-port"
            ]
        )
    return match[1]


@contextlib.contextmanager
def started(chromium: Path, ports: PortPair) -> Iterator[str]:
    """
    Start a browser, give the address that takes its commands, and end it with all its processes.

    Raises `WrongPortError`, `ProcessError` when it cannot be started.
    """
    with temporary_folder() as profile, ProcessGroups() as groups:
        # What the desktop's session offers is none of the game's business, and each takes time to be found missing.
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("DBUS_", "XDG_"))}
        homes = ["HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"]
        if len(str(profile)) <= _LONGEST_TEMPORARY:
            # A browser that is ended leaves the folder of its socket behind: let that be in what we remove.
            homes.append("TMPDIR")
        environment |= dict.fromkeys(homes, str(profile))
        process = groups.start([chromium, *flags(profile, ports)], cwd=profile, env=environment)
        try:
            line = process.wait_for_line(_tells, _START_SECONDS)
        except ProcessError as fault:
            raise ProcessError([*fault.faults, f"chromium: was to listen on 127.0.0.1:{ports.cdp_port}"]) from fault
        if "DevTools listening on" not in line:
            raise WrongPortError([f"chromium: cannot listen on 127.0.0.1:{ports.cdp_port} ({line.strip()})"])
        yield address_of(line, ports.cdp_port)


def _tells(line: str) -> bool:
    return "DevTools listening on" in line or "Cannot start http server for devtools" in line

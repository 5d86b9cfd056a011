"""`status` and `watch`."""

from __future__ import annotations

import time

from auditor.cli.output import JsonOption, print_json, say, stderr, stdout, use_json
from auditor.cli.running import StoreArgument


def status(store: StoreArgument, json: JsonOption = False) -> int:
    """Say how far a run is."""
    use_json(json)
    from auditor.store.connection import sqlite_errors
    from auditor.store.progress import snapshot
    from auditor.store.reading import open_run
    from auditor.store.status_json import status_json

    connection = open_run(store)
    try:
        with sqlite_errors(store):
            progress = snapshot(connection)
            if json:
                print_json(status_json(progress))
                return 0
            from auditor.live import UNKNOWN_RATES, render
            from auditor.live.glyphs import glyphs_for
            from auditor.live.reader import headlines

            found = headlines(connection, progress)
    finally:
        connection.close()
    console = stdout()
    console.print(
        render(
            progress,
            found,
            UNKNOWN_RATES,
            width=console.width,
            now=time.time(),
            glyphs=glyphs_for(console),
        )
    )
    return 0


def watch(store: StoreArgument, json: JsonOption = False) -> int:
    """Follow a run from another terminal. Reads only; leaves when the run ends."""
    use_json(json)
    from auditor.live import is_drawn, open_view
    from auditor.live.reader import ProgressReader
    from auditor.store.connection import sqlite_errors
    from auditor.store.reading import open_run
    from auditor.store.status_json import status_json

    open_run(store).close()
    reader = ProgressReader(store, with_headlines=is_drawn(stderr()))
    try:
        # What cannot be read at all is said once, before there is a view.
        with sqlite_errors(store):
            reader()
    except BaseException:
        reader.close()
        raise
    view = open_view(reader, stderr())
    try:
        while view.snapshot is None or view.snapshot.state == "running":
            time.sleep(min(0.25, view.tick()))
    except KeyboardInterrupt:
        say("no longer watching; the run goes on")
    finally:
        view.stop()
        reader.close()
    if json and view.snapshot is not None:
        print_json(status_json(view.snapshot))
    return 0

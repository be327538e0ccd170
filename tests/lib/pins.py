"""What scripts/pins pins, and where scripts/packages stores it."""
import os
import re

PINS = dict(re.findall(r'(?m)^(\w+)="?([^"#\n]*?)"? *(?:#.*)?$', open(os.path.join(
    os.path.dirname(__file__), "..", "..", "scripts", "pins")).read()))
CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
TOOLS = os.path.join(CACHE, "sampler-tests")

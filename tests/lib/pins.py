"""What tools/pins pins, and where tools/packages stores it."""
import os
import re

PINS = dict(re.findall(r'(?m)^(\w+)="?([^"#\n]*?)"? *(?:#.*)?$', open(os.path.join(
    os.path.dirname(__file__), "..", "..", "tools", "pins")).read()))
CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
TOOLS = os.path.join(CACHE, "sampler-tests")

"""Checks JSON against a schema (json-schema.org, 2020-12), by the keywords that docs/*.schema.json
use. An object may have no keys but those of the schema, unless `additionalProperties` allows them:
the schema is for readers, which must bear new keys, but what is written must be described."""
import json
import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
         "integer": int, "number": (int, float)}
KNOWN = {"$schema", "$defs", "$ref", "title", "description", "type", "enum", "const", "required",
         "properties", "additionalProperties", "items", "oneOf", "pattern", "minimum"}


def load(path):
    return json.load(open(path))


def is_type(value, name):
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name])


def errors(value, schema, root, at="$"):
    """Yields what is wrong with the value."""
    assert set(schema) <= KNOWN, f"{at}: the keywords {set(schema) - KNOWN} are not covered"
    if "$ref" in schema:
        yield from errors(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root, at)
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_type(value, kind) for kind in kinds):
        yield f"{at}: {value!r} is no {' or '.join(kinds)}"
        return
    if "const" in schema and value != schema["const"] or value not in schema.get("enum", [value]):
        yield f"{at}: {value!r}"
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        yield f"{at}: {value!r} is not {schema['pattern']}"
    if is_type(value, "number") and value < schema.get("minimum", value):
        yield f"{at}: {value!r} is too small"
    if "oneOf" in schema:
        found = [list(errors(value, one, root, at)) for one in schema["oneOf"]]
        if found.count([]) != 1:
            yield f"{at}: {found.count([])} of oneOf; " + min(filter(None, found), key=len, default=[""])[0]
    if isinstance(value, dict):
        yield from of_object(value, schema, root, at)
    for i, item in enumerate(value if isinstance(value, list) and "items" in schema else []):
        yield from errors(item, schema["items"], root, f"{at}[{i}]")


def of_object(value, schema, root, at):
    own = schema.get("properties", {})
    yield from (f"{at}: no {key}" for key in schema.get("required", []) if key not in value)
    for key, item in value.items():
        if key in own:
            yield from errors(item, own[key], root, f"{at}.{key}")
        elif "additionalProperties" in schema:
            yield from errors(item, schema["additionalProperties"], root, f"{at}.{key}")
        elif own:
            yield f"{at}: {key} is not described"


def check(value, schema):
    found = list(errors(value, schema, schema))
    assert not found, found[:5]

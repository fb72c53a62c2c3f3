"""What pydantic refuses, in short sentences with the field path, the value and the values that would do."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from bhsim.errors import Fault
from bhsim.inputs.names import listing, suggestion

_PREFIX = re.compile(r"^([a-z0-9_.]+): ")
_PLAIN = {
    "missing": "is missing",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "bool_type": "must be true or false",
    "string_type": "must be text in quotes",
    "list_type": "must be a list",
    "tuple_type": "must be a list",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "string_too_short": "is empty",
    "string_too_long": "is too long",
    "greater_than_equal": "is out of range",
    "less_than_equal": "is out of range",
}
Keys = Callable[[type[BaseModel], Any], Iterable[str] | None]


def explained(error: ValidationError, model: type[BaseModel], data: Any, prefix: str = "", keys: Keys | None = None) -> list[Fault]:
    """Faults of a validation of ``data`` as ``model``, without file and line.

    prefix: path of ``data`` within its file, put before each field. keys: gives, for a model and its raw
    table, the keys to name as allowed (None: all keys of the model).
    """
    faults: list[Fault] = []
    for item in error.errors(include_url=False):
        loc = tuple(part for part in item["loc"] if part != "[key]")
        faults += _one(item, loc, model, data, prefix, keys)
    return faults


def _one(item: Any, loc: tuple, model: type[BaseModel], data: Any, prefix: str, keys: Keys | None) -> list[Fault]:
    field = _join(prefix, *loc)
    kind = item["type"]
    if kind == "value_error":
        return [_own_message(line, prefix, loc) for line in str(item["ctx"]["error"]).split("\n")]
    owner = model_at(model, loc[:-1])
    name = str(loc[-1]) if loc else ""
    if kind == "extra_forbidden" and owner is not None:
        known = list((keys and keys(owner, _dig(data, loc[:-1]))) or owner.model_fields)
        return [Fault(f"unknown key{suggestion(name, known)}", field=field, allowed=listing(known))]
    allowed = _allowed_at(model, loc)
    value = _shown(item.get("input"))
    if kind == "literal_error":
        words = _words_at(model, loc)
        near = suggestion(str(item["input"]), words) if words else ""
        return [Fault(f"unknown word{near}", field=field, value=value, allowed=allowed)]
    if kind in ("too_long", "too_short"):
        return [Fault(f"has {item['ctx']['actual_length']} entries", field=field, allowed=allowed)]
    message = _PLAIN.get(kind, item["msg"][0].lower() + item["msg"][1:])
    if kind == "missing":
        return [Fault(message, field=field or None, allowed=allowed or _shape(_schema_at(model, loc) or {}))]
    return [Fault(message, field=field or None, value=value, allowed=allowed)]


def _own_message(text: str, prefix: str, loc: tuple) -> Fault:
    """Faults that the models word themselves start with the field they speak of."""
    found = _PREFIX.match(text)
    field = _join(prefix, *loc, found.group(1)) if found else _join(prefix, *loc)
    return Fault(text[found.end() :] if found else text, field=field or None)


def _join(*parts: Any) -> str:
    return ".".join(str(part) for part in parts if part != "")


def _dig(data: Any, loc: tuple) -> Any:
    for key in loc:
        try:
            data = data[key]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _shown(value: Any) -> Any:
    """Values short enough to stand in a message; tables and long lists are found by their line."""
    if isinstance(value, dict) or (isinstance(value, (list, str)) and len(value) > 60):
        return None
    if isinstance(value, int) and abs(value) >= 1 << 63:
        return None
    return value


def _strip(annotation: Any) -> Any:
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation = get_args(annotation)[0]
        elif origin in (Union, UnionType):
            annotation = next(a for a in get_args(annotation) if a is not type(None))
        else:
            return annotation


def _step(annotation: Any, key: Any) -> Any:
    annotation = _strip(annotation)
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        field = annotation.model_fields.get(str(key))
        return field.annotation if field else None
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is dict:
        return args[1]
    if origin is list:
        return args[0]
    return args[key] if origin is tuple and isinstance(key, int) and key < len(args) else None


def model_at(model: type[BaseModel], loc: tuple) -> type[BaseModel] | None:
    """The model that describes the table at ``loc`` inside ``model``."""
    annotation: Any = model
    for key in loc:
        annotation = _step(annotation, key)
        if annotation is None:
            return None
    annotation = _strip(annotation)
    return annotation if inspect.isclass(annotation) and issubclass(annotation, BaseModel) else None


@lru_cache
def _schema(model: type[BaseModel]) -> dict[str, Any]:
    return model.model_json_schema()


def _schema_at(model: type[BaseModel], loc: tuple) -> dict[str, Any] | None:
    """JSON schema of the innermost model's field on the way to ``loc``, or of its list items."""
    for length in range(len(loc) - 1, -1, -1):
        owner = model_at(model, loc[:length])
        if owner is not None:
            schema = _schema(owner).get("properties", {}).get(str(loc[length]))
            for _ in loc[length + 1 :]:
                schema = (schema or {}).get("items") or (schema or {}).get("additionalProperties")
            return schema if isinstance(schema, dict) else None
    return None


def _words_at(model: type[BaseModel], loc: tuple) -> list[str]:
    return _words(_schema_at(model, loc) or {})


def _words(schema: dict[str, Any]) -> list[str]:
    for part in (schema, *schema.get("anyOf", ())):
        if "enum" in part:
            return [str(word) for word in part["enum"]]
        if "const" in part:
            return [str(part["const"])]
    return []


def _allowed_at(model: type[BaseModel], loc: tuple) -> str | None:
    return allowed(_schema_at(model, loc) or {})


def allowed(schema: dict[str, Any]) -> str | None:
    """The values that a JSON schema admits, in words; None when there is nothing helpful to say."""
    if words := _words(schema):
        return ", ".join(words)
    for part in (schema, *schema.get("anyOf", ())):
        kind = part.get("type")
        if kind in ("integer", "number") and "minimum" in part and "maximum" in part:
            return f"{part['minimum']} to {part['maximum']}"
        if kind == "boolean":
            return "true, false"
        if kind == "string" and "maxLength" in part:
            return f"{part.get('minLength', 0)} to {part['maxLength']} characters"
        if kind == "array":
            inner = _words(part.get("items", {}))
            if inner:
                return "a list of " + ", ".join(inner)
            if "maxItems" in part:
                return f"{part.get('minItems', 0)} to {part['maxItems']} entries"
        if kind == "object" and "maxProperties" in part:
            return f"{part.get('minProperties', 0)} to {part['maxProperties']} entries"
    return None


def _shape(schema: dict[str, Any]) -> str | None:
    """What sort of value a JSON schema wants: for a field that is missing, where no value shows it."""
    for part in (schema, *schema.get("anyOf", ())):
        if "$ref" in part or part.get("type") in _SHAPES:
            return "a table" if "$ref" in part else _SHAPES[part["type"]]
    return None


_SHAPES = {"object": "a table", "array": "a list", "string": "text in quotes", "integer": "a whole number", "number": "a number"}

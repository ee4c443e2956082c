"""What a condition on metadata means, one episode at a time: the oracle of the columns."""

from hippocampus.index.filters import MAX_LEVELS, Either, Every, Not, Predicate, freeze, holds


def matches(condition, metadata):
    """Return whether metadata fulfils a condition: the plain meaning, one episode at a time."""
    match condition:
        case Predicate(key=key):
            found = next(lookup(metadata, key), None)
            return found is not None and holds(condition, freeze(found[0]))
        case Every(parts):
            return all(matches(part, metadata) for part in parts)
        case Either(parts):
            return any(matches(part, metadata) for part in parts)
        case Not(part):
            return not matches(part, metadata)


def lookup(metadata, key, levels=MAX_LEVELS):
    """Yield, boxed, every value a dotted key can mean; the first, of the longest name, counts."""
    if key in metadata:
        yield (metadata[key],)
    end = key.rfind(".") if levels > 1 else -1
    while end >= 0:
        inner = metadata.get(key[:end])
        if isinstance(inner, dict):
            yield from lookup(inner, key[end + 1 :], levels - 1)
        end = key.rfind(".", 0, end)

"""Pack the files of a wheel tighter, by libdeflate's search for short streams of deflate."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from struct import Struct
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

_LOCAL = Struct("<4s5H3I2H")
_CENTRAL = Struct("<4sBBBB4H3I5H2I")
_END = Struct("<4s4H2IH")
_VERSION = 20
"""Of the format: deflate, and no file of 4 GB."""
_UTF_8 = 1 << 11


def shortest(content: bytes) -> bytes:
    """Return a raw deflate stream, some four percent shorter than zlib's; always the same one."""
    from deflate import deflate_compress  # noqa: PLC0415 - only the tools of a release have it

    return bytes(deflate_compress(content, 12))


def shrink(wheel: Path, deflate: Callable[[bytes], bytes] = shortest) -> None:
    """Write a wheel anew: the same files in the same order, dated and with rights as they were."""
    with ZipFile(wheel) as old:
        files = [(info, old.read(info)) for info in old.infolist()]
    heads = []
    with wheel.open("wb") as new:
        for info, content in files:
            packed, method = deflate(content), ZIP_DEFLATED
            if len(packed) >= len(content):
                packed, method = content, ZIP_STORED
            name, common = _common(info, method, len(packed))
            heads.append(_central(info, name, common, new.tell()))
            new.write(_LOCAL.pack(b"PK\3\4", *common, 0) + name + packed)
        start, count = new.tell(), len(heads)
        size = new.write(b"".join(heads))
        new.write(_END.pack(b"PK\5\6", 0, 0, count, count, size, start, 0))


def _common(info: ZipInfo, method: int, packed: int) -> tuple[bytes, tuple[int, ...]]:
    """Return the name of a file, and what both its heads say."""
    name = info.filename.encode()
    year, month, day, hour, minute, second = info.date_time
    date, time = (year - 1980) << 9 | month << 5 | day, hour << 11 | minute << 5 | second // 2
    flags = 0 if name.isascii() else _UTF_8
    sizes = (info.CRC, packed, info.file_size)
    return name, (_VERSION, flags, method, time, date, *sizes, len(name))


def _central(info: ZipInfo, name: bytes, common: tuple[int, ...], offset: int) -> bytes:
    """Return what the archive's table says of a file."""
    made = (_VERSION, info.create_system, _VERSION, 0)
    rest = (0, 0, 0, 0, info.external_attr, offset)
    return _CENTRAL.pack(b"PK\1\2", *made, *common[1:], *rest) + name

"""Files that follow a format's grammar, with values of the right kind or odd ones in their places."""

import gzip
import io
import tarfile
import zipfile

from tests.rarlib.fuzz.draw import Draw


def table(draw: Draw, like: bytes, comma: bytes = b",") -> bytes:
    """A table with the columns of another one, in any order, some missing or added, and rows of its own."""
    rows = [row.split(comma) for row in like.strip().split(b"\n")]
    order = list(range(len(rows[0])))
    if draw.chance(0.5):
        draw.random.shuffle(order)
    if draw.chance(0.2):
        order.remove(draw.one(order))
    odd = draw.one([0.0, 0.02, 0.1])
    body = []
    for _ in range(draw.one([0, 1, 1, 2, 5, 30])):
        source = draw.one(rows[1:] or rows)
        body.append([_field(draw, source[i] if i < len(source) else b"", odd) for i in order])
    header = [rows[0][i] for i in order]
    if draw.chance(0.1):
        header.append(draw.token())
        body = [[*row, draw.token()] for row in body]
    end = draw.one([b"\n", b"\n", b"\n", b"\r\n", b"\r"])
    return end.join(comma.join(row) for row in [header, *body]) + (end if draw.chance(0.8) else b"")


def _field(draw: Draw, usual: bytes, odd: float) -> bytes:
    if draw.chance(odd):
        return draw.token()
    field = draw.plain() if usual[:1].isdigit() and usual.replace(b".", b"").isdigit() and draw.chance(0.4) else usual
    return b'"' + field + b'"' if draw.chance(0.03) else field


def cluster(draw: Draw) -> str:
    """A cluster in one line, odd counts included."""
    groups = []
    for _ in range(draw.one([1, 1, 2, 3])):
        kind = draw.one(["", "", "t4:", "a100:", "cpu:", f"{draw.text()[:20]}:"])
        counts = [draw.number()[:40] if draw.chance(0.15) else str(draw.one([1, 2, 4, 8, 16])) for _ in range(2)]
        groups.append(f"{kind}{counts[0]}{draw.one(['x'] * 9 + ['*'])}{counts[1]}")
    return ",".join(groups)


def yaml(draw: Draw) -> bytes:
    """Pieces of YAML in any order."""
    pieces = ("a: ", "\n", "  ", "- ", "b", "1", "nodes: ", "gpus: ", "{", "}", "[", "]", ": ", "? ", "| ", "> ", "# ")
    drawn = (draw.one(pieces).encode() if draw.chance(0.7) else draw.token() for _ in range(draw.below(40)))
    return b"".join(drawn)[:250_000]


def packed(draw: Draw, data: bytes) -> tuple[str, bytes]:
    """An archive with the data as a member: its name and content."""
    kind, stream = draw.one(["zip", "tar.gz", "csv.gz", "tar"]), io.BytesIO()
    member = draw.one(["t.csv", "cluster_log.csv", "../x", "a/b", "x" * 300])
    if kind == "zip":
        with zipfile.ZipFile(stream, "w", draw.one([0, 8, 12, 14])) as archive:
            archive.writestr(zipfile.ZipInfo(member), data)
            if draw.chance(0.2):
                archive.writestr(zipfile.ZipInfo("other.csv"), b"1")
    elif kind == "csv.gz":
        stream.write(gzip.compress(data, mtime=0))
    else:
        form = draw.one([tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
        with tarfile.open(fileobj=stream, mode="w", format=form) as tar:
            info = tarfile.TarInfo(member[:90])
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    content = stream.getvalue()
    return f"t.{kind}", gzip.compress(content, mtime=0) if kind == "tar.gz" else content

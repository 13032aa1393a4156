# SPDX-License-Identifier: Apache-2.0
"""Rows for people: a pandas DataFrame where pandas is installed, else a list of dictionaries."""
import importlib.util


def table(rows, frames=None):
    """`frames`: True asks for a DataFrame, False for a list; None: a DataFrame if pandas is installed."""
    rows = list(rows)
    if frames is None:
        frames = importlib.util.find_spec("pandas") is not None
    if not frames:
        return rows
    import pandas

    return pandas.DataFrame(rows)


def _cells(rows):
    names = list(dict.fromkeys(name for row in rows for name in row))
    numbers = {name for name in names if all(isinstance(row.get(name), (int, float, type(None))) for row in rows)}
    texts = [[_text(row.get(name)) for name in names] for row in rows]
    return names, numbers, texts


def _text(value):
    if value is None:
        return "not measured"
    if not isinstance(value, float):
        return str(value)
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"


def text(rows):
    """An aligned table for a terminal."""
    names, numbers, texts = _cells(rows)
    widths = [max(map(len, column)) for column in zip(names, *texts)]
    lines = [[name.rjust(width) if name in numbers else name.ljust(width) for name, width in zip(names, widths)]]
    lines += [[cell.rjust(width) if name in numbers else cell.ljust(width)
               for name, cell, width in zip(names, row, widths)] for row in texts]
    return "\n".join("  ".join(line).rstrip() for line in lines)


def html(rows):
    import html as escaping

    names, _, texts = _cells(rows)
    head = "".join(f"<th>{escaping.escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{escaping.escape(cell)}</td>" for cell in row) + "</tr>" for row in texts)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

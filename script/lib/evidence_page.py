# SPDX-License-Identifier: Apache-2.0
"""Writes a page of docs/evidence: tables of more than 30 rows go into CSV files beside it, as in tests/support/evidence_page.h."""
import csv
import io
import pathlib

MOST_ROWS = 30


def csv_of(table):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for number, row in enumerate(table):
        if number != 1:  # the rule below the heading
            writer.writerow([cell.strip(" ").replace("**", "") for cell in row.strip("|").split("|")])
    return text.getvalue()


def files_of(name, markdown):
    """The text of each file, by name."""
    files, page, table = {}, [], []

    def put_table():
        if len(table) <= MOST_ROWS + 2:
            page.extend(table)
        else:
            file = f"{name}.csv" if not files else f"{name}_{len(files) + 1}.csv"
            page.append(f"[{file}]({file}) has the table of {len(table) - 2} rows.")
            files[file] = csv_of(table)
        table.clear()

    for line in markdown.splitlines():
        if line.startswith("|"):
            table.append(line)
        else:
            put_table()
            page.append(line)
    put_table()
    files[f"{name}.md"] = "".join(line + "\n" for line in page)
    return files


def write(path, markdown):
    path = pathlib.Path(path)
    for file, text in files_of(path.stem, markdown).items():
        path.with_name(file).write_text(text, encoding="utf-8")

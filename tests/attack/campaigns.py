# SPDX-License-Identifier: Apache-2.0
"""The list of campaigns, and how often the short run tries each."""
import dataclasses
import os
import typing

import command_lines
import damage
import full_disk
import hostile_code
import hostile_cubins
import hostile_ncu
import hostile_sql
import hostile_traces
import hostile_values
import journals
import mcp_requests
import moments
import outside_files
import special_files
import starters


@dataclasses.dataclass
class Campaign:
    name: str
    attack: typing.Callable
    short_tries: int


# Together about two minutes.
SHORT_TRIES = {
    "truncated": 25, "one_bit": 30, "silent_bit": 25, "thirty_bits": 25, "import_into_damaged": 20, "refused_half_way": 15, "header": 20, "hot_journal": 20, "write_ahead_log": 20,
    "values": 25, "missing_rows": 12, "texts": 15, "import_sql": 40, "query_sql": 90, "hostile_schema": 15, "stale_view": 8,
    "killed_import": 6, "killed_export": 8, "crowd": 5, "long_reader": 1, "failing_beside_good": 6,
    "on_full_disk": 15, "grown_on_full_disk": 8, "read_only_folder": 10, "size_limit": 15,
    "special_files": 60, "beside_the_export": 12, "beside_the_database": 12, "command_lines": 100, "cubins": 150, "static_table_lines": 30,
    "killed_starter": 6, "signalled_starter": 6, "hostile_patterns": 20, "sources": 20, "temporary": 5,
    "cubin_structure": 10, "code_in_database": 12, "ncu_numbers": 60, "traces": 20, "mcp_requests": 25,
}


def campaigns(world, small_disks):
    """Those that can be run here, and a sentence for each that cannot."""
    attacks, left_out = {}, []
    for module in (damage, journals, hostile_values, hostile_sql, moments, full_disk, special_files, command_lines, starters,
                   outside_files, hostile_code, hostile_ncu, hostile_traces, mcp_requests):
        attacks.update(module.CAMPAIGNS)
    if small_disks:
        attacks.update(full_disk.ON_SMALL_DISKS)
    else:
        left_out.append(f"{', '.join(full_disk.ON_SMALL_DISKS)}: only root may mount a small disk")
    if os.access(world.static_table, os.X_OK):
        attacks.update(hostile_cubins.CAMPAIGNS)
    else:
        left_out.append(f"{', '.join(hostile_cubins.CAMPAIGNS)}: there is no {world.static_table}")
    return [Campaign(name, attack, SHORT_TRIES[name]) for name, attack in attacks.items()], left_out

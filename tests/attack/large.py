#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes large inputs: double COUNT to see how the cost of a command grows.

    large.py program COUNT [LABEL]  an export: one run of a program with COUNT kernels
    large.py benchmark COUNT        a report of Google Benchmark with COUNT benchmarks
"""
import json
import sys
import uuid

SAMPLES = 5


def rows(table, columns, values):
    if not values:
        return ""
    return f"INSERT INTO {table}({','.join(chr(34) + c + chr(34) for c in columns)}) VALUES\n" + ",\n".join(values) + ";\n"


def literal(value):
    return "NULL" if value is None else str(value) if isinstance(value, (int, float)) else "'" + value.replace("'", "''") + "'"


def row(*values):
    return "(" + ",".join(map(literal, values)) + ")"


def program(count, label="large"):
    """Times of two labels differ by up to 5 %, so that there is something to explain."""
    slower = sum(label.encode()) % 6 / 100
    run = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{label}/{count}"))
    stages, run_stages, builds, attributes, launches, samples, values, programs = ([] for _ in range(8))
    total = 0.0
    for i in range(1, count + 1):
        key = f"kernel_{i}"
        us = 10 + i % 97 + (i % 13 == 0) * slower * 100
        total += us * SAMPLES
        stages.append(row(i, key, "program", "", key, "", "", 0, "{}"))
        run_stages.append(row(1, i, i))
        builds.append(row(i, 1, i, "sm_90", key, f"{i:016x}"))
        attributes.append(row(i, "registers", "cubin", 32 + i % 64, "ok"))
        launches.append(row(i, 1, i, "sm_90", f"{i % 7 + 1}x128", 0, key, i % 7 + 1, 1, 1, 128, 1, 1, 0, 0, 0, "ok", "", None, ""))
        samples += [row(i, s, s, round(us + 0.01 * s, 3), 1980, 0, 0, 0) for s in range(SAMPLES)]
        values.append(row(i, 1, 1000 + i, "ok"))
        programs.append(row(i, f"void {key}<float>(float*, int)", "", i, SAMPLES, us * SAMPLES, us * SAMPLES, 0, 0, ""))
    return "".join((
        "-- culprit export, schema 13\nBEGIN;\n",
        rows("device", ("id", "name", "chip", "cc_major", "cc_minor", "sm_count", "fp32_lanes_per_sm", "sm_clock_mhz", "dram_bytes_per_s", "memory_bytes",
                        "l2_bytes", "shared_bytes_per_sm", "registers_per_sm", "max_threads_per_sm", "max_blocks_per_sm"),
             [row(1, "Invented GPU", "GH100", 9, 0, 132, 128, 1980, 4.8e12, 1 << 37, 1 << 26, 233472, 65536, 2048, 32)]),
        rows("toolchain", ("id", "driver", "cuda_driver_api", "cuda_runtime", "cupti", "nvcc", "host_compiler"), [row(1, "580", "13.0", "13.0", "1", "13.0", "GNU 12")]),
        rows("run", ("id", "uuid", "started_utc", "finished_utc", "label", "command_line", "profile", "l2", "seed", "git_sha", "git_dirty", "device_id", "toolchain_id"),
             [row(1, run, f"2026-11-22T21:{sum(label.encode()) % 60:02}:15Z", "2026-11-22T22:56:27Z", label, "./large", "core", "hot", 0, "", 0, 1, 1)]),
        rows("stage", ("id", "key", "family", "parent", "idea", "constraint", "source_file", "source_line", "factors"), stages),
        rows("run_stage", ("run_id", "stage_id", "position"), run_stages),
        rows("build", ("id", "run_id", "stage_id", "arch", "kernel", "cubin_digest"), builds),
        rows("static_attribute", ("build_id", "name", "source", "value", "status"), attributes),
        rows("launch", ("id", "run_id", "stage_id", "arch", "shape", "ordinal", "kernel", "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z",
                        "dynamic_shared_bytes", "flop", "min_bytes", "state", "message", "verify_error_over_bound", "verify_reference"), launches),
        rows("sample", ("launch_id", "seq", "repetition", "time_us", "clock_mhz", "low_clock", "gate_open", "process"), samples),
        rows("metric", ("id", "key", "source", "cupti_name", "unit", "meaning"), [row(1, "warps_launched", "range", "sm__warps_launched.sum", "warp", "warps")]),
        rows("metric_value", ("launch_id", "metric_id", "value", "status"), values),
        rows("program", ("run_id", "source", "exit_status", "processes", "gpus", "wall_us", "counted_wall_us", "span_us", "idle_us", "lost_launches"),
             [row(1, "record", 0, 1, 1, 2 * total, None, total + 1000, 1000, 0)]),
        rows("program_launch", ("launch_id", "name", "nvtx", "first", "calls", "time_us", "share_us", "graph_calls", "counted", "not_counted"), programs),
        "COMMIT;\n"))


def benchmark(count):
    entries = [{"name": f"BM_Kernel{i}/1024", "run_name": f"BM_Kernel{i}/1024", "run_type": "iteration", "repetition_index": r, "iterations": 100,
                "real_time": 10 + i % 97 + 0.01 * r, "cpu_time": 10, "time_unit": "us"} for i in range(count) for r in range(SAMPLES)]
    return json.dumps({"context": {"date": "2026-11-22T21:56:15+00:00", "executable": "./bench", "library_build_type": "release"}, "benchmarks": entries})


MODES = {"program": program, "benchmark": benchmark}


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in MODES:
        sys.exit(__doc__)
    sys.stdout.write(MODES[sys.argv[1]](int(sys.argv[2]), *sys.argv[3:]))


if __name__ == "__main__":
    main()

"""Bins of durations and percentiles from them, as doc/profile-json.md describes the list `latencies`."""
import math


def start_of_bin(number):
    return (4 + number % 4) << number // 4 >> 2


def bin_of(ns):
    power = ns.bit_length() - 1
    return 4 * power + (ns >> power - 2 & 3)


def percentile_bin(row, share):
    """The bin in which this share of the calls ends; None: they are too short for a bin."""
    wanted = math.ceil(share * row["calls"])
    seen = row["calls"] - sum(row["counts"])
    if seen >= wanted:
        return None
    for number, calls in zip(row["bins"], row["counts"]):
        seen += calls
        if seen >= wanted:
            return number
    raise AssertionError(row)

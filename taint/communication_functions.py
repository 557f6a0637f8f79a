#!/usr/bin/env python3
"""Makes the list of communicating MPI functions for the compiler pass from the table
wrappers/mpi_functions.txt: the name of each, and the position of the argument that specifies how
much is sent or received."""
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "wrappers"))
from mpi_table import read_table  # noqa: E402

COUNTS = ("count", "sendcount", "origin_count", "recvcount", "incount")


def count_argument(function):
    for wanted in COUNTS:
        for place, (roles, _) in enumerate(function.arguments):
            if wanted in roles:
                return place
    return -1


def main():
    table, output = sys.argv[1:]
    functions = [function for function in read_table(table) if function.operation.messages]
    with open(output, "w", encoding="utf-8") as file:
        for function in sorted(functions, key=lambda each: each.name):
            file.write(f'{{"{function.name}", {count_argument(function)}}},\n')


main()

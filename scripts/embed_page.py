#!/usr/bin/env python3
"""Writes a text file as C++ string literals, one per line: embed_page.py FILE >OUTPUT."""
import sys

PIECE = 4000  # bytes; compilers need not accept literals of more than 65,536


def literal(piece):
    text = ""
    for byte in piece:
        char = chr(byte)
        if char in '"\\?':
            text += "\\" + char
        elif 32 <= byte < 127:
            text += char
        else:
            text += f"\\{byte:03o}"
    return f'"{text}",'


with open(sys.argv[1], "rb") as file:
    content = file.read()
for start in range(0, len(content), PIECE):
    print(literal(content[start:start + PIECE]))

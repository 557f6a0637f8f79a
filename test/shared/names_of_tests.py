"""Names of tests, as used by --match, --list and in reported outcomes.

    test_file.Class.test_method       a method of a class in test/test_file.py
    unit: it does this                a case of the unit test program
    shell: test_compilers             a script in test/wrappers
"""
import pathlib

UNIT_TESTS = "unit/main.cpp"  # stands for the program that is built of all files there


def name_of(node_id):
    """The name of the test that pytest calls FILE::PART..., with the file's path relative to this folder."""
    file, _, rest = node_id.partition("::")
    if file == UNIT_TESTS:
        return f"unit: {rest}"
    if file.endswith(".sh"):
        return f"shell: {pathlib.Path(file).stem}"
    return ".".join([pathlib.Path(file).stem, *rest.split("::")]) if rest else file

"""The table of notices, and the one in the documentation of profiles."""
import re
import unittest

from support import CORE, SOURCE

ROW = re.compile(r'VFTRACE_NOTICE\((\w+), "([\w-]+)", \w+,\s+"((?:[^"\\]|\\.)*)"\)')
ARGUMENT = re.compile(r"\{(\w+)(?::\w+(?:\|[^}]*)?)?\}")


class Notices(unittest.TestCase):
    def test_each_is_documented(self):
        """The code of each notice and the names of its arguments, in the order of the table."""
        rows = ROW.findall((CORE / "profile" / "notices.inc").read_text())
        self.assertGreater(len(rows), 30)
        expected = [(word, ARGUMENT.findall(text)) for _, word, text in rows]
        text = (SOURCE / "doc" / "profile-json.md").read_text()
        table = text[text.index("| code | arguments |"):].split("\n\n")[0].splitlines()[2:]
        cells = [re.split(r"\s*\|\s*", row.strip("| ")) for row in table]
        self.assertEqual([(row[0].strip("`"), re.findall(r"`(\w+)`", row[1])) for row in cells], expected)

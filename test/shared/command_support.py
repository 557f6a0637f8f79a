"""What the tests of the commands share: how a command is called, and how it should fail."""
from support import BUILD, COMMAND, ProgramTest, need_part, run

CHECK_CONFIG = BUILD / "vftrace_check_config"
GENERATE_CONFIG = BUILD / "vftrace_generate_default_config"
HELLO = "3628800\n"  # what call_counts prints; it ends with status 3


def command(*arguments, **options):
    """Runs a tool; the library is not preloaded into it."""
    words = arguments if str(arguments[0]).startswith("/") else (COMMAND, *arguments)
    return run(words, preload=False, **options)


class CommandTest(ProgramTest):
    def setUp(self):
        need_part("BUILD_TOOLS")

    def fails(self, *arguments, message, status=2, **options):
        """The command prints nothing but one line on stderr and ends with the status."""
        result = command(*arguments, **options)
        self.assertEqual((result.status, result.stdout), (status, ""), result.stderr)
        self.assertRegex(result.stderr, r"\Avftrace: .*\n\Z")
        self.assertIn(message, result.stderr)
        return result

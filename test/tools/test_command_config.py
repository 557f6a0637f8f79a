"""vftrace config, the two tools of Vftrace 2.0, and --help and --version of all commands."""
import json
import re
import unittest

from command_support import CHECK_CONFIG, GENERATE_CONFIG, CommandTest, command
from support import COMMAND, SOURCE, run, scratch_folder


class Config(CommandTest):
    def file(self, content):
        path = scratch_folder() / "checked.json"
        path.write_text(content)
        return path

    def test_default_is_json_and_accepted(self):
        result = command("config", "default")
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertEqual(json.loads(result.stdout)["profile_table"]["sort_table"]["column"],
                         "time_excl")
        path = self.file(result.stdout)
        checked = command("config", "check", path)
        self.assertEqual((checked.status, checked.stdout, checked.stderr),
                         (0, f"{path}: no errors\n", ""))

    def test_compatible_default_has_the_keys_of_vftrace_2_in_their_order(self):
        # Equal to the output of the other tool, which is that of Vftrace 2.0.
        printed = command("config", "default", "--compatible").stdout
        self.assertEqual(printed, run([GENERATE_CONFIG], preload=False).stdout)
        self.assertEqual(list(json.loads(printed)), [
            "off", "output_directory", "outfile_basename", "logfile_for_ranks", "print_config",
            "strip_module_names", "demangle_cxx", "include_cxx_prelude", "profile_table",
            "stacklist", "name_grouped_profile_table", "sampling", "mpi", "cuda", "hwprof"])
        self.assertEqual(list(json.loads(printed)["profile_table"]), [
            "show_table", "show_calltime_imbalances", "show_callpath", "show_overhead",
            "show_minmax_summary", "sort_table"])
        self.assertIn('\n      "sample_interval": 0.005000,\n', printed)
        self.assertTrue(printed.endswith('      "counters": [\n      ],\n'
                                         '      "observables": [\n      ]\n   }\n}\n'))

    def test_every_option_of_the_whole_default_is_documented(self):
        documentation = command("config", "doc").stdout

        def variables(section, prefix="VFTR"):
            for key, value in section.items():
                if isinstance(value, dict):
                    yield from variables(value, f"{prefix}_{key.upper()}")
                else:
                    yield f"{prefix}_{key.upper()}"
        for variable in variables(json.loads(command("config", "default").stdout)):
            self.assertIn(f"`{variable}`", documentation)

    def test_documentation_is_up_to_date(self):
        self.assertEqual((SOURCE / "doc" / "options.md").read_text(),
                         command("config", "doc").stdout,
                         "run: vftrace config doc > doc/options.md")

    def test_check(self):
        for content, status, message in (
                ("{}", 0, ""), ('{"profile_table": {"show_callpath": true}}', 0, ""),
                ('{"offf": true}', 1, 'vftrace: Warning: "offf" is not a valid vftrace option.\n'
                 '                  Did you mean "off"?\n'),
                ('{"print_config": 3}', 1, "print_config expects a boolean."),
                ('{"logfile_for_ranks": "3-1"}', 1, "logfile_for_ranks"),
                ('{"sampling": {"precise_functions": "("}}', 1, "Invalid Regular Expression"),
                ('{"off": fals}', 1, "Parsing failed in line 1"), ("", 1, ""), ("[]", 1, "")):
            with self.subTest(content=content):
                path = self.file(content)
                result = command("config", "check", path)
                self.assertEqual(result.status, status, result.stderr)
                self.assertIn(message, result.stderr)
                self.assertEqual(bool(result.stderr), status != 0)
                self.assertEqual(result.stdout, "" if status else f"{path}: no errors\n")

    def test_check_does_not_look_at_the_environment(self):
        self.assertEqual(command("config", "check", self.file("{}"), VFTR_OFFF="1",
                                 VFTR_JSON="perhaps").stderr, "")

    def test_wrong_arguments(self):
        self.fails("config", message="see vftrace config --help")
        self.fails("config", "check", message="FILE is required (see vftrace config check --help)")
        self.fails("config", "check", "/nope.json", message="/nope.json: No such file or directory")
        self.fails("config", "bogus",
                   message='"vftrace config bogus" is not a command (see vftrace config --help)')
        self.fails("config", "defualt",
                   message='"vftrace config defualt" is not a command; did you mean "default"?')
        self.fails("config", "doc", "more", message="more")


class OldTools(CommandTest):
    """vftrace_generate_default_config and vftrace_check_config, for scripts that call them."""

    def check(self, content):
        path = scratch_folder() / "checked.json"
        path.write_text(content)
        result = run([CHECK_CONFIG, path], preload=False)
        result.complete = f"Checking of config file {path} is complete\n"
        return result

    def test_generate_default_config(self):
        result = run([GENERATE_CONFIG], preload=False)
        self.assertEqual((result.status, result.stderr), (0, ""))
        self.assertTrue(result.stdout.startswith('{\n   "off": false,\n'
                                                 '   "output_directory": ".",\n'))
        checked = self.check(result.stdout)
        self.assertEqual((checked.status, checked.stdout), (0, checked.complete))

    def test_check_config(self):
        good = self.check('{"off": true}')
        self.assertEqual((good.status, good.stdout, good.stderr), (0, good.complete, ""))

    def test_typos_are_reported_but_are_not_errors(self):
        typo = self.check('{"offf": true}')
        self.assertEqual((typo.status, typo.stdout), (0, typo.complete))
        self.assertEqual(typo.stderr, 'Warning: "offf" is not a valid vftrace option.\n'
                                      '         Did you mean "off"?\n')

    def test_errors_have_a_nonzero_exit_status(self):
        wrong = self.check('{"print_config": 3}')
        self.assertEqual((wrong.status, wrong.stdout), (1, ""))
        self.assertIn("print_config expects a boolean.", wrong.stderr)

    def test_malformed_file_is_shown_with_the_position(self):
        malformed = self.check('{\n"off": fals\n}\n')
        self.assertEqual((malformed.status, malformed.stdout), (1, ""))
        self.assertEqual(malformed.stderr, "Could not parse vftrace config file.\n"
                         "Parsing failed in line 2\n"
                         "{\n"
                         '"off": ' + " " * 16 + "<= Parsing error occoured here\n"
                         "fals\n"
                         "}\n")
        path = scratch_folder() / "checked.json"
        path.write_text('{\n"off": fals\n}\n')
        self.assertIn(" " * 16 + "<= Parsing error occurred here",
                      command("config", "check", path).stderr)

    def test_missing_file_and_usage(self):
        missing = run([CHECK_CONFIG, "/nope.json"], preload=False)
        self.assertEqual((missing.status, missing.stdout), (1, ""))
        self.assertIn("/nope.json", missing.stderr)
        for arguments in ([], ["a", "b"]):
            result = run([CHECK_CONFIG, *arguments], preload=False)
            self.assertEqual((result.status, result.stdout), (1, ""))
            self.assertIn("Usage: vftrace_check_config", result.stderr)


class HelpAndVersion(CommandTest):
    def test_version(self):
        for words in ([COMMAND], [CHECK_CONFIG], [GENERATE_CONFIG]):
            result = run([*words, "--version"], preload=False)
            self.assertEqual((result.status, result.stderr), (0, ""))
            self.assertRegex(result.stdout, r"\Avftrace \d+\.\d+\.\d+\n\Z")

    def test_help(self):
        for words, parts in (
                ([COMMAND], ["run", "report", "config", "Examples:", "Exit status"]),
                ([COMMAND, "run"], ["--config", "--option", "--library", "-- PROGRAM"]),
                ([COMMAND, "report"], ["--sort", "--group", "--limit", "FILE"]),
                ([COMMAND, "config"], ["default", "check", "doc"]),
                ([COMMAND, "config", "default"], ["--compatible"]),
                ([COMMAND, "config", "check"], ["FILE"]),
                ([COMMAND, "config", "doc"], ["Markdown"]),
                ([CHECK_CONFIG], ["Usage"]), ([GENERATE_CONFIG], ["Usage"])):
            with self.subTest(words=words):
                result = run([*words, "--help"], preload=False)
                self.assertEqual((result.status, result.stderr), (0, ""))
                for part in parts:
                    self.assertIn(part, result.stdout)

    def test_unknown_command(self):
        self.fails("nonsense", message='"vftrace nonsense" is not a command (see')
        self.fails("reprot", message='"vftrace reprot" is not a command; did you mean "report"?')
        self.fails("--bogus", message="vftrace --help")
        result = run([COMMAND], preload=False)
        self.assertEqual((result.status, result.stdout), (2, ""))


if __name__ == "__main__":
    unittest.main()

"""Scripts for Vftrace 2.0 find everything where they expect it."""
import json

from command_support import CommandTest, command
from support import BUILD, COMMAND, compile_program, need_part, run


class Init(CommandTest):
    """`init` is the root; a function or region of the program with this name is marked."""

    def profile_of_init(self, **options):
        program = compile_program("functions_named_init.c")
        result = run([program], config={"sampling": {"active": True, "sample_interval": 0},
                                        **options})
        self.assertEqual((result.status, result.stderr), (0, ""))
        return result

    def tool(self, result, *words):
        done = command(*words, folder=result.folder)
        self.assertEqual((done.status, done.stderr), (0, ""))
        return done.stdout

    def one(self, result, pattern):
        return str(next(result.folder.glob(pattern)))

    def test_log(self):
        result = self.profile_of_init(name_grouped_profile_table={"show_table": True})
        rows = {row["STID"]: row for row in result.rows()}
        self.assertEqual(sorted((row["Calls"], row["Function"], row["Caller"])
                                for row in rows.values()),
                         [("0", "init", "----"), ("1", "init (region)", "main"),
                          ("1", "leaf", "init (region)"), ("1", "main", "init"),
                          ("2", "init()", "main"), ("4", "leaf", "init()")])
        self.assertRegex(result.text(), r"\n +STID\d+ +init +\n")
        self.assertRegex(result.text(), r"\n +STID\d+ +leaf<init\(\)<main<init +\n")
        grouped = {row["Function"]: row["Calls"]
                   for row in result.rows("Runtime profile (Grouped by function name)")}
        self.assertEqual(grouped, {"init": "0", "init()": "2", "init (region)": "1", "main": "1",
                                   "leaf": "5"})

    def test_numbers_of_paths_do_not_change(self):
        """The numbers are computed from names without marks."""
        functions = self.profile_of_init().profile()["functions"]
        self.assertEqual(sorted((element["kind"], element["name"], element["display"])
                                for element in functions if element["name"] == "init"),
                         [("function", "init", "init()"), ("region", "init", "init (region)"),
                          ("root", "init", "init")])

    def test_traces_have_the_names_of_vftrace_2(self):
        result = self.profile_of_init()
        need_part("BUILD_TOOLS")
        file = self.one(result, "*.vfd")
        old = run([BUILD / "vftrace_vfd_dump", file], preload=False).stdout
        self.assertIn(" call leaf<init<main<init\n", old)
        new = self.tool(result, "dump", file)
        self.assertIn(" call leaf<init()<main<init\n", new)
        self.assertIn(" call init (region)*<main<init\n", new)
        self.assertIn(" exit init\n", new)

    def test_exports(self):
        result = self.profile_of_init()
        need_part("BUILD_TOOLS")
        for source in ("*_all.json", "*.vfd"):
            self.tool(result, "export", "-f", "collapsed", "-o", "stacks", self.one(result, source))
            stacks = {line.rsplit(" ", 1)[0]
                      for line in (result.folder / "stacks").read_text().splitlines()}
            self.assertTrue(any(stack.endswith("init;main;init();leaf") for stack in stacks), stacks)
            self.assertFalse(any("main;init;" in stack for stack in stacks), stacks)
        self.tool(result, "export", "-f", "chrome", "-o", "timeline", self.one(result, "*.vfd"))
        events = json.loads((result.folder / "timeline").read_text())["traceEvents"]
        self.assertTrue({"init()", "init (region)"} <=
                        {event.get("name") for event in events if event["ph"] == "B"})

    def test_diff_and_merge_keep_them_apart(self):
        a, b = self.profile_of_init(), self.profile_of_init()
        need_part("BUILD_TOOLS")
        files = [self.one(result, "*_all.json") for result in (a, b)]
        logs = [self.one(result, "*_all.log") for result in (a, b)]
        for pair in (files, logs, [files[0], logs[1]]):
            out = self.tool(a, "diff", "--min-time", "0", *pair)
            functions = [words for words in map(str.split, out.splitlines()) if "init()" in words]
            self.assertEqual(len(functions), 1, out)
            self.assertNotIn(" new ", out)
        self.tool(a, "merge", "--runs", "sum", "-o", "both.json", *files)
        merged = json.loads((a.folder / "both.json").read_text())
        calls = {merged["functions"][node["function"]]["display"]: node["calls"]
                 for node in merged["nodes"] if "init" in
                 merged["functions"][node["function"]]["display"]}
        self.assertEqual(calls, {"init": 0, "init()": 4, "init (region)": 2})

    def test_logs_of_vftrace_2(self):
        """In those logs the function has the name of the root; here it is compared under its real name."""
        result = self.profile_of_init()
        need_part("BUILD_TOOLS")
        log = result.folder / "old.log"
        text = result.text().replace("init()", "init  ").replace("vftrace 3", "Vftrace 2")
        log.write_text(text)
        out = self.tool(result, "diff", "--min-time", "0", str(log), self.one(result, "*_all.log"))
        functions = [line for line in out.splitlines() if "init()" in line]
        self.assertEqual(len(functions), 1, out)
        self.assertNotIn("new", functions[0])

"""Files for contributors to the project: versions agree, and forge files can be parsed and refer only to things that exist."""
import ast
import re
import subprocess
import sys
import types
import unittest
import unittest.mock

from support import SOURCE, need, scratch_folder
from test_static_checks import CLANG_FORMAT

try:
    import yaml
except ImportError:
    yaml = None

FORGE = SOURCE / ".github"
WORKFLOWS = FORGE / "workflows"


def text_of(name):
    return (SOURCE / name).read_text(encoding="utf-8")


def first(pattern, text):
    match = re.search(pattern, text, re.M)
    return match and match[1]


VERSION = first(r"^AC_INIT\(\[vftrace\], \[([^\]]+)\]", text_of("configure.ac"))


def parsed(path):
    if yaml is None:
        raise unittest.SkipTest("Python's yaml is missing")
    return yaml.safe_load((SOURCE / path).read_text(encoding="utf-8"))


class Versions(unittest.TestCase):
    def test_all_files_have_the_version_of_configure(self):
        recipes = sorted((SOURCE / "packaging" / "easybuild").glob("*.eb"))
        self.assertEqual(len(recipes), 1)
        recipe = recipes[0].relative_to(SOURCE)
        for name, pattern in (("CHANGES.md", r"^## ([\d.]+) \("), ("CITATION.cff", r"^version: (.+)$"),
                              ("packaging/debian/changelog", r"^vftrace \(([\d.]+)-\d+\)"),
                              ("packaging/rpm/vftrace.spec", r"^Version: +(.+)$"),
                              ("packaging/rpm/vftrace.spec", r"^\* .* - ([\d.]+)-\d+$"),
                              ("packaging/spack/package.py", r'^ +version\("([^"]+)"'),
                              (recipe, r"^version = '(.+)'$")):
            with self.subTest(name=name, pattern=pattern):
                self.assertEqual(first(pattern, text_of(name)), VERSION)
        self.assertEqual(recipe.name, f"vftrace-{VERSION}-GCCcore-{first(r'GCCcore.*version.: .([0-9.]+)', text_of(recipe))}.eb")

    def test_changes_have_versions_and_dates(self):
        headings = re.findall(r"^## (.*)$", text_of("CHANGES.md"), re.M)
        self.assertNotEqual(headings, [])
        for i, heading in enumerate(headings):
            self.assertRegex(heading, r"^\d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\)$" if i else
                             r"^\d+\.\d+\.\d+ \((\d{4}-\d\d-\d\d|not released)\)$")
        released = re.search(r"\((\d{4}-\d\d-\d\d)\)", headings[0])
        self.assertEqual(first(r"^date-released: (.+)$", text_of("CITATION.cff")), released and released[1])

    def test_interface_of_the_library(self):
        interface = first(r"^library_interface = (\d+)$", text_of("Makefile.am"))
        self.assertEqual(first(r"^%global soversion (\d+)$", text_of("packaging/rpm/vftrace.spec")), interface)
        self.assertIn(f"\nPackage: libvftrace{interface}\n", text_of("packaging/debian/control"))
        self.assertTrue((SOURCE / f"packaging/debian/libvftrace{interface}.install").exists())


class Citation(unittest.TestCase):
    # From the schema of the Citation File Format 1.2.0.
    REQUIRED = {"cff-version", "message", "title", "authors"}
    KNOWN = REQUIRED | {"abstract", "commit", "contact", "date-released", "doi", "identifiers", "keywords", "license",
                        "license-url", "preferred-citation", "references", "repository", "repository-artifact",
                        "repository-code", "type", "url", "version"}

    def test_keys(self):
        citation = parsed("CITATION.cff")
        self.assertEqual(self.REQUIRED - citation.keys(), set())
        self.assertEqual(citation.keys() - self.KNOWN, set())
        self.assertEqual(citation["cff-version"], "1.2.0")
        self.assertIn(citation["type"], ("software", "dataset"))
        self.assertEqual(citation["license"], "BSD-3-Clause")
        for author in citation["authors"]:
            self.assertTrue("name" in author or "family-names" in author, author)
        self.assertTrue(all(isinstance(word, str) for word in citation["keywords"]))


class Workflows(unittest.TestCase):
    def jobs(self):
        files = sorted(WORKFLOWS.glob("*.yml"))
        self.assertNotEqual(files, [])
        for file in files:
            workflow = parsed(file)
            # YAML 1.1 reads the key "on" as true.
            self.assertTrue(workflow.get("on", workflow.get(True)), file.name)
            for name, job in workflow["jobs"].items():
                yield name, job

    def test_jobs_have_what_they_need(self):
        for name, job in self.jobs():
            with self.subTest(job=name):
                self.assertIn("runs-on", job)
                self.assertIn("timeout-minutes", job)
                for step in job["steps"]:
                    self.assertEqual(len({"uses", "run"} & step.keys()), 1, step)

    def test_variables_of_the_matrix_exist(self):
        for name, job in self.jobs():
            matrix = job.get("strategy", {}).get("matrix", {})
            rows = matrix.get("include", [])
            optional = {key for row in rows for key in row}
            for used in set(re.findall(r"\$\{\{ matrix\.(\w+) \}\}", str(job))):
                with self.subTest(job=name, variable=used):
                    self.assertTrue(used in matrix or used in optional)
                    # A row without packages has none.
                    self.assertTrue(used in matrix or used == "packages" or all(used in row for row in rows))

    def test_scripts_exist_and_can_be_run(self):
        scripts, targets = set(), set()
        for _, job in self.jobs():
            for step in job["steps"]:
                scripts |= set(re.findall(r"(?:^|\s)\./([\w./-]+)", step.get("run", "")))
                targets |= set(re.findall(r"make -C build ([\w-]+)", step.get("run", "")))
        self.assertGreaterEqual(scripts, {".ci/run", "scripts/install-dependencies"})
        for script in scripts:
            with self.subTest(script=script):
                self.assertTrue((SOURCE / script).stat().st_mode & 0o100)
        for target in targets - {"install"}:
            self.assertRegex(text_of("Makefile.am"), rf"(?m)^{target}\b.*:", target)

    def test_commands_are_shell(self):
        need("sh")
        for name, job in self.jobs():
            for step in job["steps"]:
                text = re.sub(r"\$\{\{.*?\}\}", "value", step.get("run", ""))
                result = subprocess.run(["sh", "-n"], input=text, capture_output=True, text=True)
                self.assertEqual((result.returncode, result.stderr), (0, ""), (name, step))

    def test_packages_job_has_what_every_part_needs(self):
        """No part is skipped there: make-packages reports which package contains a missing program."""
        steps = " ".join(step.get("run", "") for step in dict(self.jobs())["packages"]["steps"])
        self.assertIn("make -C build packages", steps)
        needed = {package or program for program, package in
                  re.findall(r"\bhas ([\w-]+)(?: (?:skipped|\"[^\"]*\")(?: ([\w-]+))?)?", text_of("packaging/make-packages"))}
        self.assertGreaterEqual(needed, {"dpkg-dev", "debhelper", "lintian", "rpm", "mmdebstrap", "buildah"})
        installed = set(steps.split()) | set(text_of("scripts/install-dependencies").split())
        self.assertEqual(needed - installed, set())

    def test_systems_and_compilers(self):
        text = (WORKFLOWS / "gate.yml").read_text()
        for image in ("debian:", "ubuntu:", "fedora:", "rockylinux", "opensuse/"):
            self.assertIn(image, text)
        for compiler in ("gcc-12", "clang-14", "gcc-9"):
            self.assertIn(compiler, text)
        for mpi in ("Open MPI 4", "Open MPI 5", "MPICH 4"):
            self.assertIn(mpi, text)

    def test_every_package_manager_of_the_systems_is_known(self):
        script = text_of("scripts/install-dependencies")
        for manager in ("apt-get", "dnf", "zypper"):
            block = script[script.index(f"manager={manager}"):]
            needed = re.search(r'needed="([^"]*)"', block)[1].split()
            self.assertGreaterEqual(len(needed), 12)
            parts = re.search(r'parts="([^"]*)"', block)[1].split()
            self.assertGreaterEqual(len(parts), 5)
            tests = re.search(r'tests="([^"]*)"', block)[1].split()
            self.assertGreaterEqual(len(tests), 20)
            self.assertEqual(len(needed + parts + tests), len(set(needed + parts + tests)))

    def test_dependencies_without_tests(self):
        def asks_for(*arguments):
            """What the script asks for where nothing is installed, without installing it."""
            folder = scratch_folder()
            for program, text in (("apt-get", "exit 1"), ("dpkg-query", "exit 1"), ("id", "echo 1000")):
                (folder / program).write_text(f"#!/bin/sh\n{text}\n")
                (folder / program).chmod(0o755)
            result = subprocess.run(["sh", SOURCE / "scripts/install-dependencies", *arguments], capture_output=True, text=True,
                                    env={"PATH": f"{folder}:/usr/bin:/bin"})
            return result.returncode, result.stdout + result.stderr
        status, everything = asks_for()
        self.assertEqual(status, 1)
        self.assertRegex(everything, r"needed; install them as root: apt-get install .*\bg\+\+.*\n.*optional: .*\bgfortran\b.*\bvalgrind\b")
        status, build = asks_for("--build")
        self.assertEqual(status, 1)
        self.assertRegex(build, r"\bgfortran\b")
        self.assertNotRegex(build, "valgrind|pytest|chromium")
        self.assertEqual(asks_for("--bild"), (2, "usage: install-dependencies [--build]\n"))
        self.assertEqual(asks_for("--build", "x")[0], 2)


class Templates(unittest.TestCase):
    def test_forms_of_issues(self):
        forms = [path for path in (FORGE / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml"]
        self.assertGreaterEqual(len(forms), 2)
        for path in forms:
            form = parsed(path)
            with self.subTest(form=path.name):
                self.assertTrue(form["name"] and form["description"])
                ids = [field["id"] for field in form["body"] if field["type"] != "markdown"]
                self.assertEqual(len(ids), len(set(ids)))
                for field in form["body"]:
                    self.assertIn(field["type"], ("markdown", "textarea", "input", "dropdown", "checkboxes"))
                    self.assertIn("label", field["attributes"])
        self.assertIsInstance(parsed(FORGE / "ISSUE_TEMPLATE" / "config.yml")["blank_issues_enabled"], bool)

    def test_owners(self):
        rows = [line.split() for line in (FORGE / "CODEOWNERS").read_text().splitlines() if line and line[0] != "#"]
        self.assertEqual(rows[0][0], "*")
        for pattern, *owners in rows:
            self.assertTrue(owners and all(owner[0] == "@" for owner in owners), pattern)

    def test_links_of_the_pages(self):
        for page in ("CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "RELEASING.md", "doc/packages.md"):
            for target in re.findall(r"\]\((?!https?:)([^)#]+)", text_of(page)):
                with self.subTest(page=page, target=target):
                    self.assertTrue((SOURCE / page).parent.joinpath(target).exists())


class PreCommit(unittest.TestCase):
    def test_runs_what_the_suite_runs(self):
        hooks = {hook["id"]: hook for repository in parsed(".pre-commit-config.yaml")["repos"] for hook in repository["hooks"]}
        self.assertEqual(hooks.keys(), {"clang-format", "shellcheck", "codespell"})
        self.assertEqual(hooks["clang-format"]["entry"].split()[0], CLANG_FORMAT)
        self.assertIn("test/codespell_words.txt", hooks["codespell"]["entry"])
        for hook in hooks.values():
            for key in ("files", "exclude"):
                re.compile(hook.get(key, ""))

    def test_form_of_files_is_that_of_editorconfig(self):
        settings = text_of(".editorconfig")
        self.assertRegex(settings, r"(?m)^root = true$")
        self.assertIsNotNone(first(r"^\[\*\]$\n(charset)", settings))


class Recipes(unittest.TestCase):
    def test_spack(self):
        module = ast.parse(text_of("packaging/spack/package.py"))
        recipe = next(node for node in module.body if isinstance(node, ast.ClassDef))
        self.assertEqual((recipe.name, recipe.bases[0].id), ("Vftrace", "AutotoolsPackage"))
        variants = {call.args[0].value for call in ast.walk(recipe)
                    if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "variant"}
        used = set(re.findall(r"\"\+(\w+)\"", text_of("packaging/spack/package.py")))
        self.assertGreater(len(variants), 3)
        self.assertEqual(used - variants, set())

    def spack_recipe(self, *on):
        """The recipe's class, as Spack would load it, with these variants enabled; stand-ins replace what it uses of Spack."""
        class Path(str):
            def __getattr__(self, name):
                return Path(f"{self}/{name}")

            def join(self, name):
                return Path(f"{self}/{name}")

        class Spec(types.SimpleNamespace):
            def satisfies(self, variant):
                return variant.lstrip("+") in on

            def __getitem__(self, name):
                return Spec(prefix=Path(f"/opt/{name}"))

        class AutotoolsPackage:
            spec, prefix = Spec(), Path("/opt/vftrace")

            def enable_or_disable(self, name):
                return [f"--{'enable' if name in on else 'disable'}-{name}"]

            def with_or_without(self, name, variant):
                return [f"--{'with' if variant in on else 'without'}-{name}"]

        package = types.ModuleType("spack.package")
        package.AutotoolsPackage = AutotoolsPackage
        for directive in ("license", "version", "variant", "depends_on", "requires", "conflicts"):
            setattr(package, directive, lambda *words, **options: None)
        with unittest.mock.patch.dict(sys.modules, {"spack": types.ModuleType("spack"), "spack.package": package}):
            names = {}
            exec(compile(text_of("packaging/spack/package.py"), "package.py", "exec"), names)
        return names["Vftrace"]()

    def test_spack_calls_configure(self):
        self.assertEqual(self.spack_recipe().configure_args(),
                         ["--enable-tools", "--with-libdw", "--with-libunwind", "--disable-fortran", "--without-ncurses", "--without-eigen",
                          "--without-llvm"])
        self.assertEqual(self.spack_recipe("fortran", "model", "top", "parameters").configure_args(),
                         ["--enable-tools", "--with-libdw", "--with-libunwind", "--enable-fortran", "--with-ncurses",
                          "--with-eigen=/opt/eigen/include/eigen3", "--with-llvm=/opt/llvm/bin/llvm-config"])
        environment = unittest.mock.Mock()
        self.spack_recipe().setup_run_environment(environment)
        environment.prepend_path.assert_called_once_with("LD_LIBRARY_PATH", "/opt/vftrace/lib")

    def options_of_configure(self):
        return set(re.findall(r"AS_HELP_STRING\(\[--(?:en|dis)able-([\w-]+)|AS_HELP_STRING\(\[--with(?:out)?-([\w-]+)", text_of("configure.ac")))

    def test_options_are_those_of_configure(self):
        known = {name for pair in self.options_of_configure() for name in pair if name} | {"dependency-tracking"}  # automake's
        self.assertLessEqual({"tools", "fortran", "llvm", "eigen"}, known)
        for path in ("packaging/spack/package.py", "packaging/rpm/vftrace.spec", "packaging/debian/rules",
                     "packaging/container/Containerfile", *(SOURCE / "packaging/easybuild").glob("*.eb")):
            for option in re.findall(r"--(?:enable|disable|with|without)-([\w-]+)", text_of(path)):
                with self.subTest(path=str(path), option=option):
                    self.assertIn(option, known)

    def test_easybuild(self):
        path = next((SOURCE / "packaging" / "easybuild").glob("*.eb"))
        recipe = {}
        exec(compile(path.read_text(), path.name, "exec"), {}, recipe)  # an easyconfig is Python
        for name in ("name", "version", "homepage", "description", "toolchain", "sources", "moduleclass", "easyblock"):
            self.assertTrue(recipe[name], name)
        self.assertEqual(recipe["toolchain"].keys(), {"name", "version"})
        for dependency in recipe["dependencies"] + recipe["builddependencies"]:
            self.assertEqual(len(dependency), 2)
        self.assertEqual(recipe["sources"], ["%(namelower)s-%(version)s.tar.xz"])

    def test_rpm(self):
        need("rpmspec")
        self.assertEqual(self.rpm_packages(), {"vftrace", "libvftrace0", "vftrace-devel", "vftrace-doc"})
        self.assertEqual(self.rpm_packages("--with", "taint") - self.rpm_packages(), {"vftrace-taint"})

    def test_rpm_of_the_pass_requires_the_clang_that_it_was_built_for(self):
        needed = self.rpm_query("--requires", "--with", "taint", "--define", "llvm_config echo 21.1.0")
        self.assertIn("(clang >= 21 with clang < 22)", needed)
        self.assertIn("(compiler-rt >= 21 with compiler-rt < 22)", needed)
        self.assertIn("(clang >= 21 with clang < 22)", self.rpm_query("--requires", "--with", "taint", "--define", "suse_version 1600",
                                                                      "--define", "llvm_config echo 21.1.0"))

    def rpm_query(self, *options):
        need("rpmspec")
        result = subprocess.run(["rpmspec", "--query", *options, SOURCE / "packaging" / "rpm" / "vftrace.spec"],
                                capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout.splitlines()

    def rpm_packages(self, *options):
        return set(self.rpm_query("--queryformat", "%{NAME}\\n", *options))

    def test_container(self):
        lines = re.sub(r"\\\n", " ", text_of("packaging/container/Containerfile")).splitlines()
        words = [line.split()[0] for line in lines if line and line[0] != "#"]
        self.assertLessEqual(set(words), {"ARG", "FROM", "RUN", "COPY", "WORKDIR", "CMD"})
        self.assertEqual(words.count("FROM"), 2)

    def test_debian(self):
        folder = SOURCE / "packaging" / "debian"
        control = re.findall(r"^Package: (\S+)$", (folder / "control").read_text(), re.M)
        for path in folder.iterdir():
            package = path.name.rsplit(".", 1)[0]
            if path.suffix in (".install", ".docs", ".examples", ".manpages", ".links", ".lintian-overrides"):
                self.assertIn(package, control, path.name)
        for name in ("rules", "tests/profile-program"):
            self.assertTrue((folder / name).stat().st_mode & 0o100, name)
        for name in ("vftrace-doc.docs", "vftrace-doc.examples", "libvftrace-dev.manpages", "vftrace-taint.manpages"):
            for pattern in (folder / name).read_text().split():
                self.assertNotEqual(list(SOURCE.glob(pattern)), [], pattern)
        # The other patterns name installed files.
        for line in (folder / "vftrace-doc.install").read_text().splitlines():
            if not line.startswith("usr/"):
                self.assertNotEqual(list(SOURCE.glob(line.split()[0])), [], line)


if __name__ == "__main__":
    unittest.main()

"""All packages and recipes need the same libraries: a table of them, with the names used by each system."""
import re
import unittest

from support import SOURCE

# What a build with all parts is compiled with. Packages that a system lacks are None.
#             Debian, container    RPM                    Spack        EasyBuild
BUILD = {
    "libelf": ("libelf-dev", "pkgconfig(libelf)", "elfutils", "elfutils"),
    "libdw": ("libdw-dev", "pkgconfig(libdw)", "elfutils", "elfutils"),
    "CLI11": ("libcli11-dev", "cli11-devel", "cli11", "CLI11"),
    "RapidJSON": ("rapidjson-dev", "rapidjson-devel", "rapidjson", "RapidJSON"),
    "{fmt}": ("libfmt-dev", "fmt-devel", "fmt", "fmt"),
    "zlib": ("zlib1g-dev", "pkgconfig(zlib)", "zlib-api", "zlib"),
    "protozero": ("libprotozero-dev", "protozero-devel", "protozero", "protozero"),
    "ncurses": ("libncurses-dev", "pkgconfig(ncursesw)", "ncurses", "ncurses"),
    "Eigen": ("libeigen3-dev", "pkgconfig(eigen3)", "eigen", "Eigen"),
    "libunwind": ("libunwind-dev", "pkgconfig(libunwind)", "libunwind", "libunwind"),
    "OTF2": ("libotf2-trace-dev", "otf2-devel", "otf2", None),
    "Zydis": ("libzydis-dev", None, None, None),  # not in all distributions
}
# What is opened at run time if it is installed.
RUN = {
    "libdw": ("libdw1", "libdw.so.1", "elfutils", "elfutils"),
    "muParser": ("libmuparser2v5", "libmuparser.so.2", "muparser", "muParser"),
}
# Packages that configure.ac names and that are for tests only.
FOR_TESTS = {"catch2"}


def text_of(name):
    return (SOURCE / "packaging" / name).read_text(encoding="utf-8")


def debian_field(name):
    """The packages in one field of packaging/debian/control, of all its paragraphs."""
    values = re.findall(rf"^{name}:(.*\n(?:[ \t].*\n)*)", text_of("debian/control"), re.M)
    return {word.split()[0] for value in values for word in value.split(",") if word.strip()}


def easybuild_recipe():
    recipe = {}
    path = next((SOURCE / "packaging" / "easybuild").glob("*.eb"))
    exec(compile(path.read_text(), path.name, "exec"), {}, recipe)  # an easyconfig is Python
    return recipe


class Dependencies(unittest.TestCase):
    maxDiff = None

    def column(self, index, *tables):
        return {row[index] for table in tables for row in table.values() if row[index]}

    def test_debian(self):
        needed = debian_field("Build-Depends")
        self.assertEqual(self.column(0, BUILD) - needed, set())
        self.assertEqual(self.column(0, RUN) - debian_field("Recommends") - debian_field("Depends"), set())

    def test_every_package_that_configure_names(self):
        named = {name for hint in re.findall(r"Debian: ([\w.+ -]+)", (SOURCE / "configure.ac").read_text())
                 for name in hint.replace("apt-get install", "").split() if name != "and"}
        self.assertGreater(len(named), 10)
        self.assertEqual(named - debian_field("Build-Depends") - FOR_TESTS, set())

    def test_rpm(self):
        needed = set(re.findall(r"^BuildRequires: +(\S+)", text_of("rpm/vftrace.spec"), re.M))
        self.assertEqual(self.column(1, BUILD) - needed, set())
        recommended = {name.split("(")[0] for name in re.findall(r"^Recommends: +(\S+)", text_of("rpm/vftrace.spec"), re.M)}
        self.assertEqual(self.column(1, RUN) - recommended, set())

    def test_analysis_of_parameters(self):
        """Clang, its data-flow sanitizer and LLVM's headers."""
        self.assertLessEqual({"clang-19", "libclang-rt-19-dev", "llvm-19-dev"}, debian_field("Build-Depends"))
        self.assertLessEqual({"clang", "compiler-rt", "llvm-devel"},
                             set(re.findall(r"^BuildRequires: +(\S+) >= 19$", text_of("rpm/vftrace.spec"), re.M)))
        self.assertIn('depends_on("llvm@19: +clang compiler-rt=runtime"', text_of("spack/package.py"))

    def test_spack(self):
        needed = set(re.findall(r"depends_on\(\"([\w-]+)", text_of("spack/package.py")))
        self.assertEqual(self.column(2, BUILD, RUN) - needed, set())

    def test_easybuild(self):
        recipe = easybuild_recipe()
        needed = {name for name, version in recipe["dependencies"] + recipe["builddependencies"]}
        self.assertEqual(self.column(3, BUILD, RUN) - needed, set())

    def test_container(self):
        lists = re.findall(r"apt-get install -y --no-install-recommends (.*?)&&", text_of("container/Containerfile"), re.S)
        build, run = (set(words.replace("\\", " ").split()) for words in lists)
        self.assertEqual(self.column(0, BUILD) - build, set())
        self.assertEqual(self.column(0, RUN) - run, set())

    def test_no_recipe_leaves_a_part_to_chance(self):
        """configure drops parts whose libraries are missing, unless they are requested."""
        wanted = ("tools", "fortran", "libdw", "libunwind", "ncurses", "eigen")
        for name in ("debian/rules", "rpm/vftrace.spec", "container/Containerfile"):
            for part in wanted:
                with self.subTest(name=name, part=part):
                    self.assertRegex(text_of(name), rf"--(?:enable|with)-{part}\b")
        for part in wanted:
            self.assertRegex(easybuild_recipe()["configopts"], rf"--(?:enable|with)-{part}\b")


if __name__ == "__main__":
    unittest.main()

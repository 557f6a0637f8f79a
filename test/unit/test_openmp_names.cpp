// Names of OpenMP constructs: by line, by function, by file; they do not depend on where the
// program is installed.
#include <catch2/catch.hpp>

#include <cstdio>
#include <cstdlib>

#include "collate/openmp_names.hpp"
#include "elf_builder.hpp"
#include "record/openmp_constructs.hpp"
#include "symbol/elf_symbols.hpp"
#include "symbol/source_lines.hpp"

using namespace vftrace;

namespace {

const char source[] = "static int work(int x) { return x + 1; }\n"  // line 1
                      "int region(volatile int* x) {\n"
                      "    *x = work(*x);\n"
                      "    *x = 7;\n"
                      "    return *x; }\n";

bool run(const std::string& command) {
    return std::system(("(" + command + ") >/dev/null 2>&1").c_str()) == 0;
}

std::uint64_t address_of(const std::string& file, const char* function) {
    std::FILE* pipe = popen(("nm '" + file + "' | grep ' " + function + "$'").c_str(), "r");
    unsigned long long address = 0;
    if (std::fscanf(pipe, "%llx", &address) != 1)
        address = 0;
    pclose(pipe);
    return address;
}

// The name of a construct with this code address in the only module.
OpenmpName name_of(const std::string& path, std::uint64_t bias, std::uintptr_t code,
                   bool source_lines, OpenmpConstruct construct = OpenmpConstruct::parallel) {
    LoadedModule module{bias, bias + 0x100000, bias, path.c_str(), true, {}};
    const ModuleTable table{&module, 1};
    Node node{};
    node.kind = NodeKind::openmp;
    node.key = openmp_key(construct, code);
    CodeFiles files(table, "");
    OpenmpNames names(files, source_lines);
    names.expect(node);
    return names.name_of(node);
}

}  // namespace

TEST_CASE("OpenMP constructs are named after their place in the program", "[openmp_names]") {
    if (!run("gcc --version") || !run("strip --version")) {
        WARN("gcc and strip are not installed");
        return;
    }
    TemporaryDirectory directory;
    const std::string library = directory / "heat.so", code = directory / "heat.c";
    write_file(code, source);
    REQUIRE(run("gcc -g -O0 -shared -fPIC -nostdlib -o '" + library + "' '" + code + "'"));
    const std::uint64_t start = address_of(library, "region");
    REQUIRE(start != 0);
    // Finds the return address of the call in line 3: an address in the function such that the
    // instruction before it is from line 3.
    std::uint64_t third = 0;
    for (std::uint64_t at = start; at < start + 100 && third == 0; at++)
        if (lookup_code_lines(library, {at})[0].line == 3)
            third = at + 1;
    REQUIRE(third != 0);
    CHECK(lookup_code_lines(library, {third - 1})[0].file == code);

    for (const std::uint64_t bias : {0x0ull, 0x7f0000000000ull}) {
        const OpenmpName name = name_of(library, bias, bias + third, true);
        CHECK(name.name == "omp parallel @heat.c:3");
        CHECK(name.file == code);
        CHECK(name.line == 3);
        // Without lines: by the function, whatever the directory.
        char by_function[64];
        std::snprintf(by_function, sizeof by_function, "omp barrier @region+0x%llx",
                      static_cast<unsigned long long>(third - start));
        CHECK(name_of(library, bias, bias + third, false, OpenmpConstruct::barrier).name ==
              by_function);
        CHECK(name_of(library, bias, bias + third, false).line == 0);
    }
    // The last address of the function belongs to it, and so does the return address after it.
    const SymbolOffset symbol = lookup_enclosing_symbols(library, {third - 1})[0];
    CHECK(symbol.name == "region");
    CHECK(symbol.distance == third - 1 - start);

    CHECK(name_of(library, 0, 0, true).name == "omp parallel");
    CHECK(name_of("/no/such/file", 0, 0x123, true).name == "omp parallel @file+0x123");
    REQUIRE(run("strip '" + library + "'"));
    char by_file[64];
    std::snprintf(by_file, sizeof by_file, "omp parallel @heat.so+0x%llx",
                  static_cast<unsigned long long>(third));
    // `region` is exported, so its name stays; `work` is not.
    CHECK(name_of(library, 0, third, true).name.find("omp parallel @region+0x") == 0);
    REQUIRE(run("gcc -O0 -shared -fPIC -fvisibility=hidden -nostdlib -s -o '" + library + "' '" +
                code + "'"));
    CHECK(name_of(library, 0, third, true).name == by_file);
}

TEST_CASE("an unknown OpenMP construct has a name", "[openmp_names]") {
    CHECK(name_of("/x", 0, 0, true, static_cast<OpenmpConstruct>(200)).name == "omp");
}

TEST_CASE("of nested and overlapping symbols the one that begins last covers an address",
          "[openmp_names]") {
    TemporaryDirectory directory;
    TestElf contents;
    contents.symtab = {{"outer", 0x1000}, {"inner", 0x1010}};
    write_elf(contents, directory / "file");
    // The symbols of this file have no size: they cover only their own address.
    const auto symbols = lookup_enclosing_symbols(directory / "file", {0x1010, 0x1000, 0x1001});
    CHECK(symbols[0].name == "inner");
    CHECK(symbols[1].name == "outer");
    CHECK(symbols[1].distance == 0);
    CHECK(symbols[2].name.empty());
    CHECK(lookup_enclosing_symbols("/no/such/file", {1, 2}).size() == 2);
    CHECK(lookup_enclosing_symbols(directory / "file", {}).empty());
}

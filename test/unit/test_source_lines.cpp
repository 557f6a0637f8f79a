// Source lines of programs that are compiled here, by all installed compilers.
#include "symbol/source_lines.hpp"

#include "symbol/elf_symbols.hpp"

#include "elf_builder.hpp"

#include <catch2/catch.hpp>
#include <cstdio>
#include <random>

using vftrace::lookup_source_lines;
using vftrace::SourceLine;

namespace {

bool run(const std::string& command) {
    return std::system(("(" + command + ") >/dev/null 2>&1").c_str()) == 0;
}

const char c_source[] = "static int hidden(int x) __attribute__((noinline, used));\n"  // line 1
                        "int first(int x) { return x + 1; }\n"
                        "static int\n"
                        "hidden(int x) {\n"
                        "    return x * 3;\n"
                        "}\n"
                        "int second(\n"
                        "    int x)\n"
                        "{\n"
                        "    return hidden(x) + first(x);\n"
                        "}\n";

const char cxx_source[] = "namespace space {\n"  // line 1
                          "struct Thing {\n"
                          "    int member(int x);\n"
                          "    static int inside(int x) { return x - 1; }\n"
                          "};\n"
                          "int Thing::member(int x) { return inside(x); }\n"
                          "template <class T> T twice(T x) {\n"
                          "    return x + x;\n"
                          "}\n"
                          "namespace { __attribute__((noinline, used)) int quiet(int x) {\n"
                          "    return x; }\n"
                          "}\n"
                          "template int twice(int);\n"
                          "}\n";

const char fortran_source[] = "module solver\n"  // line 1
                              "contains\n"
                              "  subroutine step(x)\n"
                              "    integer :: x\n"
                              "    call inner(x)\n"
                              "  contains\n"
                              "    subroutine inner(y)\n"
                              "      integer, volatile :: y\n"
                              "      y = y + 1\n"
                              "    end subroutine\n"
                              "  end subroutine\n"
                              "end module\n";

// Symbol -> address, as nm prints them.
std::vector<std::pair<std::string, std::uint64_t>> functions_of(const std::string& path) {
    std::vector<std::pair<std::string, std::uint64_t>> functions;
    std::FILE* pipe = popen(("nm '" + path + "'").c_str(), "r");
    REQUIRE(pipe);
    unsigned long long address;
    char type, name[512];
    char line[1024];
    while (std::fgets(line, sizeof line, pipe))
        if (std::sscanf(line, "%llx %c %500s", &address, &type, name) == 3 &&
            (type == 'T' || type == 't' || type == 'W'))
            functions.emplace_back(name, address);
    pclose(pipe);
    return functions;
}

struct Expectation {
    const char* symbol_begins;
    std::uint32_t line;
};

void check_lines(const std::string& path, const std::string& source,
                 const std::vector<std::pair<std::string, std::uint64_t>>& functions,
                 const std::vector<Expectation>& expectations) {
    std::vector<std::uint64_t> offsets;
    for (const auto& [name, address] : functions)
        offsets.push_back(address);
    std::vector<SourceLine> lines = lookup_source_lines(path, offsets);
    REQUIRE(lines.size() == offsets.size());
    for (const Expectation& expected : expectations) {
        INFO(expected.symbol_begins);
        bool found = false;
        for (std::size_t i = 0; i < functions.size() && !found; i++)
            if (functions[i].first.rfind(expected.symbol_begins, 0) == 0) {
                found = true;
                CHECK(lines[i].file == source);
                CHECK(lines[i].line == expected.line);
            }
        CHECK(found);
    }
}

const std::vector<Expectation> c_lines = {{"first", 2}, {"hidden", 4}, {"second", 7}};

// A compiler that is not installed is left out; the compiler that built this test exists when it is
// built, but may be missing when it runs.
bool has_compiler(const std::string& compiler) {
    if (run(compiler + " --version"))
        return true;
    WARN(compiler << " is not installed");
    return false;
}

}  // namespace

TEST_CASE("lines of C, C++ and Fortran functions", "[source_lines]") {
    TemporaryDirectory directory;
    std::string c = directory / "code.c", cxx = directory / "code.cpp", f = directory / "code.f90";
    std::string library = directory / "code.so";
    write_file(c, c_source);
    write_file(cxx, cxx_source);
    write_file(f, fortran_source);
    for (const std::string& options :
         {std::string("-O0 -gdwarf-4"), std::string("-O2 -gdwarf-5"),
          std::string("-O1 -gdwarf-5 -gz=zlib"), std::string("-O2 -gdwarf-5 -ffunction-sections"),
          std::string("-O1 -gdwarf-4 -fdebug-types-section")}) {
        std::string rest = " -shared -fPIC -nostdlib " + options + " -o '" + library + "' ";
        for (std::string compiler : {"gcc", "clang"}) {
            INFO(compiler + rest);
            if (!has_compiler(compiler))
                continue;
            REQUIRE(run(compiler + rest + c));
            check_lines(library, c, functions_of(library), c_lines);
            // A relative name on the command line
            REQUIRE(run("cd '" + (directory / "") + "' && " + compiler + rest + "code.c"));
            check_lines(library, c, functions_of(library), c_lines);
        }
        for (std::string compiler : {"g++", "clang++"}) {
            INFO(compiler + rest);
            if (!has_compiler(compiler))
                continue;
            REQUIRE(run(compiler + rest + cxx));
            check_lines(library, cxx, functions_of(library),
                        {{"_ZN5space5Thing6member", 6},
                         {"_ZN5space5twice", 7},
                         {"_ZN5space12_GLOBAL__N_15quiet", 10}});
        }
        INFO("gfortran" + rest);
        if (has_compiler("gfortran")) {
            REQUIRE(run("gfortran -fno-inline -J'" + (directory / "") + "'" + rest + f));
            check_lines(library, f, functions_of(library),
                        {{"__solver_MOD_step", 3}, {"inner", 7}});
        }
    }
}

TEST_CASE("files whose debug information takes too long to read are left out", "[source_lines]") {
    if (!has_compiler("gcc"))
        return;
    TemporaryDirectory directory;
    const std::string c = directory / "code.c", library = directory / "code.so";
    write_file(c, c_source);
    std::uint64_t needed_ns[2] = {};
    for (const bool compressed : {false, true}) {
        REQUIRE(run(std::string("gcc -shared -fPIC -nostdlib -g ") +
                    (compressed ? "-gz=zlib" : "") + " -o '" + library + "' '" + c + "'"));
        const auto functions = functions_of(library);
        std::uint64_t limit_ns = 1'000'000'000;
        CHECK(lookup_source_lines(library, {functions[0].second}, limit_ns)[0].line > 0);
        std::uint64_t needed = 1'000'000'000 - limit_ns;
        needed_ns[compressed] = needed;
        std::uint64_t too_little_ns = needed - 1;
        CHECK(lookup_source_lines(library, {functions[0].second}, too_little_ns)[0].line == 0);
        CHECK(too_little_ns == needed - 1);
        CHECK(lookup_source_lines(library, {functions[0].second}, needed)[0].line > 0);
        CHECK(needed == 0);
    }
    CHECK(needed_ns[true] > needed_ns[false]);
}

TEST_CASE("lines come from a separate debug file", "[source_lines]") {
    if (!has_compiler("gcc") || !has_compiler("objcopy"))
        return;
    TemporaryDirectory directory;
    std::string source = directory / "code.c", library = directory / "code.so";
    write_file(source, c_source);
    for (const char* id : {"-Wl,--build-id=none", "-Wl,--build-id"}) {
        INFO(id);
        REQUIRE(run("cd '" + (directory / "") + "' && gcc -g -shared -fPIC -nostdlib " + id +
                    " -o code.so " + source));
        auto functions = functions_of(library);
        REQUIRE(run("cd '" + (directory / "") +
                    "' && objcopy --only-keep-debug --compress-debug-sections code.so code.debug "
                    "&& objcopy --strip-all --add-gnu-debuglink=code.debug code.so"));
        check_lines(library, source, functions, c_lines);
        CHECK(vftrace::lookup_symbols(library, {functions[0].second}).names[0] ==
              functions[0].first);
        REQUIRE(run("rm '" + (directory / "code.debug") + "'"));
        CHECK(lookup_source_lines(library, {functions[0].second})[0].line == 0);
    }
}

TEST_CASE("split debug information gives lines or none", "[source_lines]") {
    TemporaryDirectory directory;
    std::string source = directory / "code.c", library = directory / "code.so";
    write_file(source, c_source);
    for (std::string compiler : {"gcc", "clang"})
        for (const char* options : {"-gdwarf-4", "-gdwarf-5"}) {
            INFO(compiler + " " + options);
            if (!has_compiler(compiler))
                continue;
            REQUIRE(run("cd '" + (directory / "") + "' && " + compiler +
                        " -gsplit-dwarf -shared -fPIC -nostdlib -o code.so code.c " + options));
            auto functions = functions_of(library);
            for (const auto& [name, address] : functions) {
                SourceLine line = lookup_source_lines(library, {address})[0];
                CHECK((line.line == 0 || line.file == source));
            }
            REQUIRE(run("rm -f '" + (directory / "") + "'*.dwo"));
            for (const auto& [name, address] : functions) {
                SourceLine line = lookup_source_lines(library, {address})[0];
                CHECK((line.line == 0 || line.file == source));
            }
        }
}

TEST_CASE("unknown places and files are unknown lines", "[source_lines]") {
    TemporaryDirectory directory;
    TestElf contents;
    contents.symtab = {{"one", 0x1000}};
    write_elf(contents, directory / "no_debug_information");
    write_file(directory / "text", "no ELF file");
    for (const std::string& path : {directory / "no_debug_information", directory / "text",
                                    directory / "missing", directory / ".", std::string()}) {
        INFO(path);
        std::vector<SourceLine> lines = lookup_source_lines(path, {0x1000, 0, ~std::uint64_t{0}});
        REQUIRE(lines.size() == 3);
        for (const SourceLine& line : lines) {
            CHECK(line.file == "");
            CHECK(line.line == 0);
        }
    }
    CHECK(lookup_source_lines("/proc/self/exe", {}).empty());
    for (const SourceLine& line : lookup_source_lines("/proc/self/exe", {0, 1, ~std::uint64_t{0}}))
        CHECK(line.line == 0);
}

TEST_CASE("damaged debug information does no harm", "[source_lines]") {
    if (!has_compiler("gcc"))
        return;
    TemporaryDirectory directory;
    std::string source = directory / "code.c", library = directory / "code.so";
    write_file(source, c_source);
    REQUIRE(run("gcc -g -shared -fPIC -nostdlib -o '" + library + "' " + source));
    const std::string original = read_file(library);
    std::vector<std::uint64_t> offsets;
    for (const auto& [name, address] : functions_of(library))
        offsets.push_back(address);
    std::mt19937 random(3);
    std::size_t begin = original.size() / 4;  // after the code
    int right = 0;
    for (int variant = 0; variant < 300; variant++) {
        std::string damaged = original;
        for (std::size_t flips = 1 + random() % 20; flips > 0; flips--) {
            std::size_t at = begin + random() % (original.size() - begin);
            damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
        }
        write_file(library, damaged);
        std::vector<SourceLine> lines = lookup_source_lines(library, offsets);
        REQUIRE(lines.size() == offsets.size());
        for (const SourceLine& line : lines)
            right += line.file == source;
    }
    CHECK(right > 20);  // otherwise the damage is too great to reach the debug information
}

// Lines and inlined functions of every address of programs that are compiled here, by all installed
// compilers, compared with addr2line.
#include "code/source_places.hpp"

#include "elf_builder.hpp"

#include <catch2/catch.hpp>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

using vftrace::SourcePlace;
using vftrace::SourcePlaces;

namespace {

bool run(const std::string& command) {
    return std::system(("(" + command + ") >/dev/null 2>&1").c_str()) == 0;
}

bool is_installed(const std::string& program) {
    if (run(program + " --version"))
        return true;
    WARN(program << " is not installed");
    return false;
}

std::string output_of(const std::string& command) {
    std::string text;
    std::FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe);
    char buffer[4096];
    for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
        text.append(buffer, got);
    pclose(pipe);
    return text;
}

// Calls that are inlined three deep, twice in a function, through templates, lambdas and methods.
const char source[] = R"(
#include <stddef.h>
static inline double square(double x) { return x * x; }
static inline double cube(double x) {
    return square(x) * x;
}
struct Sum {
    double all = 0;
    void add(double x) {
        if (x > 0)
            all += cube(x) + square(x + 1);
    }
};
namespace space {
template <class T> T twice(T x) { return x + x; }
}
double work(const double* values, size_t count) {
    Sum sum, other;
    const auto each = [&](double x) {
        sum.add(x);
        other.add(space::twice(x));
    };
    for (size_t i = 0; i < count; i++)
        each(values[i]);
    return sum.all / other.all;
}
__attribute__((noinline)) double part(const double* values, size_t count) {
    double best = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i; j < count; j++) {
            const double x = cube(values[i] - values[j]);
            best = x > best ? x : best;
        }
    return best;
}
double both(const double* values, size_t count) { return work(values, count) + part(values, count); }
)";

struct Frame {
    std::string function, file;
    unsigned line;
    bool operator==(const Frame&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Frame& frame) {
    return out << frame.function << " " << frame.file << ":" << frame.line;
}

std::string normal(const std::string& file) {
    return std::filesystem::path(file).lexically_normal().string();
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    return lines;
}

// What a program says about addresses of the file: for each one a line with it, and pairs of lines
// with a function and a place. "file:line", "file:line (discriminator 2)" or "file:line:column".
std::vector<std::vector<Frame>> frames_by(const std::string& program, const std::string& file,
                                          const std::vector<std::uint64_t>& addresses,
                                          bool with_columns) {
    const std::string list = file + ".addresses";
    {
        std::ofstream out(list);
        for (const std::uint64_t address : addresses)
            out << "0x" << std::hex << address << "\n";
    }
    const std::vector<std::string> lines =
        lines_of(output_of(program + " -a -i -f -e '" + file + "' <'" + list + "'"));
    std::vector<std::vector<Frame>> all;
    for (std::size_t i = 0; i < lines.size(); i++) {
        if (lines[i].starts_with("0x")) {
            all.emplace_back();
            continue;
        }
        if (lines[i].empty())
            continue;
        const std::string& function = lines[i];
        REQUIRE(++i < lines.size());
        std::string place = lines[i].substr(0, lines[i].find(" (discriminator"));
        if (with_columns)
            place = place.substr(0, place.rfind(':'));
        const std::size_t colon = place.rfind(':');
        const std::string line = place.substr(colon + 1);
        all.back().push_back({function, normal(place.substr(0, colon)),
                              line == "?" ? 0 : static_cast<unsigned>(std::stoul(line))});
    }
    REQUIRE(all.size() == addresses.size());
    return all;
}

// That of LLVM is the judge where addr2line is known to be wrong: binutils 2.40 leaves out inlined
// functions of clang in some ranges, and gives some the name of the outermost function.
std::string llvm_symbolizer() {
    for (const char* name : {"llvm-symbolizer", "llvm-symbolizer-14", "llvm-symbolizer-19"})
        if (run(name + std::string(" --version")))
            return name + std::string(" --no-demangle");
    WARN("llvm-symbolizer is not installed");
    return "";
}

// Every byte of the code of the functions of the source.
std::vector<std::uint64_t> addresses_of(const std::string& file) {
    std::vector<std::uint64_t> addresses;
    std::istringstream in(output_of("nm -S --defined-only '" + file + "'"));
    std::string line;
    while (std::getline(in, line)) {
        std::uint64_t start, bytes;
        char type, name[512];
        if (std::sscanf(line.c_str(), "%" SCNx64 " %" SCNx64 " %c %511s", &start, &bytes, &type,
                        name) == 4 &&
            (type == 'T' || type == 't' || type == 'W'))
            for (std::uint64_t at = start; at < start + bytes; at++)
                addresses.push_back(at);
    }
    return addresses;
}

// Clang's line tables do not have linkage names: then that of the outermost function is from the
// symbol table.
bool are_same(const std::vector<Frame>& found, std::vector<Frame> expected) {
    if (!found.empty() && !expected.empty() &&
        expected.back().function.find(found.back().function) != std::string::npos)
        expected.back().function = found.back().function;
    return found == expected;
}

void check_same(const std::string& file, const std::string& with_debug_information) {
    const std::vector<std::uint64_t> addresses = addresses_of(with_debug_information);
    REQUIRE(addresses.size() > 100);
    const auto expected = frames_by("addr2line", with_debug_information, addresses, false);
    SourcePlaces places;
    REQUIRE(places.open(file, ""));
    std::vector<std::uint64_t> different;
    std::vector<std::vector<Frame>> found_there;
    std::size_t deepest = 0;
    for (std::size_t i = 0; i < addresses.size(); i++) {
        std::vector<Frame> found;
        for (const SourcePlace& place : places.at(addresses[i]))
            found.push_back({place.function, normal(place.file), place.line});
        deepest = std::max(deepest, found.size());
        if (!are_same(found, expected[i])) {
            different.push_back(addresses[i]);
            found_there.push_back(std::move(found));
        }
    }
    CHECK(deepest >= 3);
    CHECK(different.size() < addresses.size() / 2);
    static const std::string judge = llvm_symbolizer();
    if (different.empty() || judge.empty())
        return;
    const auto judged = frames_by(judge, with_debug_information, different, true);
    for (std::size_t i = 0; i < different.size(); i++) {
        INFO("address " << std::hex << different[i]);
        if (!are_same(found_there[i], judged[i])) {
            CHECK(found_there[i] == judged[i]);
            break;
        }
    }
}

}  // namespace

TEST_CASE("inlined functions are those of addr2line", "[source_places]") {
    TemporaryDirectory directory;
    const std::string code = directory / "code.cpp", library = directory / "code.so";
    write_file(code, source);
    if (!is_installed("addr2line"))
        return;
    for (const std::string compiler : {"g++", "clang++", "clang++-19"}) {
        if (!is_installed(compiler))
            continue;
        const bool is_clang = compiler != "g++";
        for (const std::string options :
             {"-O2 -g -gdwarf-5", "-O2 -g -gdwarf-4", "-O3 -g -gz=zlib -ffunction-sections",
              is_clang ? "-O2 -gline-tables-only" : "-O2 -g1"}) {
            const std::string command = "cd '" + (directory / "") + "' && " + compiler +
                                        " -shared -fPIC -nostdlib " + options;
            INFO(command);
            REQUIRE(run(command + " -o code.so code.cpp"));
            check_same(library, library);
        }
    }
}

TEST_CASE("lines in separate files", "[source_places]") {
    TemporaryDirectory directory;
    const std::string library = directory / "code.so", stripped = directory / "stripped.so";
    write_file(directory / "code.cpp", source);
    if (!is_installed("addr2line") || !is_installed("objcopy"))
        return;
    const std::string folder = "cd '" + (directory / "") + "' && ";
    const std::string compile =
        folder + "g++ -shared -fPIC -nostdlib -O2 -g -o code.so code.cpp -Wl,--build-id=sha1 ";
    SECTION("by .gnu_debuglink") {
        REQUIRE(run(compile));
        REQUIRE(run(folder +
                    "objcopy --only-keep-debug code.so code.debug && "
                    "objcopy --strip-debug --add-gnu-debuglink=code.debug code.so stripped.so"));
        check_same(stripped, library);
    }
    SECTION("in a .dwo file") {
        REQUIRE(run(compile));
        REQUIRE(
            run(folder +
                "g++ -shared -fPIC -nostdlib -O2 -g -gsplit-dwarf -gdwarf-5 -o split.so code.cpp"));
        check_same(directory / "split.so", library);
    }
}

TEST_CASE("files without usable debug information", "[source_places]") {
    TemporaryDirectory directory;
    const std::string library = directory / "code.so";
    write_file(directory / "code.cpp", source);
    const std::string compile = "cd '" + (directory / "") +
                                "' && g++ -shared -fPIC -nostdlib -O2 -o code.so code.cpp "
                                "-Wl,--build-id=sha1 ";
    SourcePlaces places;
    SECTION("none") {
        REQUIRE(run(compile));
        CHECK_FALSE(places.open(library, ""));
        CHECK(places.problem().find("compile with -g1 (gcc)") != std::string::npos);
        CHECK(places.at(0x1000).empty());
    }
    SECTION("of another build") {
        REQUIRE(run(compile + "-g"));
        const std::string id = vftrace::ElfFile(library).build_id();
        CHECK(places.open(library, id));
        REQUIRE(run(compile + "-g -O1"));
        CHECK_FALSE(places.open(library, id));
        CHECK(places.problem().find("has changed since the run") != std::string::npos);
        CHECK(places.at(0x1000).empty());
    }
    SECTION("written after the run, without build ID") {
        REQUIRE(run(compile + "-g -Wl,--build-id=none"));
        CHECK_FALSE(places.open(library, "", 1));
        CHECK(places.open(library, "", std::int64_t{1} << 62));
    }
    SECTION("missing") {
        CHECK_FALSE(places.open(directory / "absent.so", "0123456789"));
        CHECK(places.problem().find("absent.so: ") != std::string::npos);
    }
}

TEST_CASE("places in damaged debug information do no harm", "[source_places]") {
    TemporaryDirectory directory;
    const std::string library = directory / "code.so", damaged = directory / "damaged.so";
    write_file(directory / "code.cpp", source);
    REQUIRE(run("cd '" + (directory / "") +
                "' && g++ -shared -fPIC -nostdlib -O2 -g -o code.so code.cpp"));
    const std::vector<std::uint64_t> addresses = addresses_of(library);
    std::ifstream in(library, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(in), {}};
    // The part behind the code: sections of debug information, their names and headers.
    std::mt19937 random(47);
    std::size_t answers = 0;
    for (int trial = 0; trial < 200; trial++) {
        std::string bytes = whole;
        const std::size_t changes = 1 + random() % 40;
        for (std::size_t i = 0; i < changes; i++)
            bytes[bytes.size() / 4 + random() % (bytes.size() * 3 / 4)] =
                static_cast<char>(random());
        if (trial % 8 == 0)
            bytes.resize(bytes.size() / 2 + random() % (bytes.size() / 2));
        write_file(damaged, bytes);
        SourcePlaces places;
        if (!places.open(damaged, ""))
            continue;
        for (std::size_t i = 0; i < addresses.size(); i += 7)
            answers += places.at(addresses[i]).size();
    }
    CHECK(answers > 0);
}

// The user's filters, applied to libraries that are compiled and opened here.
#include "overhead/function_filter.hpp"

#include "elf_builder.hpp"
#include "symbol/source_lines.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <link.h>
#include <memory>

using namespace vftrace;

namespace {

const char field_source[] = R"(
#include "grid.hpp"
namespace mesh {
struct Field { int at(int i) const; };
int Field::at(int i) const { return i; }
template <class T> T twice(T x) { return x + x; }
template int twice<int>(int);
}
extern "C" int solve_(int x) { return x; }
extern "C" int solver_step(int x) { return index_of(x); }
)";
// A function that comes from a separate header and is not inlined.
const char grid_source[] = "extern \"C\" __attribute__((noinline)) inline int index_of(int x)"
                           " { return x - 1; }\n";

// A library with hooks, open during the lifetime of the object.
class HookedLibrary {
  public:
    HookedLibrary(const TemporaryDirectory& directory, const std::string& flags,
                  const std::string& name = "libfield.so") {
        path_ = directory / name;
        std::ofstream(directory / "field.cpp") << field_source;
        std::ofstream(directory / "grid.hpp") << grid_source;
        const std::string command = "g++ -shared -fPIC -O1 -fno-inline " + flags + " -o " + path_ +
                                    " " + (directory / "field.cpp");
        built_ = std::system(command.c_str()) == 0;
        handle_ = built_ ? dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    }
    ~HookedLibrary() {
        if (handle_)
            dlclose(handle_);
    }
    HookedLibrary(const HookedLibrary&) = delete;
    HookedLibrary& operator=(const HookedLibrary&) = delete;

    bool is_open() const { return handle_ != nullptr; }
    void* handle() const { return handle_; }
    const std::string& path() const { return path_; }
    std::uintptr_t operator()(const char* symbol) const {
        return reinterpret_cast<std::uintptr_t>(dlsym(handle_, symbol));
    }

  private:
    std::string path_;
    bool built_ = false;
    void* handle_ = nullptr;
};

constexpr const char* hooked = "-g -finstrument-functions";
constexpr const char* at = "_ZNK4mesh5Field2atEi";
constexpr const char* twice = "_ZN4mesh5twiceIiEET_S1_";
using Names = std::vector<std::string>;

// The functions of the library that the filter excludes.
Names excluded(const HookedLibrary& library, const std::optional<std::string>& include,
               const std::optional<std::string>& exclude) {
    FunctionFilter filter(include, exclude);
    filter.add_loaded_files();
    Names names;
    for (const char* name : {at, twice, "solve_", "solver_step", "index_of"})
        if (filter.excludes(library(name)))
            names.push_back(name);
    return names;
}

}  // namespace

TEST_CASE("a filter knows symbols, cleaned names, C++ names, source files and modules",
          "[filter]") {
    TemporaryDirectory directory;
    HookedLibrary library(directory, hooked);
    REQUIRE(library.is_open());
    const Names all = {at, twice, "solve_", "solver_step", "index_of"};

    CHECK(excluded(library, {}, "^_ZNK4mesh") == Names{at});
    CHECK(excluded(library, {}, "^solve_$") == Names{"solve_"});
    CHECK(excluded(library, {}, "^solve$") == Names{"solve_"});
    CHECK(excluded(library, {}, "^solve") == Names{"solve_", "solver_step"});
    CHECK(excluded(library, {}, "mesh::") == Names{at, twice});
    CHECK(excluded(library, {}, "at\\(int\\) const$") == Names{at});
    CHECK(excluded(library, {}, "libfield\\.so$") == all);
    CHECK(excluded(library, {}, ".") == all);
    CHECK(excluded(library, {}, "no such function") == Names{});
    CHECK(excluded(library, {}, {}) == Names{});
    CHECK(excluded(library, "mesh::|^index", {}) == Names{"solve_", "solver_step"});
    CHECK(excluded(library, "mesh::", "twice") ==
          Names{twice, "solve_", "solver_step", "index_of"});
}

TEST_CASE("source files are compared if the pattern looks like one", "[filter]") {
    TemporaryDirectory directory;
    HookedLibrary library(directory, hooked);
    REQUIRE(library.is_open());
    link_map* map = nullptr;
    dlinfo(library.handle(), RTLD_DI_LINKMAP, &map);
    if (lookup_source_lines(library.path(), {library("solve_") - map->l_addr})[0].line == 0)
        return;  // built without libdw
    CHECK(excluded(library, {}, "/grid\\.hpp$") == Names{"index_of"});
    CHECK(excluded(library, {}, "grid.hpp") == Names{"index_of"});
    CHECK(excluded(library, {}, "grid") == Names{});
    CHECK(excluded(library, "grid.hpp$", {}) == Names{at, twice, "solve_", "solver_step"});
}

TEST_CASE("patterns that may be meant for source files", "[filter]") {
    CHECK(names_source_files("src/"));
    CHECK(names_source_files("\\.hpp$"));
    CHECK(names_source_files("field.f90"));
    CHECK_FALSE(names_source_files("."));
    CHECK_FALSE(names_source_files(".*"));
    CHECK_FALSE(names_source_files("^get_.+$"));
    CHECK_FALSE(names_source_files(""));
}

TEST_CASE("a library that is opened later is recorded until it has been looked at", "[filter]") {
    TemporaryDirectory directory;
    FunctionFilter filter("mesh::", "twice");
    filter.add_loaded_files();
    auto library = std::make_unique<HookedLibrary>(directory, hooked);
    REQUIRE(library->is_open());
    CHECK_FALSE(filter.excludes((*library)("solve_")));
    CHECK_FALSE(filter.excludes((*library)(twice)));
    filter.add_loaded_files();
    CHECK(filter.excludes((*library)("solve_")));
    CHECK(filter.excludes((*library)(twice)));
    CHECK_FALSE(filter.excludes((*library)(at)));

    // Another library may be loaded at the same place.
    const std::uintptr_t place = (*library)(twice);
    library.reset();
    HookedLibrary other(directory, std::string(hooked) + " -Dtwice=thrice", "libother.so");
    REQUIRE(other.is_open());
    filter.add_loaded_files();
    CHECK_FALSE(filter.excludes(place));
    CHECK_FALSE(filter.excludes(other("_ZN4mesh6thriceIiEET_S1_")));
}

TEST_CASE("functions without a symbol are excluded only by include, or by their module",
          "[filter]") {
    TemporaryDirectory directory;
    HookedLibrary library(directory, hooked);
    REQUIRE(library.is_open());
    const std::uintptr_t inside = library("solve_");
    FunctionFilter by_name({}, "solve"), by_module({}, "libfield"), only("solve", {});
    for (FunctionFilter* filter : {&by_name, &by_module, &only})
        filter->add_loaded_files();
    CHECK_FALSE(by_name.excludes(inside + 1));
    CHECK(by_module.excludes(inside + 1));
    CHECK(only.excludes(inside + 1));
}

TEST_CASE("code outside files and files without hooks are recorded", "[filter]") {
    TemporaryDirectory directory;
    HookedLibrary library(directory, "-g");
    REQUIRE(library.is_open());
    CHECK(excluded(library, "nothing", ".") == Names{});
    int on_the_stack = 0;
    FunctionFilter filter("nothing", ".");
    filter.add_loaded_files();
    CHECK_FALSE(filter.excludes(reinterpret_cast<std::uintptr_t>(&on_the_stack)));
    CHECK_FALSE(filter.excludes(0));
    CHECK_FALSE(filter.excludes(UINTPTR_MAX));
    CHECK(filter.excludes(reinterpret_cast<std::uintptr_t>(&names_source_files)));
}

TEST_CASE("an empty pattern restricts nothing", "[filter]") {
    FunctionFilter filter("(", "[");
    filter.add_loaded_files();
    CHECK_FALSE(filter.excludes(reinterpret_cast<std::uintptr_t>(&names_source_files)));
}

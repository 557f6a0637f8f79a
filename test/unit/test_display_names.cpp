// Display names: short, but never the same for two different C++ functions.
#include <catch2/catch.hpp>

#include "profile/display_names.hpp"

using namespace vftrace;

namespace {

Function cxx(const char* symbol, const char* demangled) {
    Function function;
    function.symbol = function.name = symbol;
    function.demangled = demangled;
    return function;
}

Function plain(const char* name, NodeKind kind = NodeKind::function) {
    Function function;
    function.symbol = function.name = name;
    function.kind = kind;
    return function;
}

std::vector<std::string> displayed(std::vector<Function> functions,
                                   CxxNames cxx_names = CxxNames::full,
                                   bool strip_module_names = false) {
    set_display_names(functions, cxx_names, strip_module_names);
    std::vector<std::string> names;
    for (const Function& function : functions)
        names.push_back(function.display);
    return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("parameters are shown only where names would be the same") {
    CHECK(displayed({cxx("_Z1fi", "f(int)"), cxx("_Z1gi", "g(int)")}) == Names{"f", "g"});
    CHECK(displayed({cxx("_Z1fi", "f(int)"), cxx("_Z1fd", "f(double)"), cxx("_Z1gi", "g(int)")}) ==
          Names{"f(int)", "f(double)", "g"});
    CHECK(displayed({plain("f"), cxx("_Z1fi", "f(int)")}) == Names{"f", "f(int)"});
}

TEST_CASE("names that do not differ in their short forms are shown whole") {
    CHECK(displayed({cxx("_Z1fIiEvv", "void f<int>()"), cxx("_Z1fIiEiv", "int f<int>()")}) ==
          Names{"void f<int>()", "int f<int>()"});
}

TEST_CASE("copies and variants of one function share its name") {
    CHECK(displayed({cxx("_ZN1AC1Ev", "A::A()"), cxx("_ZN1AC2Ev", "A::A()")}) ==
          Names{"A::A", "A::A"});
    CHECK(displayed({cxx("_Z1fi", "f(int)"),
                     cxx("_Z1fi.constprop.0", "f(int) [clone .constprop.0]")}) == Names{"f", "f"});
}

TEST_CASE("without demangling names stay raw") {
    CHECK(displayed({cxx("_Z1fi", "f(int)"), cxx("_Z1fd", "f(double)")}, CxxNames::raw) ==
          Names{"_Z1fi", "_Z1fd"});
}

TEST_CASE("as Vftrace 2.0 shows them, names end where template arguments begin") {
    CHECK(
        displayed({cxx("_Z1fi", "f(int)"), cxx("_Z1fd", "f(double)"),
                   cxx("_Z4sortIiEvPi", "void sort<int>(int*)"),
                   cxx("a", "std::map<int, A, std::less<int> >::find(int const&)"),
                   cxx("b", "A::operator<(A const&) const"), cxx("c", "operator<< <int>(A&, int)"),
                   cxx("d", "A::operator<=>(A const&) const"), plain("main")},
                  CxxNames::plain) == Names{"f", "f", "sort", "std::map", "A::operator<",
                                            "operator<<", "A::operator<=>", "main"});
}

TEST_CASE("module names are stripped from Fortran procedures only") {
    const std::vector<Function> functions = {plain("__heat_MOD_step"),
                                             plain("a_MOD_b", NodeKind::region),
                                             plain("init", NodeKind::root)};
    CHECK(displayed(functions) == Names{"__heat_MOD_step", "a_MOD_b", "init"});
    CHECK(displayed(functions, CxxNames::full, true) == Names{"step", "a_MOD_b", "init"});
    CHECK(displayed({}).empty());
}

// Names: cleaning of Fortran symbols, demangling, the short form of C++ names, shortening.
#include "symbol/names.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "base/utf8.hpp"

using namespace vftrace;

TEST_CASE("trailing underscores and Intel's suffixes are removed", "[names]") {
    CHECK(clean_name("MAIN__") == "MAIN");
    CHECK(clean_name("solve_") == "solve");
    CHECK(clean_name("solve_.t12p") == "solve");
    CHECK(clean_name("solve.t1p.t2p") == "solve");
    CHECK(clean_name("solve_.t1p_") == "solve");
    CHECK(clean_name("plain") == "plain");
    CHECK(clean_name("_leading") == "_leading");
    CHECK(clean_name("tp") == "tp");
    CHECK(clean_name("a.tp") == "a.tp");
    CHECK(clean_name("a.t1") == "a.t1");
    CHECK(clean_name("at1p") == "at1p");
    CHECK(clean_name("1p") == "1p");
    CHECK(clean_name("") == "");
    CHECK(clean_name("_") == "_");
    CHECK(clean_name("____") == "____");
    CHECK(clean_name(".t1p") == ".t1p");
    CHECK(clean_name("_.t1p") == "_.t1p");
}

TEST_CASE("names that look alike are cut where they differ", "[names]") {
    const std::vector<std::string_view> names = {
        "grid::kernels::interpolate<float,Boundary::periodic>::apply_to_all_points",
        "grid::kernels::interpolate<float,Boundary::reflecting>::apply_to_all_points",
        "grid::kernels::interpolate<double,Boundary::periodic>::apply_to_all_points",
        "grid::kernels::extrapolate_to_the_boundary", "short"};
    for (const std::size_t columns : {12, 20, 30, 40, 60}) {
        const std::vector<std::string> shown = shorten_apart(names, columns);
        CHECK(std::set<std::string>(shown.begin(), shown.end()).size() == names.size());
        for (std::size_t i = 0; i < names.size(); i++) {
            CHECK(count_code_points(shown[i]) == std::min(columns, names[i].size()));
            CHECK(shown[i].substr(0, 1) == names[i].substr(0, 1));
            CHECK(shown[i].back() == names[i].back());
        }
    }
    CHECK(shorten_apart(names, 30)[3] == shorten_middle(names[3], 30));
    CHECK(shorten_apart({"a_name_that_begins_like_another", "a_name_that_begins_like_another_one",
                         "a_name_that_begins_like_another_two"},
                        20) == std::vector<std::string>{"a_name_th..._another",
                                                        "a_name_th...ther_one",
                                                        "a_name_th...ther_two"});
}

TEST_CASE("module names of three Fortran compilers are removed", "[names]") {
    CHECK(fortran_name("__solver_MOD_step") == "solver::step");
    CHECK(fortran_name("solver_mp_step_") == "solver::step");
    for (const char* other : {"step_", "__solver_MOD_", "___MOD_step", "a_mp_step", "_mp_step_",
                              "solver_mp__", "f(a_MOD_b)"})
        CHECK(fortran_name(other) == other);
    CHECK(strip_module_name("__solver_MOD_step") == "step");
    CHECK(strip_module_name("solver_MP_step") == "step");
    CHECK(strip_module_name("solver_mp_step") == "step");
    CHECK(strip_module_name("__a_MOD_b_MOD_c") == "b_MOD_c");
    CHECK(strip_module_name("__a_mp_x_MOD_b_mp_c") == "b_mp_c");
    CHECK(strip_module_name("__solver_MOD_") == "__solver_MOD_");
    CHECK(strip_module_name("plain") == "plain");
    CHECK(strip_module_name("a_Mp_b") == "a_Mp_b");
    CHECK(strip_module_name("") == "");
}

TEST_CASE("C++ symbols are demangled", "[names]") {
    CHECK(demangle("_Z3fooi") == "foo(int)");
    CHECK(demangle("_ZNSt6vectorIiSaIiEE9push_backERKi") ==
          "std::vector<int, std::allocator<int> >::push_back(int const&)");
    CHECK(demangle("_ZN1AC2ERKS_") == "A::A(A const&)");
    CHECK(demangle("_Z3fooi.constprop.0") == "foo(int) [clone .constprop.0]");
    CHECK(demangle("_Z3fooi.part.1.cold") == "foo(int) [clone .part.1] [clone .cold]");
    CHECK(demangle("_Z3fooi.") == "foo(int) [clone .]");
    CHECK(demangle("_Z3fooB5cxx11i") == "foo[abi:cxx11](int)");
}

TEST_CASE("other symbols are left alone", "[names]") {
    for (const char* symbol : {"", "i", "main", "Pv", "_Z", "_Z3fo", "_Z.constprop.0", "solve_",
                               "_Rust", "_GLOBAL__sub_I_main", "Z3fooi", " _Z3fooi"}) {
        INFO(symbol);
        CHECK(demangle(symbol) == "");
    }
}

namespace {

struct ShortName {
    const char* demangled;
    const char* name;
    const char* with_parameters;
};

// Some are in the notation of GNU's demangler, some in LLVM's.
const ShortName short_names[] = {
    {"f(int)", "f", "f(int)"},
    {"f()", "f", "f()"},
    {"main", "main", "main"},
    {"A::f() const", "A::f", "A::f() const"},
    {"A::f(int) const volatile &&", "A::f", "A::f(int) const volatile &&"},
    {"A<int>::~A()", "A<int>::~A", "A<int>::~A()"},
    {"ns::f(int, unsigned long)", "ns::f", "ns::f(int,unsigned long)"},
    {"f[abi:cxx11](int)", "f", "f(int)"},
    {"f[abi:cxx11]<int>(int)", "f<int>", "f<int>(int)"},
    {"(anonymous namespace)::f(int)", "(anonymous namespace)::f", "(anonymous namespace)::f(int)"},
    {"f((anonymous namespace)::A)", "f", "f((anonymous namespace)::A)"},
    // return types
    {"void quicksort<int>(int*, int*)", "quicksort<int>", "quicksort<int>(int*,int*)"},
    {"unsigned long const& f<int>()", "f<int>", "f<int>()"},
    {"std::vector<A, B>::iterator f<int>()", "f<int>", "f<int>()"},
    {"(anonymous namespace)::A f<int>(int)", "f<int>", "f<int>(int)"},
    {"decltype ({parm#1}+{parm#2}) add<int, int>(int, int)", "add<int,int>",
     "add<int,int>(int,int)"},
    {"decltype ({parm#1}<{parm#2}) less<int>(int)", "less<int>", "less<int>(int)"},
    {"decltype (({parm#1}.begin)()) begin<A>(A&)", "begin<A>", "begin<A>(A&)"},
    {"decltype(fp + fp0) add<int, int>(int, int)", "add<int,int>", "add<int,int>(int,int)"},
    {"decltype(auto) f<int>(int)", "f<int>", "f<int>(int)"},
    {"std::enable_if<((sizeof (int))>(2)), int>::type f<int>(int)", "f<int>", "f<int>(int)"},
    {"std::enable_if<(sizeof (int))>>(2), int>::type f<int>(int)", "f<int>", "f<int>(int)"},
    {"f<A<decltype(x)>>(int)", "f<A<decltype(x)>>", "f<A<decltype(x)>>(int)"},
    {"std::enable_if<(sizeof(int)) < (8), int>::type f<int>(int)", "f<int>", "f<int>(int)"},
    {"void (*get(int))(double)", "get", "get(int)"},
    {"void (*get<int>(int))(double)", "get<int>", "get<int>(int)"},
    {"void (*(*get<int>())(int))(double)", "get<int>", "get<int>()"},
    {"int (&ref<int>())[3]", "ref<int>", "ref<int>()"},
    {"int (A<int>::*member<int>(int))(long)", "member<int>", "member<int>(int)"},
    {"int A::*data<int>(int)", "data<int>", "data<int>(int)"},
    // parameters
    {"f(void (*)(int), int (&) [3])", "f", "f(void (*)(int),int (&) [3])"},
    {"f(int (A::*)(B) const)", "f", "f(int (A::*)(B) const)"},
    {"f(std::function<void (int)>)", "f", "f(std::function<void (int)>)"},
    {"f(void (*)(int) noexcept)", "f", "f(void (*)(int) noexcept)"},
    // operators
    {"A::operator()(int) const", "A::operator()", "A::operator()(int) const"},
    {"A::operator[](int)", "A::operator[]", "A::operator[](int)"},
    {"A::operator->() const", "A::operator->", "A::operator->() const"},
    {"A::operator->*(int)", "A::operator->*", "A::operator->*(int)"},
    {"A::operator,(int)", "A::operator,", "A::operator,(int)"},
    {"A::operator&&(A)", "A::operator&&", "A::operator&&(A)"},
    {"A::operator*()", "A::operator*", "A::operator*()"},
    {"A::operator<=>(A const&) const", "A::operator<=>", "A::operator<=>(A const&) const"},
    {"operator<(A, A)", "operator<", "operator<(A,A)"},
    {"operator>>(A, int)", "operator>>", "operator>>(A,int)"},
    {"bool operator< <int>(A<int>)", "operator< <int>", "operator< <int>(A<int>)"},
    {"bool operator<<int>(A<int>)", "operator< <int>", "operator< <int>(A<int>)"},
    {"A& operator<< <int>(A&)", "operator<< <int>", "operator<< <int>(A&)"},
    {"A& operator<<<int>(A&)", "operator<< <int>", "operator<< <int>(A&)"},
    {"bool operator><int>(A<int>)", "operator><int>", "operator><int>(A<int>)"},
    {"operator new[](unsigned long)", "operator new[]", "operator new[](unsigned long)"},
    {"operator delete(void*)", "operator delete", "operator delete(void*)"},
    {"km operator\"\" _km(long double)", "operator\"\" _km", "operator\"\" _km(long double)"},
    {"A::operator int() const", "A::operator int", "A::operator int() const"},
    {"A::operator unsigned long()", "A::operator unsigned long", "A::operator unsigned long()"},
    {"A::operator newer()", "A::operator newer", "A::operator newer()"},
    {"A::operator std::string()", "A::operator std::string", "A::operator std::string()"},
    {"A::operator char const*() const", "A::operator char const*",
     "A::operator char const*() const"},
    {"A::operator B<int, int>()", "A::operator B<int,int>", "A::operator B<int,int>()"},
    {"A::operator void (*)(int)() const", "A::operator void (*)(int)",
     "A::operator void (*)(int)() const"},
    {"A::operator (anonymous namespace)::B()", "A::operator (anonymous namespace)::B",
     "A::operator (anonymous namespace)::B()"},
    {"my_operator(int)", "my_operator", "my_operator(int)"},
    {"operators::f(int)", "operators::f", "operators::f(int)"},
    // local entities
    {"f(int)::Local::g()", "f::Local::g", "f(int)::Local::g()"},
    {"A::f(int) const::Local::g() const", "A::f::Local::g", "A::f(int) const::Local::g() const"},
    {"void f<int>(int)::Local::g()", "f<int>::Local::g", "f<int>(int)::Local::g()"},
    {"main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()",
     "main::{lambda(int)#1}::operator()(int) const"},
    {"auto f(int)::{lambda(auto:1, auto:2)#2}::operator()<int, A>(int, A) const",
     "f::{lambda(auto:1,auto:2)#2}::operator()<int,A>",
     "f(int)::{lambda(auto:1,auto:2)#2}::operator()<int,A>(int,A) const"},
    {"main::'lambda0'(int)::operator()(int) const", "main::'lambda0'(int)::operator()",
     "main::'lambda0'(int)::operator()(int) const"},
    {"void run<f(int)::{lambda()#1}>(f(int)::{lambda()#1})", "run<f(int)::{lambda()#1}>",
     "run<f(int)::{lambda()#1}>(f(int)::{lambda()#1})"},
    {"{unnamed type#1}::f()", "{unnamed type#1}::f", "{unnamed type#1}::f()"},
    // template arguments
    {"void g<(E)1>()", "g<(E)1>", "g<(E)1>()"},
    {"void g<&(f(int))>()", "g<&(f(int))>", "g<&(f(int))>()"},
    {"void g<(char)60>()", "g<(char)60>", "g<(char)60>()"},
    {"void g<decltype (((A*)0)->x)>(int)", "g<decltype (((A*)0)->x)>",
     "g<decltype (((A*)0)->x)>(int)"},
    {"void g<\"<char const [4]>\">(int)", "g<\"<char const [4]>\">",
     "g<\"<char const [4]>\">(int)"},
    {"void g<&(A::operator>(int))>()", "g<&(A::operator>(int))>", "g<&(A::operator>(int))>()"},
    {"void g<((1)>>(2)), A<B<int> > >()", "g<((1)>>(2)),A<B<int>>>", "g<((1)>>(2)),A<B<int>>>()"},
    {"void g<int, A<int> >(A<A<int> >, B)", "g<int,A<int>>", "g<int,A<int>>(A<A<int>>,B)"},
    {"void g<>()", "g<>", "g<>()"},
    // made by the compiler
    {"f(int) [clone .constprop.0]", "f", "f(int)"},
    {"f(int) [clone .part.1] [clone .cold]", "f", "f(int)"},
    {"f(int) (.cold)", "f", "f(int)"},
    {"A::data [clone .cold]", "A::data", "A::data"},
    {"virtual thunk to B::f(int)", "virtual thunk to B::f", "virtual thunk to B::f(int)"},
    {"non-virtual thunk to B::f() const", "non-virtual thunk to B::f",
     "non-virtual thunk to B::f() const"},
    {"guard variable for f(int)::x", "guard variable for f::x", "guard variable for f(int)::x"},
    {"vtable for std::vector<int, std::allocator<int> >", "vtable for std::vector<int>",
     "vtable for std::vector<int>"},
    {"TLS init function for A::x", "TLS init function for A::x", "TLS init function for A::x"},
    // the standard library
    {"std::map<int, A, std::less<int>, std::allocator<std::pair<int const, A> > >::find(int "
     "const&)",
     "std::map<int,A>::find", "std::map<int,A>::find(int const&)"},
    {"std::map<int, A, std::greater<int>, std::allocator<std::pair<int const, A> > >::clear()",
     "std::map<int,A,std::greater<int>>::clear", "std::map<int,A,std::greater<int>>::clear()"},
    {"std::set<int, std::less<void>, std::allocator<int> >::clear()",
     "std::set<int,std::less<void>>::clear", "std::set<int,std::less<void>>::clear()"},
    {"std::vector<int, my::allocator<int> >::clear()", "std::vector<int,my::allocator<int>>::clear",
     "std::vector<int,my::allocator<int>>::clear()"},
    {"std::vector<int, std::allocator<long> >::clear()",
     "std::vector<int,std::allocator<long>>::clear",
     "std::vector<int,std::allocator<long>>::clear()"},
    {"my::vector<int, std::allocator<int> >::clear()", "my::vector<int,std::allocator<int>>::clear",
     "my::vector<int,std::allocator<int>>::clear()"},
    {"mystd::vector<int, std::allocator<int> >::f()", "mystd::vector<int,std::allocator<int>>::f",
     "mystd::vector<int,std::allocator<int>>::f()"},
    {"std::unordered_map<std::string, std::vector<int, std::allocator<int> >, "
     "std::hash<std::string>, std::equal_to<std::string>, std::allocator<std::pair<std::string "
     "const, std::vector<int, std::allocator<int> > > > >::clear()",
     "std::unordered_map<std::string,std::vector<int>>::clear",
     "std::unordered_map<std::string,std::vector<int>>::clear()"},
    {"std::unique_ptr<A, std::default_delete<A> >::reset(A*)", "std::unique_ptr<A>::reset",
     "std::unique_ptr<A>::reset(A*)"},
    {"std::priority_queue<int, std::vector<int, std::allocator<int> >, std::less<int> >::pop()",
     "std::priority_queue<int>::pop", "std::priority_queue<int>::pop()"},
    {"std::stack<int, std::deque<int, std::allocator<int> > >::pop()", "std::stack<int>::pop",
     "std::stack<int>::pop()"},
    {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::size() "
     "const",
     "std::string::size", "std::string::size() const"},
    {"std::__1::basic_string<wchar_t, std::__1::char_traits<wchar_t>, "
     "std::__1::allocator<wchar_t>>::size() const",
     "std::wstring::size", "std::wstring::size() const"},
    {"f(std::basic_string_view<char8_t, std::char_traits<char8_t> >)", "f",
     "f(std::u8string_view)"},
    {"f(std::basic_ostream<char, std::char_traits<char> >&)", "f", "f(std::ostream&)"},
    {"f(std::basic_ostream<char16_t, std::char_traits<char16_t> >&)", "f",
     "f(std::basic_ostream<char16_t>&)"},
    {"std::basic_string<char, my::traits, std::allocator<char> >::size() const",
     "std::basic_string<char,my::traits>::size",
     "std::basic_string<char,my::traits>::size() const"},
    {"std::chrono::_V2::system_clock::now()", "std::chrono::system_clock::now",
     "std::chrono::system_clock::now()"},
    // no declarations
    {"", "", ""},
    {"(", "(", "("},
    {"<<<<", "<<<<", "<<<<"},
    {"operator", "operator", "operator"},
    {"f(int", "f", "f(int"},
    {"f<int", "f<int", "f<int"},
};

}  // namespace

TEST_CASE("short C++ names", "[names]") {
    for (const ShortName& expected : short_names) {
        INFO(expected.demangled);
        CHECK(short_cxx_name(expected.demangled) == expected.name);
        CHECK(short_cxx_name_with_parameters(expected.demangled) == expected.with_parameters);
        // Names that are already short do not change.
        CHECK(short_cxx_name(expected.name) == expected.name);
    }
}

TEST_CASE("no text is too strange to be shortened", "[names]") {
    const char* const pieces[] = {"operator",
                                  "<",
                                  ">",
                                  "(",
                                  ")",
                                  "[",
                                  "]",
                                  "{",
                                  "}",
                                  ",",
                                  " ",
                                  "::",
                                  "std::",
                                  "vector",
                                  "<int",
                                  ", std::allocator<int>",
                                  "->",
                                  "decltype",
                                  "*",
                                  "&",
                                  "\"",
                                  "'",
                                  "lambda",
                                  "__cxx11::",
                                  "(anonymous namespace)",
                                  "basic_string<char",
                                  " const",
                                  "f",
                                  "[abi:x]",
                                  " [clone .a]",
                                  "virtual thunk to ",
                                  "new",
                                  "\xc3\xa9"};
    std::mt19937 random(7);
    for (int i = 0; i < 20000; i++) {
        std::string text;
        for (std::size_t n = random() % 12; n > 0; n--)
            text += pieces[random() % std::size(pieces)];
        INFO(text);
        // Shortening must not invent anything; it may only add a few blanks.
        REQUIRE(short_cxx_name(text).size() <= text.size() + 12);
        REQUIRE(short_cxx_name_with_parameters(text).size() <= text.size() + 12);
        REQUIRE(short_cxx_name(text).empty() == text.empty());
    }
    for (const char* piece : {"<", "(", "A<", "f(", "(*", "std::vector<", "operator ", "operator<",
                              "{", "\"", "decltype(", "int (*f("}) {
        INFO(piece);
        std::string text;
        for (int i = 0; i < 20000; i++)
            text += piece;
        REQUIRE(short_cxx_name(text).size() <= text.size() + 20000);
        REQUIRE(short_cxx_name_with_parameters(text).size() <= text.size() + 20000);
    }
}

TEST_CASE("the middle of long names is left out", "[names]") {
    CHECK(shorten_middle("abcdefgh", 8) == "abcdefgh");
    CHECK(shorten_middle("abcdefghi", 8) == "abc...hi");
    CHECK(shorten_middle("abcdefghijklmnopqrstuvwxyz", 9) == "abc...xyz");
    CHECK(shorten_middle("", 8) == "");
    // é is one character of two bytes
    std::string accents;
    for (int i = 0; i < 10; i++)
        accents += "\xc3\xa9";
    CHECK(shorten_middle(accents, 10) == accents);
    CHECK(shorten_middle(accents, 9) == "\xc3\xa9\xc3\xa9\xc3\xa9...\xc3\xa9\xc3\xa9\xc3\xa9");
    // Invalid UTF-8 must do no harm.
    CHECK(shorten_middle("\x80\x80\x80", 8) == "\x80\x80\x80");
    CHECK(shorten_middle("\xff\xff\xff\xff\xff\xff\xff\xff\xff", 8) == "\xff\xff\xff...\xff\xff");
}

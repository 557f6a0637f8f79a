// The choice of worthless functions, and lists of them for other tools.
#include "filter/filter_formats.hpp"
#include "filter/gcc_names.hpp"
#include "filter/worthless_functions.hpp"

#include <catch2/catch.hpp>

using namespace vftrace;
using Names = std::vector<std::string>;

namespace {

class ProfileBuilder {
  public:
    ProfileBuilder() { function("init", NodeKind::root); }

    std::uint32_t function(const std::string& symbol, NodeKind kind = NodeKind::function,
                           const std::string& demangled = "") {
        Function f;
        f.symbol = kind == NodeKind::function ? symbol : "";
        f.name = f.display = symbol;
        f.demangled = demangled;
        f.kind = kind;
        profile.functions.push_back(f);
        return static_cast<std::uint32_t>(profile.functions.size() - 1);
    }
    std::uint32_t path(std::uint32_t parent, std::uint32_t function, std::uint64_t calls,
                       std::int64_t exclusive_ns, std::int64_t overhead_ns) {
        Path p;
        p.parent = parent;
        p.function = function;
        p.calls = calls;
        p.exclusive_ns = exclusive_ns;
        p.overhead_ns = overhead_ns;
        profile.paths.push_back(p);
        return static_cast<std::uint32_t>(profile.paths.size() - 1);
    }

    Profile profile;
};

Names worthless(const Profile& profile, const WorthlessLimits& limits = {}) {
    Names names;
    for (const FunctionCost& cost : worthless_functions(profile, limits))
        names.push_back(profile.functions[cost.function].name);
    return names;
}

// A program in which `getter` and `setter` are worthless.
ProfileBuilder solver() {
    ProfileBuilder b;
    const auto root = b.path(no_index, 0, 0, 0, 0);
    const auto main = b.path(root, b.function("main"), 1, 100, 1'000'000);
    const auto work = b.path(main, b.function("work"), 10, 1'900'000'000, 200);
    const auto getter = b.function("getter"), setter = b.function("setter");
    b.path(work, getter, 1'000'000, 2'000'000, 20'000'000);
    b.path(main, getter, 1'000'000, 2'000'000, 20'000'000);
    b.path(work, setter, 3'000'000, 119'000'000, 60'000'000);
    b.path(work, b.function("slow"), 3'000'000, 121'000'000, 60'000'000);
    b.path(work, b.function("rare"), 10, 10, 200);
    return b;
}

}  // namespace

TEST_CASE("a function is worthless if its hooks cost much of its time and matter in total",
          "[filter]") {
    const Profile profile = solver().profile;
    CHECK(worthless(profile) == Names{"setter", "slow", "getter"});
    CHECK(worthless(profile, {.share = 0.5}) == Names{"setter", "getter"});
    CHECK(worthless(profile, {.share = 2}) == Names{"getter"});
    CHECK(worthless(profile, {.min_overhead = 0.045}) == Names{"setter", "slow"});
    CHECK(worthless(profile, {.min_overhead = 0}) == Names{"setter", "slow", "getter", "rare"});
    CHECK(worthless(profile, {.min_calls = 2'000'001}) == Names{"setter", "slow"});
    const auto cost = worthless_functions(profile, {.share = 0.5})[1];
    CHECK(cost.calls == 2'000'000);
    CHECK(cost.exclusive_ns == 4'000'000);
    CHECK(cost.overhead_ns == 40'000'000);
}

TEST_CASE("functions whose hooks were removed during the run are worthless", "[filter]") {
    ProfileBuilder b = solver();
    b.profile.filtered.push_back(
        {b.function("tiny"), 100, 10, 30'000'000, 5, FilterReason::budget});
    b.profile.filtered.push_back({b.function("unused"), 0, 0, 0, -1, FilterReason::excluded});
    const WorthlessLimits limits{.min_overhead = 0.5, .min_calls = 1000};
    CHECK(worthless(b.profile, limits) == Names{"tiny", "unused"});
    CHECK(worthless_functions(b.profile, limits)[0].filtered);
    CHECK(worthless(b.profile) == Names{"setter", "slow", "getter", "tiny", "unused"});
}

TEST_CASE("a function that takes a tenth of the time may have half of it as overhead", "[filter]") {
    ProfileBuilder b;
    const auto root = b.path(no_index, 0, 0, 0, 0);
    const auto work = b.path(root, b.function("work"), 1, 790'000'000, 100);
    const auto kernel = b.path(work, b.function("kernel"), 1'000'000, 110'000'000, 54'000'000);
    b.path(work, b.function("helper"), 1'000'000, 99'000'000, 5'000'000);
    CHECK(worthless(b.profile) == Names{"helper"});
    b.profile.paths[kernel].overhead_ns = 56'000'000;
    CHECK(worthless(b.profile) == Names{"kernel", "helper"});
}

TEST_CASE("many small functions are worth leaving out together", "[filter]") {
    ProfileBuilder b;
    const auto root = b.path(no_index, 0, 0, 0, 0);
    const auto work = b.path(root, b.function("work"), 1, 990'000'000, 100);
    for (int i = 0; i < 100; i++)
        b.path(work, b.function("small" + std::to_string(i)), 10'000, 100'000, 90'000);
    // 11 of them together remain below a thousandth of the second.
    CHECK(worthless(b.profile).size() == 89);
    CHECK(worthless(b.profile, {.min_overhead = 0}).size() == 100);
}

TEST_CASE("callers of MPI, OpenMP, regions and threads stay", "[filter]") {
    const NodeKind kind =
        GENERATE(NodeKind::mpi, NodeKind::openmp, NodeKind::region, NodeKind::thread);
    ProfileBuilder b = solver();
    const auto caller = b.function("exchange"), setter = std::uint32_t{4};
    REQUIRE(b.profile.functions[setter].name == "setter");
    const auto path = b.path(2, caller, 1'000'000, 1'000'000, 20'000'000);
    const auto below = b.path(path, setter, 1, 1, 1);
    b.path(below, b.function("MPI_Send", kind), 1, 1, 1);
    CHECK(worthless(b.profile) == Names{"slow", "getter"});
}

TEST_CASE("a profile of nothing has no worthless functions", "[filter]") {
    CHECK(worthless(Profile{}).empty());
    ProfileBuilder b;
    b.path(no_index, 0, 0, 0, 0);
    CHECK(worthless(b.profile).empty());
    // Overhead that is larger than the time leaves less than nothing.
    b.path(0, b.function("tiny"), 10, -50, 200);
    CHECK(worthless(b.profile) == Names{"tiny"});
}

TEST_CASE("C++ names in the form that gcc uses", "[filter]") {
    auto [demangled, name] = GENERATE(table<const char*, const char*>({
        {"mesh::Field::at(int, long) const", "mesh::Field::at"},
        {"f1(int)", "f1"},
        {"mesh::(anonymous namespace)::hidden(int)", "mesh::{anonymous}::hidden"},
        {"long mesh::(anonymous namespace)::hid<long>(long)", "mesh::{anonymous}::hid<long int>"},
        {"int mesh::pick<int, long>(int, long)", "mesh::pick<int, long int>"},
        {"unsigned char pick<unsigned char, unsigned long>(unsigned char, unsigned long)",
         "pick<unsigned char, long unsigned int>"},
        {"id<unsigned long long>()", "id<long long unsigned int>"},
        {"long long pick<long long, unsigned short>(long long, short)",
         "pick<long long int, short unsigned int>"},
        {"long double id<long double>(long double)", "id<long double>"},
        {"int* id<int*>(int*)", "id<int*>"},
        {"char const* const id<char const* const>(char const* const)", "id<const char* const>"},
        {"int var<int, long, char const*>(int)", "var<int, long int, const char*>"},
        {"int unum<3ul>()", "unum<3>"},
        {"int S::v<>()", "S::v<>"},
        {"mesh::Box<std::pair<int, long> >::get() const",
         "mesh::Box<std::pair<int, long int> >::get"},
        {"mesh::Box<std::vector<unsigned long, std::allocator<unsigned long> > >::~Box()",
         "mesh::Box<std::vector<long unsigned int> >::~Box"},
        {"int same<std::map<std::__cxx11::basic_string<char, std::char_traits<char>, "
         "std::allocator<char> >, int, std::less<std::__cxx11::basic_string<char, "
         "std::char_traits<char>, std::allocator<char> > >, std::allocator<std::pair<"
         "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const, "
         "int> > > >(int)",
         "same<std::map<std::__cxx11::basic_string<char>, int> >"},
        {"S::operator!=(S const&) const", "S::operator!="},
        {"S::operator->()", "S::operator->"},
        {"F::operator()(int, int)", "F::operator()"},
        {"mesh::Field::operator int() const", "mesh::Field::operator int"},
        {"Box<int>::operator std::pair<int, long>*()",
         "Box<int>::operator std::pair<int, long int>*"},
        {"foo(int)::In::m()", "In::m"},
        {"A::foo(int) const::In::m()", "In::m"},
        {"foo(int)::{lambda(int)#1}::operator()(int) const", "<lambda(int)>::operator()"},
        {"main::{lambda(int, long)#1}::operator()(int, long) const",
         "<lambda(int, long int)>::operator()"},
        {"longest::shorten()", "longest::shorten"},
        {"a::long_name<b::unsigned_thing>()", "a::long_name<b::unsigned_thing>"},
        {"f(int) [clone .constprop.0]", "f"},
        {"std::vector<A::f()::B, std::allocator<A::f()::B> >::size() const",
         "std::vector<A::f()::B>::size"},
        {"int en<(E)1>()", ""},
        {"int call<main::{lambda(int)#1}>(main::{lambda(int)#1})", ""},
        {"", ""},
    }));
    CAPTURE(demangled);
    const Names names = gcc_cxx_names(demangled);
    CHECK((names.empty() ? "" : names.front()) == std::string(name));
}

TEST_CASE("gcc prints defaulted arguments of some types", "[filter]") {
    auto [demangled, names] = GENERATE(table<const char*, Names>({
        {"std::vector<double, std::allocator<double> >::operator[](unsigned long)",
         {"std::vector<double>::operator[]",
          "std::vector<double, std::allocator<double> >::operator[]"}},
        // A type that is repeated is always printed in the same way, ...
        {"bool __gnu_cxx::operator==<long*, std::vector<long, std::allocator<long> >, "
         "std::vector<long, std::allocator<long> > >(int)",
         {"__gnu_cxx::operator==<long int*, std::vector<long int>, std::vector<long int> >",
          "__gnu_cxx::operator==<long int*, std::vector<long int, std::allocator<long int> >, "
          "std::vector<long int, std::allocator<long int> > >"}},
        // ... and another type in its own way; strings are named before all else.
        {"std::set<A<std::vector<B, std::allocator<B> > >, "
         "std::less<A<std::vector<B, std::allocator<B> > > >, "
         "std::allocator<A<std::vector<B, std::allocator<B> > > > >::size() const",
         {"std::set<A<std::vector<B> > >::size",
          "std::set<A<std::vector<B, std::allocator<B> > > >::size",
          "std::set<A<std::vector<B> >, std::less<A<std::vector<B> > >, "
          "std::allocator<A<std::vector<B> > > >::size",
          "std::set<A<std::vector<B, std::allocator<B> > >, "
          "std::less<A<std::vector<B, std::allocator<B> > > >, "
          "std::allocator<A<std::vector<B, std::allocator<B> > > > >::size"}},
        {"std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, "
         "std::allocator<char> >, std::allocator<std::__cxx11::basic_string<char, "
         "std::char_traits<char>, std::allocator<char> > > >::back()",
         {"std::vector<std::__cxx11::basic_string<char> >::back",
          "std::vector<std::__cxx11::basic_string<char>, "
          "std::allocator<std::__cxx11::basic_string<char> > >::back"}},
        {"std::unique_ptr<int, mine::Delete>::get() const",
         {"std::unique_ptr<int, mine::Delete>::get"}},
        {"f(std::vector<A, std::allocator<A> >)::In<std::vector<B, std::allocator<B> > >::m()",
         {"In<std::vector<B> >::m", "In<std::vector<B, std::allocator<B> > >::m"}},
    }));
    CHECK(gcc_cxx_names(demangled) == names);
    // If there are many types, all or none of them.
    CHECK(
        gcc_cxx_names("void f<std::vector<A, std::allocator<A> >, "
                      "std::vector<B, std::allocator<B> >, std::vector<C, std::allocator<C> >, "
                      "std::vector<D, std::allocator<D> >, std::vector<E, std::allocator<E> > "
                      ">()") ==
        Names{"f<std::vector<A>, std::vector<B>, std::vector<C>, std::vector<D>, std::vector<E> >",
              "f<std::vector<A, std::allocator<A> >, std::vector<B, std::allocator<B> >, "
              "std::vector<C, std::allocator<C> >, std::vector<D, std::allocator<D> >, "
              "std::vector<E, std::allocator<E> > >"});
}

TEST_CASE("names of C and Fortran functions in the form that gcc uses", "[filter]") {
    auto [symbol, name] = GENERATE(table<const char*, const char*>({
        {"solve", "solve"},
        {"solve_", "solve"},
        {"__geometry_MOD_advance", "advance"},
        {"solve.constprop.0", "solve"},
        {"", ""},
    }));
    Function function;
    function.symbol = symbol;
    CHECK(gcc_names(function) == (*name ? Names{name} : Names{}));
}

TEST_CASE("a flag for gcc leaves out nothing else", "[filter]") {
    ProfileBuilder b;
    const auto at = b.function("_ZN5Field2atEv", NodeKind::function, "Field::at()");
    const auto both = b.function("_ZN5Field4bothEv", NodeKind::function, "Field::both()");
    const auto pair = b.function("_Z4pairIilEvv", NodeKind::function, "void pair<int, long>()");
    const auto more = b.function("_Z5moreii", NodeKind::function, "Field::both_more()");
    b.function("_ZN5Field8at_pointEv", NodeKind::function, "Field::at_point()");
    const auto other = b.function("_ZN5Field4otherEv", NodeKind::function, "Field::other()");
    b.function("_ZN5Field8other_toEv", NodeKind::function, "Field::other_to()");
    const auto root = b.path(no_index, 0, 0, 0, 0);
    b.path(root, at, 10, 0, 100);
    b.path(root, 5, 10, 1'000'000, 100);  // Field::at_point matters, Field::other_to does not
    b.path(root, 7, 10, 900, 100);
    const auto closure = b.function("_Z2", NodeKind::function, "int call<f()::{lambda()#1}>(int)");
    const FilterText filter = filter_for_gcc(b.profile, {at, both, pair, more, other, closure});
    CHECK(filter.text == "\"-finstrument-functions-exclude-function-list="
                         "Field::both,Field::other,pair<int\\\\, long int>\"\n");
    REQUIRE(filter.omitted.size() == 2);
    CHECK(filter.omitted[0].function == at);
    CHECK(filter.omitted[0].why == "gcc would then also leave out _ZN5Field8at_pointEv");
    CHECK(filter.omitted[1].function == closure);
    CHECK(filter_for_gcc(b.profile, {}).text.empty());
    CHECK(filter_for_gcc(b.profile, {at}).text.empty());
}

TEST_CASE("a flag for gcc is as long as gcc allows", "[filter]") {
    ProfileBuilder b;
    std::vector<std::uint32_t> functions;
    for (int i = 0; i < 4000; i++)
        functions.push_back(
            b.function("function_number_" + std::to_string(10'000 + i) + "_of_many"));
    b.path(no_index, 0, 0, 0, 0);
    const FilterText filter = filter_for_gcc(b.profile, functions);
    CHECK(filter.text.size() > 90'000);
    CHECK(filter.text.size() < 110'000);
    CHECK(filter.text.find("function_number_10000_") != std::string::npos);
    REQUIRE(!filter.omitted.empty());
    CHECK(filter.omitted.back().function == functions.back());
    CHECK(filter.omitted.back().why == "the list is as long as gcc allows");
}

TEST_CASE("patterns and filter files name symbols exactly", "[filter]") {
    ProfileBuilder b;
    const auto first = b.function("_Z2atIcEvT_"), second = b.function("solve.part.0"),
               third = b.function("a$b"), none = b.function("");
    CHECK(filter_pattern(b.profile, {first, second, third}).text ==
          "^(_Z2atIcEvT_|solve\\.part\\.0|a\\$b)$\n");
    CHECK(filter_configuration(b.profile, {second}).text ==
          "{\n   \"filter\": {\n      \"exclude\": \"^(solve\\\\.part\\\\.0)$\"\n   }\n}\n");
    CHECK(filter_for_scorep(b.profile, {first, third}).text ==
          "SCOREP_REGION_NAMES_BEGIN\n  EXCLUDE MANGLED\n    _Z2atIcEvT_\n    a$b\n"
          "SCOREP_REGION_NAMES_END\n");
    const FilterText without = filter_pattern(b.profile, {none});
    CHECK(without.text.empty());
    REQUIRE(without.omitted.size() == 1);
    CHECK(without.omitted[0].why == "it does not have a symbol");
}

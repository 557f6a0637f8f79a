// The names that VFTRACE_FUNCTION_REGION makes from the compiler's names of functions.
#include "../../include/vftrace.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <string>

// The header's inline functions refer to the library, which is not part of this test.
extern "C" void vftrace_region_begin(const char*) {}
extern "C" void vftrace_region_end(const char*) {}

namespace {

// The result is allocated unless it is the signature itself.
std::string name_of(const char* signature) {
    const char* const name = vftrace::detail::qualified_name(signature);
    const std::string copy = name;
    if (name != signature) {
        std::free(const_cast<char*>(name));
    }
    return copy;
}

}  // namespace

TEST_CASE("return type and parameters are removed", "[qualified_name]") {
    CHECK(name_of("int main()") == "main");
    CHECK(name_of("virtual const char* ns::V::get(std::function<int(int, int)>) const") ==
          "ns::V::get");
    CHECK(name_of("virtual const char *ns::V::get(std::function<int (int, int)>) const") ==
          "ns::V::get");
    CHECK(name_of("static std::pair<int, std::string> ns::V::pr(int (*)(int))") == "ns::V::pr");
    CHECK(name_of("int &ns::V::ref() &&") == "ns::V::ref");
    CHECK(name_of("ns::V::~V()") == "ns::V::~V");
}

TEST_CASE("template arguments stay", "[qualified_name]") {
    CHECK(name_of("void Field<T>::fill(T) const [with T = double]") ==
          "Field<T>::fill [with T = double]");
    CHECK(name_of("void Field<std::pair<int, long> >::fill(T) [T = std::pair<int, long>]") ==
          "Field<std::pair<int, long> >::fill [T = std::pair<int, long>]");
}

TEST_CASE("anonymous namespaces and local classes", "[qualified_name]") {
    CHECK(name_of("void ns::{anonymous}::L::m()") == "ns::{anonymous}::L::m");
    CHECK(name_of("void ns::(anonymous namespace)::L::m()") == "ns::(anonymous namespace)::L::m");
    CHECK(name_of("auto main()::Loc::go()") == "main()::Loc::go");
}

TEST_CASE("unusual names are kept whole", "[qualified_name]") {
    for (const char* signature :
         {"bool ns::F::operator<(const ns::F&) const", "bool ns::F::operator()(int) const",
          "ns::V::operator std::string() const", "void (* ns::retfp(int))(double)",
          "main()::<lambda(int)>", "auto main()::(anonymous class)::operator()(int) const", "main",
          "", ")", "(", "()", " ()", "*()", "f)", ">", " [", "a b) [with T"}) {
        CAPTURE(signature);
        CHECK(name_of(signature) == signature);
    }
}

TEST_CASE("a real function", "[qualified_name]") {
    const std::string name = name_of(__PRETTY_FUNCTION__);
    CHECK(name.find('(') == std::string::npos);
    CHECK(name.find(' ') == std::string::npos);
}

// Bounds of demangling: names that grow without limit, and what is left of them.
#include "symbol/mangled_size.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cxxabi.h>
#include <random>

#include "symbol/abridge.hpp"
#include "symbol/names.hpp"

using namespace vftrace;

namespace {

std::string whole_name(const std::string& symbol) {
    int status = 0;
    char* text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
    std::string name = text ? text : "";
    std::free(text);
    return name;
}

const char* const symbols[] = {
    "_Z3fooi",
    "_ZN1AC2ERKS_",
    "_Z3fooB5cxx11i",
    "_ZNSt6vectorIiSaIiEE9push_backERKi",
    "_ZNKSt3mapISsSt6vectorIS_IiiSt4lessIiESaISt4pairIKiiEEESaIS7_EES1_ISsESaIS3_IKSsS9_"
    "EEE4findERSB_",
    "_ZSt11make_sharedIN5clang6interp7InitMapEJjEESt10shared_ptrINSt9enable_ifIXntsr8is_arrayIT_"
    "EE5valu"
    "eES5_E4typeEEDpOT0_",
    "_ZN4llvm10checkedAddIlEENSt9enable_ifIXsr3stdE11is_signed_vIT_EESt8optionalIS2_EE4typeES2_S2_",
    "_ZNSt6chrono13duration_castINS_8durationIlSt5ratioILl1ELl1000EEEElS2_ILl1ELl1EEEENSt9enable_"
    "ifIXsrN"
    "S_13__is_durationIT_EE5valueES8_E4typeERKNS1_IT0_T1_EE",
    "_ZZN1A1fEvENKUlT_E_clIiEEDaS0_",
    "_ZThn16_N1B1fEi",
    "_ZTVN10__cxxabiv117__class_type_infoE",
    "_ZGVZ1fvE1x",
    "_ZN12_GLOBAL__N_11AcvT_IiEEv",
    "_Z1gIXadL_Z1fiEEEvv",
    "_Z1gIXplLi1ELi2EEEvv",
    "_Z1fDv4_fPFvDnzEM1AKFivERA10_c",
    "_Z1fIJidEEDTcl1gspfp_EEDpT_",
};

// f(A<A<...>, the same>, ...): each level refers to the level below twice.
std::string doubling_symbol(int levels) {
    std::string symbol = "_Z1f1AIiiE";  // part 0: A; part 1: A<int, int>
    for (int level = 1; level <= levels; level++) {
        std::string number;
        for (int rest = level - 1, first = 1; first || rest > 0; first = 0, rest /= 36)
            number.insert(number.begin(), "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[rest % 36]);
        symbol += "S_IS" + number + "_S" + number + "_E";
    }
    return symbol;
}

}  // namespace

TEST_CASE("the demangled size is not underestimated", "[mangled_size]") {
    for (const std::string symbol : symbols) {
        INFO(symbol);
        const std::string name = whole_name(symbol);
        REQUIRE(!name.empty());
        CHECK(demangled_size(symbol) >= name.size());
        CHECK(demangled_size(symbol) <= 1000 + 60 * name.size());
        CHECK(without_long_repetitions(symbol, 1'000'000) == symbol);
        CHECK(demangle(symbol) == name);
    }
    for (const char* symbol :
         {"", "_Z", "main", "_Z3fo", "_ZN1A", "_Z1fS_", "_Z1fS9_", "_Z1fi junk"})
        CHECK(demangled_size(symbol) == unknown_size);
}

TEST_CASE("names that grow exponentially are demangled in short", "[mangled_size]") {
    for (const int levels : {3, 10}) {
        const std::string symbol = doubling_symbol(levels);
        INFO(symbol);
        const std::string name = whole_name(symbol);
        REQUIRE(!name.empty());
        CHECK(demangled_size(symbol) >= name.size());
        CHECK(demangle(symbol).size() <= longest_name);
    }
    for (const int levels : {20, 40, 100, 1000}) {
        const std::string symbol = doubling_symbol(levels);
        INFO(symbol);
        CHECK(demangled_size(symbol) > 1'000'000);
        const std::string shorter = without_long_repetitions(symbol, 100);
        CHECK(demangled_size(shorter) < 200 * symbol.size());
        const std::string name = demangle(symbol);
        CHECK(name.size() <= longest_name);
        if (levels == 1000)  // GNU's demangler refuses such long symbols
            continue;
        CHECK(name.starts_with("f(A<int, int>, A<A<int, int>, A<int, int> >, "));
        CHECK(name.find("...") != std::string::npos);
    }
}

TEST_CASE("no symbol is too strange to be measured", "[mangled_size]") {
    std::mt19937 random(3);
    const std::string_view letters = "SsIEJNZTDpLXKRPFAMUltcv0123456789_z";
    for (int i = 0; i < 20000; i++) {
        std::string symbol = symbols[random() % std::size(symbols)];
        for (std::size_t changes = random() % 5; changes > 0; changes--) {
            const std::size_t at = random() % symbol.size();
            if (random() % 2)
                symbol[at] = letters[random() % letters.size()];
            else
                symbol.insert(at, symbol.substr(random() % symbol.size(), random() % 20));
        }
        INFO(symbol);
        const std::uint64_t size = demangled_size(symbol);
        if (size != unknown_size && size < 100'000) {
            REQUIRE(demangle(symbol).size() <= longest_name);
        }
    }
    for (const char* piece :
         {"P", "N", "I", "sr3", "X", "L", "DpI", "1aI", "S_", "FvP", "Z", "Nsr"}) {
        std::string symbol = "_Z1fI";
        for (int i = 0; i < 20000; i++)
            symbol += piece;
        CHECK(demangle(symbol).size() <= longest_name);
    }
}

TEST_CASE("long names lose what is in their innermost brackets", "[mangled_size]") {
    std::string arguments, deep = "x";
    for (int i = 0; i < 2000; i++)
        arguments += "A<B<C>>, ";
    CHECK(abridged("f<" + arguments + "int>::g(int)") == "f<...>::g(...)");
    for (int i = 0; i < 1000; i++)
        deep = "A<" + deep + ", " + std::to_string(i) + ">";
    const std::string name = abridged(deep + "::f(int) const");
    CHECK(name.size() <= longest_name);
    CHECK(name.starts_with("A<A<A<"));
    CHECK(name.find("<...>, ") != std::string::npos);
    CHECK(name.ends_with("::f(int) const"));
    const std::string plain(10'000, 'x');
    CHECK(abridged(plain).size() <= longest_name);
    CHECK(abridged(plain).find("x...x") != std::string::npos);
    CHECK(abridged("f<int>(A->b)") == "f<int>(A->b)");
}

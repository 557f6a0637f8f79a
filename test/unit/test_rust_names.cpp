// Names of Rust functions, in both forms of their symbols.
#include "symbol/rust_names.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "symbol/abridge.hpp"
#include "symbol/names.hpp"

using namespace vftrace;

namespace {

// From rustc 1.95.
struct RustName {
    const char* symbol;
    const char* name;
};
const RustName rust_names[] = {
    {"_RNvCs1234_7mycrate4main", "mycrate::main"},
    {"_RNvNtNtCslJIg7ws2U9R_4bstr7unicode10whitespace18whitespace_len_fwd",
     "bstr::unicode::whitespace::whitespace_len_fwd"},
    {"_RNvMNtNtCsdadwybgsbvk_12rustc_middle2ty14typeck_resultsNtB2_13TypeckResults9node_args",
     "<rustc_middle::ty::typeck_results::TypeckResults>::node_args"},
    {"_RNvXs1j_NtCsfoXig8kEbyV_12simd_adler324hashAhj51_NtB8_11Adler32Hash4hash",
     "<[u8; 81] as simd_adler32::Adler32Hash>::hash"},
    {"_RNvXs9_NtNtCsbUZw8x40d0F_3nix3sys4timeNtB5_8TimeSpecNtNtNtCsgEmfK2I1SDS_"
     "4core3ops5arith3Sub3sub",
     "<nix::sys::time::TimeSpec as core::ops::arith::Sub>::sub"},
    {"_RINvCs1234_5hello7genericlE", "hello::generic::<i32>"},
    {"_RINvCs1234_5hello7genericThcEE", "hello::generic::<(u8, char)>"},
    {"_RINvCs1234_5hello7genericTxEE", "hello::generic::<(i64,)>"},
    {"_RNCNvCs1234_5hello4mains_0B3_", "hello::main::{closure#1}"},
    {"_RNvNtCs1234_5hello3cafu8gdel_5qa", "hello::caf::g\xc3\xb6"
                                          "del"},
    {"_RINvCs1234_5hello1fRLtQReE", ""},  // a lifetime that is not introduced
    {"_RINvCs1234_5hello1fReQSmPaOb", ""},
    {"_RINvCs1234_5hello1fReQSmPaObE", "hello::f::<&str, &mut [u32], *const i8, *mut bool>"},
    {"_RINvCs1234_5hello1fFUKCjEuE", "hello::f::<unsafe extern \"C\" fn(usize)>"},
    {"_RINvCs1234_5hello1fFG_RL0_eEhE", "hello::f::<for<'a> fn(&'a str) -> u8>"},
    {"_RINvCs1234_5hello1fDNtB2_1TEL_E", "hello::f::<dyn hello::T>"},
    {"_RINvCs1234_5hello1fDNtCs1234_5hello5ShapeEL_E", "hello::f::<dyn hello::Shape>"},
    {"_RINvCs1234_5hello1fKj3_Kb1_Kan2a_Kc41_KpE", "hello::f::<3, true, -42, 'A', _>"},
    {"_RINvCs1234_5hello1fKRe616263_E", "hello::f::<{\"abc\"}>"},
    {"_ZN5hello5apply17h0123456789abcdefE", "hello::apply"},
    {"_ZN70_$LT$alloc..vec..Vec$LT$T$C$A$GT$$u20$as$u20$core..ops..drop..Drop$GT$"
     "4drop17h00000000000000"
     "0aE",
     "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop"},
    {"_ZN5hello3caf12g$u7b$$u7d$x17h0123456789abcdefE.llvm.1234567890", "hello::caf::g{}x"},
};

}  // namespace

TEST_CASE("Rust symbols are demangled", "[rust_names]") {
    for (const RustName& expected : rust_names) {
        INFO(expected.symbol);
        CHECK(is_rust_symbol(expected.symbol));
        CHECK(demangle_rust(expected.symbol) == expected.name);
        CHECK(demangle(expected.symbol) == expected.name);
    }
    for (const char* symbol :
         {"", "_R", "main", "_Rust", "_ZN1A1fEv", "_ZN5hello17h0123456789abcdef",
          "_ZN5hello5apply17h0123456789abcdegE", "_ZN17h0123456789abcdefE"}) {
        INFO(symbol);
        CHECK(!is_rust_symbol(symbol));
        CHECK(demangle_rust(symbol) == "");
    }
}

TEST_CASE("Rust names that grow exponentially stay short", "[rust_names]") {
    // Tuples, each of the one before twice.
    std::string symbol = "_RINvC1a1fTll";
    symbol += "E";
    std::size_t last = std::string("INvC1a1f").size();
    for (int level = 0; level < 60; level++) {
        std::string number;
        for (std::size_t rest = last - 1, first = 1; first || rest > 0; first = 0, rest /= 62)
            number.insert(
                number.begin(),
                "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[rest % 62]);
        last = symbol.size() - 2;
        symbol += "TB" + number + "_B" + number + "_E";
    }
    symbol += "E";
    const std::string name = demangle(symbol);
    CHECK(name.starts_with("a::f::<(i32, i32), ((i32, i32), (i32, i32)), "));
    CHECK(name.find("...") != std::string::npos);
    CHECK(name.size() <= longest_name);
}

TEST_CASE("no Rust symbol is too strange", "[rust_names]") {
    std::mt19937 random(5);
    const std::string_view letters = "CMXYNIBRQPOTFDSAKLGUpusE0123456789_abe$.";
    for (int i = 0; i < 50000; i++) {
        std::string symbol = rust_names[random() % std::size(rust_names)].symbol;
        for (std::size_t changes = random() % 5; changes > 0; changes--) {
            const std::size_t at = 2 + random() % (symbol.size() - 2);
            if (random() % 2)
                symbol[at] = letters[random() % letters.size()];
            else
                symbol.insert(at, symbol.substr(random() % symbol.size(), random() % 20));
        }
        INFO(symbol);
        REQUIRE(demangle_rust(symbol).size() <= 100'000);
    }
    for (const char* piece : {"T", "R", "I", "NvC1a", "Y", "M", "B_", "FG_", "D", "KA"})
        for (const char* start : {"_RINvC1a1f", "_R"}) {
            std::string symbol = start;
            for (int i = 0; i < 20000; i++)
                symbol += piece;
            CHECK(demangle(symbol).size() <= longest_name);
        }
}

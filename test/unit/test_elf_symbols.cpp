// Symbol lookup in real, handmade and damaged ELF files.
#include "symbol/elf_symbols.hpp"

#include "elf_builder.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <link.h>
#include <random>
#include <sys/stat.h>

using vftrace::lookup_symbols;
using vftrace::ModuleSymbols;
using Names = std::vector<std::string>;

extern "C" __attribute__((noinline, used)) int vftrace_test_find_me(int x) { return x + 1; }

TEST_CASE("a function of this program is found by its address", "[elf_symbols]") {
    std::uint64_t bias = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* out) {
            *static_cast<std::uint64_t*>(out) = info->dlpi_addr;  // the first is the program
            return 1;
        },
        &bias);
    std::uint64_t address = reinterpret_cast<std::uint64_t>(&vftrace_test_find_me) - bias;
    ModuleSymbols symbols = lookup_symbols("/proc/self/exe", {address, address + 1, address});
    CHECK(symbols.error == "");
    CHECK(symbols.names == Names{"vftrace_test_find_me", "", "vftrace_test_find_me"});
}

TEST_CASE("every class and byte order is read", "[elf_symbols]") {
    TemporaryDirectory directory;
    std::string path = directory / "file";
    int elf_class = GENERATE(ELFCLASS32, ELFCLASS64);
    int byte_order = GENERATE(ELFDATA2LSB, ELFDATA2MSB);
    write_elf({.elf_class = elf_class,
               .byte_order = static_cast<unsigned char>(byte_order),
               .symtab = {{"one", 0x1000}, {"two", 0x2000}},
               .dynsym = {},
               .build_id = std::string("\x00\x7f\x80\xff\x01", 5),
               .debug_link = {},
               .checksum = 0},
              path);
    ModuleSymbols symbols = lookup_symbols(path, {0x2000, 0, 0x1000, 0x1001, 0x2000});
    CHECK(symbols.error == "");
    CHECK(symbols.build_id == "007f80ff01");
    CHECK(symbols.names == Names{"two", "", "one", "", "two"});
}

TEST_CASE("the choice among symbols at one address does not depend on their order",
          "[elf_symbols]") {
    TemporaryDirectory directory;
    std::string path = directory / "file";
    std::vector<TestSymbol> list = {{"a", 0x10, STB_LOCAL},
                                    {"b", 0x10, STB_WEAK},
                                    {"long_global", 0x10},
                                    {"global_2", 0x10},
                                    {"global_1", 0x10},
                                    {"x", 0x10, STB_GLOBAL, STT_OBJECT},
                                    {"u", 0x10, STB_GLOBAL, STT_FUNC, false},
                                    {"", 0x10},
                                    {"weak", 0x20, STB_WEAK},
                                    {"l", 0x20, STB_LOCAL},
                                    {"resolver", 0x30, STB_GLOBAL, STT_GNU_IFUNC},
                                    {"versioned@@LIB_2", 0x40},
                                    {"longer_than_it", 0x40},
                                    {"@odd", 0x50},
                                    {"data", 0x60, STB_GLOBAL, STT_OBJECT}};
    std::mt19937 random(1);
    for (int i = 0; i < 20; i++) {
        std::shuffle(list.begin(), list.end(), random);
        TestElf contents;
        (i % 2 ? contents.symtab : contents.dynsym) = list;
        write_elf(contents, path);
        REQUIRE(lookup_symbols(path, {0x10, 0x20, 0x30, 0x40, 0x50, 0x60}).names ==
                Names{"global_1", "weak", "resolver", "versioned", "@odd", ""});
    }
}

TEST_CASE(".symtab comes first, then the debug file, then .dynsym", "[elf_symbols]") {
    TemporaryDirectory directory;
    TestElf contents;
    contents.build_id = "0123456789abcdefghij";
    contents.symtab = {{"one", 0x1000}, {"debug_only", 0x2000}, {"debug_name", 0x3000}};
    write_elf(contents, directory / "program.debug");
    contents.symtab = {{"symtab_name", 0x1000}};
    contents.dynsym = {{"a", 0x1000}, {"b", 0x3000}, {"exported", 0x4000}};
    contents.debug_link = "program.debug";
    write_elf(contents, directory / "program");
    std::vector<std::uint64_t> offsets = {0x1000, 0x2000, 0x3000, 0x4000};
    CHECK(lookup_symbols(directory / "program", offsets).names ==
          Names{"symtab_name", "debug_only", "debug_name", "exported"});
    // The debug file of another build is not used.
    contents.build_id = "0123456789abcdefghiX";
    write_elf(contents, directory / "program");
    CHECK(lookup_symbols(directory / "program", offsets).names ==
          Names{"symtab_name", "", "b", "exported"});
}

TEST_CASE("many offsets in a file of many symbols", "[elf_symbols]") {
    TemporaryDirectory directory;
    TestElf contents;
    for (std::uint64_t i = 0; i < 100000; i++)
        contents.symtab.push_back({"f" + std::to_string(i), 16 * i + 16});
    write_elf(contents, directory / "file");
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t i = 0; i < 10000; i++)
        offsets.push_back(16 * ((i * 7919) % 100000) + 16);
    ModuleSymbols symbols = lookup_symbols(directory / "file", offsets);
    bool all_right = true;
    for (std::size_t i = 0; i < offsets.size(); i++)
        all_right = all_right && symbols.names[i] == "f" + std::to_string(offsets[i] / 16 - 1);
    CHECK(all_right);
}

TEST_CASE("a file that is not an ELF file is refused with a reason, without waiting",
          "[elf_symbols]") {
    TemporaryDirectory directory;
    std::string fifo = directory / "fifo", empty = directory / "empty", text = directory / "text";
    REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
    write_file(empty, "");
    write_file(text, "#!/bin/sh\nexit 0\n");
    for (const std::string& path :
         {fifo, empty, text, directory / "missing", directory / ".", std::string(), text + "/x",
          std::string("/dev/null"), std::string("[vdso]")}) {
        INFO(path);
        ModuleSymbols symbols = lookup_symbols(path, {1, 2});
        CHECK(symbols.error != "");
        CHECK(symbols.names == Names{"", ""});
        CHECK(symbols.build_id == "");
    }
    CHECK(lookup_symbols(directory / "missing", {}).error.find("No such file") !=
          std::string::npos);
    if (geteuid() != 0) {  // root reads everything
        TestElf contents;
        contents.symtab = {{"one", 0x1000}};
        write_elf(contents, directory / "secret");
        REQUIRE(chmod((directory / "secret").c_str(), 0) == 0);
        CHECK(lookup_symbols(directory / "secret", {0x1000}).error != "");
    }
}

TEST_CASE("no descriptor stays open", "[elf_symbols]") {
    TemporaryDirectory directory;
    write_file(directory / "text", "no ELF file");
    int before = dup(0);
    close(before);
    lookup_symbols("/proc/self/exe", {1});
    lookup_symbols(directory / "text", {1});
    lookup_symbols(directory / "missing", {1});
    int after = dup(0);
    close(after);
    CHECK(before == after);
}

TEST_CASE("damaged files give some names or none, but never a crash", "[elf_symbols]") {
    TemporaryDirectory directory;
    std::string path = directory / "file";
    TestElf contents;
    contents.elf_class = GENERATE(ELFCLASS32, ELFCLASS64);
    for (std::uint64_t i = 1; i <= 30; i++)
        contents.symtab.push_back({"function_" + std::to_string(i), 0x100 * i});
    contents.dynsym = contents.symtab;
    contents.build_id = "0123456789abcdefghij";
    contents.debug_link = "file";
    write_elf(contents, path);
    const std::string original = read_file(path);
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t i = 0; i <= 31; i++)
        offsets.push_back(0x100 * i);
    REQUIRE(lookup_symbols(path, offsets).names[30] == "function_30");

    std::mt19937 random(42);
    auto below = [&](std::size_t n) { return random() % n; };
    // Headers are small compared to tables and matter most; the section headers end the file.
    std::size_t section_headers = 10 * (contents.elf_class == ELFCLASS64 ? 64 : 40);
    int survivors = 0;
    for (int variant = 0; variant < 600; variant++) {
        std::string damaged = original;
        for (std::size_t flips = 1 + below(6); flips > 0; flips--) {
            std::size_t at = below(3) == 0   ? below(64)
                             : below(2) == 0 ? original.size() - 1 - below(section_headers)
                                             : below(original.size());
            damaged[at] = static_cast<char>(damaged[at] ^ (1 << below(8)));
        }
        if (variant % 4 == 0)
            damaged.resize(below(damaged.size()));
        write_file(path, damaged);
        ModuleSymbols symbols = lookup_symbols(path, offsets);
        REQUIRE(symbols.names.size() == offsets.size());
        survivors += symbols.names[1] == "function_1";
    }
    CHECK(survivors > 20);  // otherwise the damage is too great to reach the tables
}

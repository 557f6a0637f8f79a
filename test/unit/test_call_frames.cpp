// Reading of .eh_frame: numbers, and invalid tables.
#include <cstdint>
#include <cstring>
#include <vector>

#include <catch2/catch.hpp>
#include <dlfcn.h>
#include <link.h>

#include "unwind/call_frame_reader.hpp"

using namespace vftrace;

namespace {

using Bytes = std::vector<unsigned char>;

CallFrameReader reader(const Bytes& bytes) { return {bytes.data(), bytes.size()}; }

[[gnu::noinline]] int some_function(int value) {
    asm volatile("" : "+r"(value));
    return value + 1;
}

// A .eh_frame_hdr with one function of 16 bytes at its own address + 256, and its tables: a CIE
// after the header, then an FDE.
struct Tables {
    alignas(8) unsigned char bytes[512] = {};
    Tables() {
        const unsigned char header[] = {1, 0x1b, 3, 0x3b};
        std::memcpy(bytes, header, sizeof header);
        put(8, 1);
        put(12, 256);
        put(16, 64);  // the FDE
        put(32, 16);  // CIE: bytes after this number
        const unsigned char common[] = {1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8};
        std::memcpy(bytes + 40, common, sizeof common);
        put(64, 20);  // FDE
        put(68, 68 - 32);
        put(72, 256 - 72);
        put(76, 16);
    }
    void put(std::size_t at, std::int32_t value) { std::memcpy(bytes + at, &value, 4); }
    bool find(std::size_t offset, FunctionEntry& entry) const {
        return find_function_entry({bytes, bytes, bytes + sizeof bytes},
                                   reinterpret_cast<std::uintptr_t>(bytes) + offset, entry);
    }
};

}  // namespace

TEST_CASE("numbers of call frame tables") {
    CHECK(reader({0xe5, 0x8e, 0x26}).unsigned_number() == 624485);
    CHECK(reader({0x7f}).signed_number() == -1);
    CHECK(reader({0x80, 0x7f}).signed_number() == -128);
    CHECK(reader({0x3f}).signed_number() == 63);
    Bytes address(4);
    std::int32_t back = -16;
    std::memcpy(address.data(), &back, 4);
    CHECK(reader(address).pointer(0x1b) == reinterpret_cast<std::uintptr_t>(address.data()) - 16);
}

TEST_CASE("numbers that end too early") {
    const Bytes unfinished = {0x80, 0x80};
    CallFrameReader in = reader(unfinished);
    in.unsigned_number();
    CHECK(in.failed());
    const Bytes longer_than_there = {0x05, 1, 2};
    CallFrameReader block = reader(longer_than_there);
    CHECK(block.block().at_end());
    CHECK(block.failed());
    CHECK(reader({}).fixed<std::uint32_t>() == 0);
}

TEST_CASE("a function of tables made by hand") {
    Tables tables;
    FunctionEntry entry;
    REQUIRE(tables.find(260, entry));
    CHECK(entry.start == reinterpret_cast<std::uintptr_t>(tables.bytes) + 256);
    CHECK(entry.common.data_factor == -8);
    CHECK(entry.common.code_factor == 1);
    CHECK_FALSE(entry.common.is_signal_frame);
    CHECK_FALSE(tables.find(272, entry));  // just after it
    CHECK_FALSE(tables.find(255, entry));
}

TEST_CASE("tables in unknown forms") {
    FunctionEntry entry;
    for (std::size_t at : {0u, 1u, 2u, 3u, 40u}) {  // versions and encodings
        Tables tables;
        tables.bytes[at] = 0x77;
        CHECK_FALSE(tables.find(260, entry));
    }
    Tables unknown_letter;
    unknown_letter.bytes[42] = 'X';
    CHECK_FALSE(unknown_letter.find(260, entry));
    Tables empty;
    empty.put(8, 0);
    CHECK_FALSE(empty.find(260, entry));
}

TEST_CASE("a function of this program") {
    auto address = reinterpret_cast<std::uintptr_t>(&some_function);
    dl_find_object found;
    REQUIRE(_dl_find_object(reinterpret_cast<void*>(address), &found) == 0);
    FunctionEntry entry;
    REQUIRE(find_function_entry(CallFrameTables(found.dlfo_eh_frame), address, entry));
    CHECK(entry.start == address);
    CHECK(some_function(1) == 2);
}

TEST_CASE("tables of a file that ends too early") {
    const Tables whole;
    for (std::size_t bytes = 0; bytes < 96; bytes++) {
        // In memory of its own, so that sanitizers see what is read behind it.
        const Bytes cut(whole.bytes, whole.bytes + bytes);
        FunctionEntry entry;
        const auto start = reinterpret_cast<std::uintptr_t>(cut.data());
        const bool found =
            find_function_entry({cut.data(), cut.data(), cut.data() + bytes}, start + 260, entry);
        INFO(bytes);
        CHECK(found == (bytes >= 88));  // the end of the function's entry
    }
}

TEST_CASE("tables that lead out of their file") {
    for (std::size_t at : {8u, 16u, 64u, 68u})
        for (std::int32_t value : {-4096, 4096, INT32_MAX, INT32_MIN}) {
            Tables tables;
            tables.put(at, value);
            const Bytes file(tables.bytes, tables.bytes + sizeof tables.bytes);
            FunctionEntry entry;
            INFO(at << " " << value);
            const auto start = reinterpret_cast<std::uintptr_t>(file.data());
            if (find_function_entry({file.data(), file.data(), file.data() + file.size()},
                                    start + 260, entry))
                CHECK(at == 64);  // a larger length ends where the file does
        }
}

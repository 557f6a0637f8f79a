// Finding separate debug files by build id and by .gnu_debuglink.
#include "symbol/debug_file.hpp"

#include "symbol/elf_file.hpp"

#include "elf_builder.hpp"

#include <catch2/catch.hpp>

using vftrace::ElfFile;
using vftrace::find_debug_file;

namespace {

void make_directory(const std::string& path) {
    REQUIRE(std::system(("mkdir -p '" + path + "'").c_str()) == 0);
}

TestElf file_with(const std::string& build_id, const std::string& link, std::uint32_t checksum) {
    TestElf contents;
    contents.build_id = build_id;
    contents.debug_link = link;
    contents.checksum = checksum;
    return contents;
}

}  // namespace

TEST_CASE("a debug file is found by build id", "[debug_file]") {
    TemporaryDirectory directory;
    std::string root = directory / "debug";
    make_directory(root + "/.build-id/61");
    std::string debug_path = root + "/.build-id/61/6263.debug";
    write_elf(file_with("abc", "", 0), directory / "program");
    ElfFile file(directory / "program");
    CHECK(file.build_id() == "616263");
    CHECK(find_debug_file(file, directory / "program", root) == "");
    write_elf(file_with("abd", "", 0), debug_path);
    CHECK(find_debug_file(file, directory / "program", root) == "");
    write_elf(file_with("", "", 0), debug_path);
    CHECK(find_debug_file(file, directory / "program", root) == "");
    write_file(debug_path, "no ELF file");
    CHECK(find_debug_file(file, directory / "program", root) == "");
    write_elf(file_with("abc", "", 0), debug_path);
    CHECK(find_debug_file(file, directory / "program", root) == debug_path);
}

TEST_CASE("a debug file is found by its link", "[debug_file]") {
    TemporaryDirectory directory;
    std::string root = directory / "debug";
    std::string program = directory / "program";
    make_directory(directory / ".debug");
    make_directory(root + (directory / ""));
    write_elf(file_with("abc", "p.debug", 0), program);
    for (const std::string& candidate : {directory / "p.debug", directory / ".debug/p.debug",
                                         root + "/" + (directory / "p.debug")}) {
        INFO(candidate);
        CHECK(find_debug_file(ElfFile(program), program, root) == "");
        write_elf(file_with("abd", "", 0), candidate);
        CHECK(find_debug_file(ElfFile(program), program, root) == "");
        write_elf(file_with("abc", "", 0), candidate);
        CHECK(find_debug_file(ElfFile(program), program, root) == candidate);
        unlink(candidate.c_str());
    }
}

TEST_CASE("without build ids the checksum decides", "[debug_file]") {
    TemporaryDirectory directory;
    std::string program = directory / "program";
    unsigned char byte_order = GENERATE(ELFDATA2LSB, ELFDATA2MSB);
    write_elf({}, directory / "p.debug");
    // Computing a trailer that gives the whole file a chosen CRC-32 is laborious; instead this uses
    // a property of the algorithm: the CRC of a file followed by its own CRC is always 0x2144df1c.
    std::string bytes = read_file(directory / "p.debug");
    std::uint32_t crc = 0xffffffff;
    for (unsigned char byte : bytes) {
        crc ^= byte;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    crc = ~crc;
    for (int i = 0; i < 4; i++)
        bytes += static_cast<char>(crc >> 8 * i);
    write_file(directory / "p.debug", bytes);

    TestElf contents = file_with("", "p.debug", 0x2144df1c);
    contents.byte_order = byte_order;
    write_elf(contents, program);
    CHECK(find_debug_file(ElfFile(program), program) == directory / "p.debug");
    contents.checksum ^= 1;
    write_elf(contents, program);
    CHECK(find_debug_file(ElfFile(program), program) == "");
}

TEST_CASE("a link does not lead to another directory", "[debug_file]") {
    TemporaryDirectory directory;
    make_directory(directory / "sub");
    std::string program = directory / "sub/program";
    write_elf(file_with("abc", "", 0), directory / "p.debug");
    for (const std::string& link :
         {std::string("../p.debug"), directory / "p.debug", std::string(".."), std::string(".")}) {
        write_elf(file_with("abc", link, 0), program);
        CHECK(find_debug_file(ElfFile(program), program, directory / "none") == "");
    }
}

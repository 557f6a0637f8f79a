// Compares our instruction decoder with Zydis: lengths, and the parts that the patcher reads.
//
//     instruction_lengths LIBRARY      all functions with unwind entries, as the patcher scans them
//     instruction_lengths --random N   N strings of random bytes
//
// Prints counts, one per line, and the first differing instructions on stderr; exits with 1 if
// there are any. Both decoders advance together, by Zydis's length if they disagree.
#include <Zydis/Zydis.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <random>
#include <string_view>

#include "guest/modules.hpp"
#include "patch/instruction.hpp"

using namespace vftrace;

namespace {

constexpr std::size_t longest = 15;

class Comparison {
  public:
    Comparison() { ZydisDecoderInit(&zydis_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64); }

    // Returns the instruction's length; 0 if neither decoder knows it.
    std::size_t compare(const std::uint8_t* code, std::size_t available) {
        ZydisDecodedInstruction theirs;
        const bool known =
            ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&zydis_, nullptr, code, available, &theirs));
        const Instruction ours = decode(code, available);
        const std::size_t our_length = ours.length;
        if (!known) {
            (our_length ? ours_alone : unknown)++;
            return our_length;
        }
        instructions++;
        if (our_length == 0) {
            if (refused++ < most_shown)
                show("refused", theirs, code, our_length);
        } else if (our_length != theirs.length || !same_parts(ours, theirs)) {
            if (different++ < most_shown)
                show("different", theirs, code, our_length);
        }
        return theirs.length;
    }

    std::uint64_t instructions = 0;  // that Zydis knows
    std::uint64_t different = 0;  // of these, those for which we find another length or other parts
    std::uint64_t refused = 0;    // of these, those that we do not understand
    std::uint64_t ours_alone = 0;  // unknown to Zydis only
    std::uint64_t unknown = 0;     // unknown to both

  private:
    static constexpr std::uint64_t most_shown = 20;

    static bool same_parts(const Instruction& ours, const ZydisDecodedInstruction& theirs) {
        const auto& raw = theirs.raw;
        if (theirs.opcode != ours.opcode)
            return false;
        if (ours.map != OpcodeMap::vector &&
            (ours.rex & 15) != (raw.rex.W << 3 | raw.rex.R << 2 | raw.rex.X << 1 | raw.rex.B))
            return false;
        if (ours.has_modrm != bool(theirs.attributes & ZYDIS_ATTRIB_HAS_MODRM))
            return false;
        if (ours.has_modrm &&
            ours.modrm != (raw.modrm.mod << 6 | raw.modrm.reg << 3 | raw.modrm.rm))
            return false;
        if (ours.has_modrm && ours.displacement != raw.disp.value)
            return false;
        if (raw.imm[0].size == 0 || ours.is(OpcodeMap::one_byte, 0xc8))  // enter has two
            return true;
        const unsigned unused = 64 - raw.imm[0].size;
        return static_cast<std::uint64_t>(ours.immediate) << unused == raw.imm[0].value.u << unused;
    }

    static void show(const char* what, const ZydisDecodedInstruction& theirs,
                     const std::uint8_t* code, std::size_t our_length) {
        std::fprintf(stderr, "%s: %s, %u bytes, by us %zu:", what,
                     ZydisMnemonicGetString(theirs.mnemonic), theirs.length, our_length);
        for (std::size_t i = 0; i < theirs.length; i++)
            std::fprintf(stderr, " %02x", code[i]);
        std::fprintf(stderr, "\n");
    }

    ZydisDecoder zydis_;
};

void compare_function(Comparison& comparison, FunctionRange body) {
    for (std::uintptr_t at = body.start; at < body.end;) {
        const std::size_t length =
            comparison.compare(reinterpret_cast<const std::uint8_t*>(at), body.end - at);
        if (length == 0)
            break;
        at += length;
    }
}

bool compare_library(Comparison& comparison, const char* path) {
    void* library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    link_map* map = nullptr;
    if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) {
        std::fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    std::uint64_t functions = 0;
    visit_functions(reinterpret_cast<std::uintptr_t>(map->l_ld), [&](FunctionRange body) {
        functions += body.end != 0;
        compare_function(comparison, body);
    });
    std::printf("functions %llu\n", static_cast<unsigned long long>(functions));
    return functions > 0;
}

// Random bytes are mostly short instructions, so half of the strings begin with bytes that lead to
// others.
void compare_random(Comparison& comparison, std::uint64_t count) {
    constexpr std::uint8_t beginnings[] = {0x0f, 0x66, 0xf2, 0xf3, 0x48, 0x41, 0x67, 0xc4,
                                           0xc5, 0x62, 0xf6, 0xf7, 0xc7, 0x8f, 0xf0, 0x64};
    std::mt19937_64 random(1);
    std::uint8_t code[2 * longest];
    for (; count > 0; count--) {
        const std::uint64_t bits[] = {random(), random(), random()};
        std::memcpy(code, bits, longest);
        for (std::size_t i = 0; i < 3 && bits[2] >> (8 * i) & 1; i++)
            code[i] = beginnings[bits[2] >> (8 * i + 4) & 15];
        if (bits[2] >> 63) {  // of the maps after 0F
            code[0] = 0x0f;
            code[1] = bits[2] >> 62 & 1 ? 0x38 : 0x3a;
        }
        comparison.compare(code, longest);
    }
}

}  // namespace

int main(int argc, char** argv) {
    Comparison comparison;
    if (argc == 3 && argv[1] == std::string_view("--random"))
        compare_random(comparison, std::strtoull(argv[2], nullptr, 10));
    else if (argc != 2 || !compare_library(comparison, argv[1]))
        return 2;
    for (auto& [name, count] : {std::pair{"instructions", comparison.instructions},
                                {"different", comparison.different},
                                {"refused", comparison.refused},
                                {"ours_alone", comparison.ours_alone},
                                {"unknown", comparison.unknown}})
        std::printf("%s %llu\n", name, static_cast<unsigned long long>(count));
    return comparison.different != 0;
}

// Executes call frame instructions.
//
// Format: Linux Standard Base 5.0 Core, chapter 10.6 (.eh_frame, .eh_frame_hdr); DWARF 4, chapters
// 6.4 and 2.5 (call frame instructions, expressions).
#include "unwind/unwind_rule.hpp"

#include <initializer_list>

#include "base/text.hpp"
#include "unwind/registers.hpp"

namespace vftrace {
namespace {

struct Saved {
    SavedRegister where = SavedRegister::unchanged;
    std::int16_t words = 0;
};

struct Row {
    FrameRule frame = FrameRule::unknown;
    std::uint8_t cfa_register = 0;
    std::int32_t cfa_offset = 0;
    Saved pointer, base;
    // Where one of the tracked registers is saved; nullptr for others.
    Saved* saved(std::uint64_t which) {
        return which == dwarf_frame_pointer ? &pointer : which == dwarf_base ? &base : nullptr;
    }
};

enum Instruction : std::uint8_t {  // DW_CFA_*
    advance_loc = 0x40,
    offset = 0x80,
    restore = 0xc0,
    set_loc = 0x01,
    advance_loc1 = 0x02,
    advance_loc2 = 0x03,
    advance_loc4 = 0x04,
    offset_extended = 0x05,
    restore_extended = 0x06,
    undefined = 0x07,
    same_value = 0x08,
    in_register = 0x09,
    remember_state = 0x0a,
    restore_state = 0x0b,
    def_cfa = 0x0c,
    def_cfa_register = 0x0d,
    def_cfa_offset = 0x0e,
    def_cfa_expression = 0x0f,
    expression = 0x10,
    offset_extended_sf = 0x11,
    def_cfa_sf = 0x12,
    def_cfa_offset_sf = 0x13,
    val_offset = 0x14,
    val_offset_sf = 0x15,
    val_expression = 0x16,
    aarch64_negate_ra_state = 0x2d,
    gnu_args_size = 0x2e,
    gnu_negative_offset = 0x2f
};

constexpr std::uint8_t breg0 = 0x70, breg31 = 0x8f, deref = 0x06;  // DW_OP_*

// Executes call frame instructions up to a place in the code.
class CallFrameProgram {
  public:
    CallFrameProgram(const CommonEntry& common, std::uintptr_t start, std::uintptr_t pc)
        : common_(common), location_(start), pc_(pc) {}

    // Returns false at an instruction that it does not understand.
    bool run(CallFrameReader in) {
        while (!in.at_end() && location_ <= pc_)
            if (!step(in))
                return false;
        return !in.failed();
    }
    void begin_function() { initial_ = row_; }
    const Row& row() const { return row_; }

  private:
    bool step(CallFrameReader& in) {
        const std::uint8_t code = in.byte();
        const std::uint8_t low = code & 0x3f;
        switch (code & 0xc0) {
        case advance_loc:
            return advance(low);
        case offset:
            return saved(low,
                         static_cast<std::int64_t>(in.unsigned_number()) * common_.data_factor);
        case restore:
            return restored(low);
        }
        switch (code) {
        case 0:
            return true;
        case set_loc:
            location_ = in.pointer(common_.pointer_encoding);
            return true;
        case advance_loc1:
            return advance(in.byte());
        case advance_loc2:
            return advance(in.fixed<std::uint16_t>());
        case advance_loc4:
            return advance(in.fixed<std::uint32_t>());
        case offset_extended: {
            const std::uint64_t which = in.unsigned_number();
            return saved(which,
                         static_cast<std::int64_t>(in.unsigned_number()) * common_.data_factor);
        }
        case offset_extended_sf: {
            const std::uint64_t which = in.unsigned_number();
            return saved(which, in.signed_number() * common_.data_factor);
        }
        case gnu_negative_offset: {
            const std::uint64_t which = in.unsigned_number();
            return saved(which,
                         -static_cast<std::int64_t>(in.unsigned_number()) * common_.data_factor);
        }
        case restore_extended:
            return restored(in.unsigned_number());
        case undefined:
            return lost(in.unsigned_number());
        case same_value:
            if (Saved* saved = row_.saved(in.unsigned_number()))
                *saved = {};
            return true;
        case in_register: {
            const std::uint64_t which = in.unsigned_number();
            in.unsigned_number();
            return lost(which);
        }
        case val_offset:
        case val_offset_sf: {
            const std::uint64_t which = in.unsigned_number();
            in.unsigned_number();
            return lost(which);
        }
        case remember_state:
            if (depth_ == most_states)
                return false;
            states_[depth_++] = row_;
            return true;
        case restore_state:
            if (depth_ == 0)
                return false;
            row_ = states_[--depth_];
            return true;
        case def_cfa: {
            const std::uint64_t which = in.unsigned_number();
            return frame_at(which, static_cast<std::int64_t>(in.unsigned_number()));
        }
        case def_cfa_sf: {
            const std::uint64_t which = in.unsigned_number();
            return frame_at(which, in.signed_number() * common_.data_factor);
        }
        case def_cfa_register:
            return frame_at(in.unsigned_number(), row_.cfa_offset);
        case def_cfa_offset:
            return frame_at(row_.cfa_register, static_cast<std::int64_t>(in.unsigned_number()));
        case def_cfa_offset_sf:
            return frame_at(row_.cfa_register, in.signed_number() * common_.data_factor);
        case def_cfa_expression:
            return frame_by_expression(in.block());
        case expression: {
            const std::uint64_t which = in.unsigned_number();
            return saved_by_expression(which, in.block());
        }
        case val_expression: {
            const std::uint64_t which = in.unsigned_number();
            in.block();
            return lost(which);
        }
        case gnu_args_size:
            in.unsigned_number();
            return true;
#if defined(__aarch64__)
        case aarch64_negate_ra_state:
            return true;
#endif
        }
        return false;
    }

    bool advance(std::uint64_t amount) {
        location_ += amount * common_.code_factor;
        return true;
    }
    bool frame_at(std::uint64_t which, std::int64_t at) {
        row_.frame = which < dwarf_registers ? FrameRule::from_register : FrameRule::not_understood;
        row_.cfa_register = static_cast<std::uint8_t>(which);
        row_.cfa_offset = static_cast<std::int32_t>(at);
        return true;
    }
    bool saved(std::uint64_t which, std::int64_t at) {
        if (Saved* saved = row_.saved(which))
            *saved = saved_at(SavedRegister::on_stack, at);
        return true;
    }
    static Saved saved_at(SavedRegister where, std::int64_t at) {
        constexpr std::int64_t word = sizeof(std::uintptr_t);
        const auto words = static_cast<std::int16_t>(at / word);
        return words * word == at ? Saved{where, words} : Saved{SavedRegister::lost, 0};
    }
    bool restored(std::uint64_t which) {
        if (Saved* saved = row_.saved(which))
            *saved = *initial_.saved(which);
        return true;
    }
    bool lost(std::uint64_t which) {
        if (Saved* saved = row_.saved(which))
            *saved = {SavedRegister::lost, 0};
        if (which == dwarf_return_address)
            row_.frame = FrameRule::outermost;
        return true;
    }
    // The forms that compilers and linkers write: "register + offset", what lies there, and the
    // form of the procedure linkage table, the only one that depends on the place in the code.
    bool frame_by_expression(CallFrameReader in) {
        const std::uint8_t first = in.byte();
        if (first < breg0 || first > breg31)
            return false;
        frame_at(static_cast<std::uint64_t>(first - breg0), in.signed_number());
        if (in.at_end())
            return true;
        const std::uint8_t second = in.byte();
        if (second == deref && in.at_end())
            row_.frame = FrameRule::from_memory;
        else if (second == breg0 + dwarf_return_address)
            row_.frame = FrameRule::procedure_table;
        else
            return false;
        return true;
    }
    bool saved_by_expression(std::uint64_t which, CallFrameReader in) {
        Saved* saved = row_.saved(which);
        if (!saved)
            return true;
        const std::uint8_t first = in.byte();
        const std::int64_t at = in.signed_number();
        *saved = first == breg0 + dwarf_frame_pointer && in.at_end()
                     ? saved_at(SavedRegister::by_pointer, at)
                     : Saved{SavedRegister::lost, 0};
        return true;
    }

    static constexpr int most_states = 8;
    const CommonEntry& common_;
    std::uintptr_t location_, pc_;
    Row row_, initial_, states_[most_states];
    int depth_ = 0;
};

}  // namespace

bool read_unwind_rule(const CallFrameTables& tables, std::uintptr_t pc, UnwindRule& rule) {
    FunctionEntry entry;
    if (!find_function_entry(tables, pc, entry))
        return false;
    rule.function = entry.start;
    if (entry.common.is_signal_frame) {
        rule.frame = FrameRule::signal_frame;
        return true;
    }
    rule.frame = FrameRule::not_understood;
    CallFrameProgram program(entry.common, entry.start, pc);
    if (!program.run(entry.common.instructions))
        return true;
    program.begin_function();
    if (!program.run(entry.instructions))
        return true;
    const Row& row = program.row();
    rule.frame = row.frame;
    rule.cfa_register = row.cfa_register;
    rule.cfa_offset = row.cfa_offset;
    rule.pointer = row.pointer.where;
    rule.pointer_words = row.pointer.words;
    rule.base = row.base.where;
    rule.base_words = row.base.words;
    return true;
}

CodeOwner owner_of_file(std::string_view path) {
    const std::string_view file = base_name(path);
    if (file.starts_with("libvftrace"))
        return CodeOwner::library;
    for (std::string_view name : {"libgomp.", "libgomp-", "libomp.", "libomp5", "libiomp5."})
        if (file.starts_with(name))
            return CodeOwner::between;
    for (std::string_view name : {"libmpi_mpifh", "libmpi_usempi", "libmpichfort", "libmpifort"})
        if (file.starts_with(name))
            return CodeOwner::binding;
    return CodeOwner::program;
}

// `jmp *(%rip)`, perhaps after an endbr64; or the first stub of a table, which calls the loader:
// `push (%rip)`.
bool is_stub(const unsigned char (&bytes)[stub_bytes]) {
#if !defined(__x86_64__)
    return false;
#endif
    const unsigned char* code = bytes;
    constexpr unsigned char landing[] = {0xf3, 0x0f, 0x1e, 0xfa};
    if (code[0] == landing[0] && code[1] == landing[1] && code[2] == landing[2] &&
        code[3] == landing[3])
        code += sizeof landing;
    if (code[0] == 0xf2)  // bnd
        code++;
    return code[0] == 0xff && (code[1] == 0x25 || code[1] == 0x35);
}

}  // namespace vftrace

// Compares what next_access() says with what happens: a child of this process is executed step by
// step, and Zydis says which memory each instruction accesses.
//
//     next_accesses STEPS
//
// Prints counts, one per line: `right` and `wrong` predictions, and `unknown` where there is none.
// The code is that of the C and C++ libraries and of Zydis, and loops of this file.
#include <Zydis/Zydis.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unordered_map>
#include <vector>

#include "base/arena.hpp"
#include "guest/modules.hpp"
#include "heap/next_access.hpp"

using namespace vftrace;

namespace {

Registers in_dwarf_order(const user_regs_struct& regs) {
    Registers registers{};
    registers.value = {regs.rax, regs.rdx, regs.rcx, regs.rbx, regs.rsi, regs.rdi,
                       regs.rbp, regs.rsp, regs.r8,  regs.r9,  regs.r10, regs.r11,
                       regs.r12, regs.r13, regs.r14, regs.r15, regs.rip};
    registers.all_known = true;
    return registers;
}

ZydisRegisterContext in_zydis_order(const user_regs_struct& regs) {
    ZydisRegisterContext context{};
    const unsigned long long values[] = {regs.rax, regs.rcx, regs.rdx, regs.rbx, regs.rsp, regs.rbp,
                                         regs.rsi, regs.rdi, regs.r8,  regs.r9,  regs.r10, regs.r11,
                                         regs.r12, regs.r13, regs.r14, regs.r15};
    for (std::size_t i = 0; i < std::size(values); i++)
        context.values[ZYDIS_REGISTER_RAX + i] = values[i];
    context.values[ZYDIS_REGISTER_RIP] = regs.rip;
    return context;
}

using Addresses = std::vector<std::uint64_t>;

// What the instruction at the place of the registers accesses, without what it does to the stack.
Addresses accessed(const ZydisDecoder& decoder, const user_regs_struct& regs) {
    constexpr std::size_t longest = 15;
    ZydisDecodedInstruction instruction;
    std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> operands;
    const auto* const code = reinterpret_cast<const void*>(regs.rip);
    if (!ZYAN_SUCCESS(
            ZydisDecoderDecodeFull(&decoder, code, longest, &instruction, operands.data())))
        return {};
    const auto category = instruction.meta.category;
    if (category == ZYDIS_CATEGORY_NOP || category == ZYDIS_CATEGORY_WIDENOP ||
        category == ZYDIS_CATEGORY_PREFETCH)
        return {};
    const ZydisRegisterContext context = in_zydis_order(regs);
    Addresses addresses;
    for (std::size_t i = 0; i < instruction.operand_count; i++) {
        const ZydisDecodedOperand& operand = operands[i];
        ZyanU64 address;
        if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.mem.type == ZYDIS_MEMOP_TYPE_MEM &&
            (operand.visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN ||
             category == ZYDIS_CATEGORY_STRINGOP) &&
            ZYAN_SUCCESS(
                ZydisCalcAbsoluteAddressEx(&instruction, &operand, regs.rip, &context, &address)))
            addresses.push_back(address);
    }
    return addresses;
}

class Comparison {
  public:
    void predict(const user_regs_struct& regs) {
        pending_.push_back({regs.rip, next_access(in_dwarf_order(regs))});
    }
    void happened(const Addresses& addresses, std::uint64_t at) {
        constexpr int most_shown = 20;
        for (const auto& [from, next] : pending_) {
            const bool is_right = next.count > 0 && std::find(addresses.begin(), addresses.end(),
                                                              next.address[0]) != addresses.end();
            (next.count == 0 ? unknown : is_right ? right : wrong)++;
            if (next.count > 0 && !is_right && wrong <= most_shown)
                std::fprintf(stderr, "from %#lx: %#lx, but at %#lx: %#lx\n", from, next.address[0],
                             at, addresses[0]);
        }
        pending_.clear();
    }
    long right = 0, wrong = 0, unknown = 0;

  private:
    struct Prediction {
        std::uint64_t from;
        NextAccess next;
    };
    std::vector<Prediction> pending_;
};

int compare(const void* a, const void* b) {
    return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

// Until the parent has seen enough.
[[noreturn]] void work() {
    std::vector<double> x(5000, 1.0), y(5000, 2.0);
    std::vector<int> numbers(3000);
    std::vector<char> text(10000, 'a'), copy(10000);
    for (unsigned round = 1;; round++) {
        for (std::size_t i = 0; i < x.size(); i++)
            y[i] += 0.5 * x[i];
        for (std::size_t i = 1; i + 1 < x.size(); i++)
            x[i] = (y[i - 1] + y[i] + y[i + 1]) / 3;
        for (double& value : x)
            value = std::sin(value);
        for (int& number : numbers)
            number = static_cast<int>((round = round * 1664525u + 1013904223u) >> 8);
        std::vector<int> sorted = numbers;
        std::sort(sorted.begin(), sorted.end());
        std::qsort(numbers.data(), numbers.size(), sizeof numbers[0], compare);
        std::memcpy(copy.data(), text.data(), text.size());
        std::memset(text.data(), static_cast<int>(round), text.size());
        std::unordered_map<int, int> table;
        for (int number : numbers)
            table[number % 1000]++;
        std::string joined;
        for (int number : sorted)
            joined += std::to_string(number);
        ZydisDecoder decoder;
        ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
        ZydisDecodedInstruction instruction;
        ZydisDecoderDecodeInstruction(&decoder, nullptr, joined.data(), joined.size(),
                                      &instruction);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const long steps = argc > 1 ? std::atol(argv[1]) : 100000;
    static ModuleTable modules;
    start_module_map(&modules, map_memory);
    const pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
        raise(SIGSTOP);
        work();
    }
    int status;
    waitpid(child, &status, 0);
    ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_EXITKILL);
    ZydisDecoder decoder;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    Comparison comparison;
    for (long i = 0; i < steps; i++) {
        user_regs_struct regs;
        if (ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0 ||
            waitpid(child, &status, 0) != child || !WIFSTOPPED(status) ||
            ptrace(PTRACE_GETREGS, child, nullptr, &regs) != 0)
            break;
        comparison.predict(regs);
        if (const Addresses addresses = accessed(decoder, regs); !addresses.empty())
            comparison.happened(addresses, regs.rip);
    }
    kill(child, SIGKILL);
    std::printf("right %ld\nwrong %ld\nunknown %ld\n", comparison.right, comparison.wrong,
                comparison.unknown);
    return comparison.right > 0 ? 0 : 1;
}

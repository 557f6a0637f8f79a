#include "code/source_loops.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "base/text.hpp"

namespace vftrace {
namespace {

constexpr double most = 0.9;  // of a loop's instructions are in the function that has it
constexpr std::uint32_t search_lines = 60;  // above a statement, for the header of its loop

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool has_word(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_word_character(text[at - 1])) &&
            (end == text.size() || !is_word_character(text[end])))
            return true;
    }
    return false;
}

std::string without_comment(std::string text) {
    return text.substr(0, std::min(text.find("//"), text.find("/*")));
}

bool begins_loop(const std::string& line) {
    const std::string text = without_comment(line);
    return has_word(text, "for") || has_word(text, "while") || has_word(text, "do") ||
           has_word(text, "DO");
}

// `} while (condition);`, which ends a loop that begins with `do`.
bool ends_do_loop(const std::string& line) {
    const std::string text = without_comment(line);
    const std::size_t last = text.find_last_not_of(" \t");
    return has_word(text, "while") && !has_word(text, "do") && last != std::string::npos &&
           text[last] == ';' && (text.find('}') != std::string::npos || text.find(')') + 1 == last);
}

// A function and, if it is inlined, the calls that lead to it: the frames of an instruction from
// the function itself inwards, with the place in each.
using Frames = std::vector<SourcePlace>;

bool is_same_frame(const Frames& one, const Frames& other, std::size_t depth) {
    if (one.size() < depth || other.size() < depth)
        return false;
    for (std::size_t i = 0; i < depth; i++) {
        if (one[i].function != other[i].function)
            return false;
        const bool is_caller = i + 1 < depth;
        if (is_caller && (one[i].file != other[i].file || one[i].line != other[i].line ||
                          one[i].column != other[i].column))
            return false;
    }
    return true;
}

// What a machine loop is in the source.
struct Header {
    std::string file;
    std::uint32_t line = 0;
    bool is_known = false;
    std::string function, inlined_at;
};

class HeaderFinder {
  public:
    HeaderFinder(const std::vector<MachineInstruction>& instructions,
                 const std::vector<std::vector<SourcePlace>>& places, const SourceText& text)
        : instructions_(instructions), places_(places), text_(text) {}

    Header find(const MachineLoop& loop) const {
        const Frames frame = frame_of(loop);
        if (frame.empty())
            return {};
        Header header;
        header.file = frame.back().file;
        header.function = frame.back().function;
        if (frame.size() > 1)
            header.inlined_at = format("%s:%u", std::string(base_name(frame.front().file)).c_str(),
                                       frame.front().line);
        const std::vector<std::uint32_t> branches = lines_of_branches(loop, frame);
        header.is_known = !branches.empty();
        header.line = header.is_known ? *std::min_element(branches.begin(), branches.end())
                                      : first_line(loop, frame);
        correct_by_text(header, loop, frame);
        return header;
    }

  private:
    Frames frames_of(std::size_t instruction) const {
        return {places_[instruction].rbegin(), places_[instruction].rend()};
    }

    // The innermost frame that most instructions of the loop are in.
    Frames frame_of(const MachineLoop& loop) const {
        std::size_t known = 0;
        for (const std::size_t i : loop.instructions)
            known += !places_[i].empty();
        Frames chosen;
        for (std::size_t depth = 1; known > 0; depth++) {
            const std::optional<Frames> frame = most_frequent(loop, depth, known);
            if (!frame)
                break;
            chosen = *frame;
        }
        return chosen;
    }

    std::optional<Frames> most_frequent(const MachineLoop& loop, std::size_t depth,
                                        std::size_t known) const {
        // Each differs from few others, so comparing with the first of each kind is enough.
        std::vector<std::pair<Frames, std::size_t>> kinds;
        for (const std::size_t i : loop.instructions) {
            const Frames frames = frames_of(i);
            if (frames.size() < depth)
                continue;
            const auto same = std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) {
                return is_same_frame(kind.first, frames, depth);
            });
            if (same != kinds.end())
                same->second++;
            else
                kinds.emplace_back(
                    Frames(frames.begin(), frames.begin() + static_cast<std::ptrdiff_t>(depth)), 1);
        }
        for (auto& kind : kinds)
            if (static_cast<double>(kind.second) >= most * static_cast<double>(known))
                return std::move(kind.first);
        return std::nullopt;
    }

    // The line of an instruction inside the frame, 0 if it is elsewhere.
    std::uint32_t line_in(const Frames& frame, std::size_t instruction) const {
        const Frames frames = frames_of(instruction);
        if (!is_same_frame(frames, frame, frame.size()))
            return 0;
        const SourcePlace& place = frames[frame.size() - 1];
        return place.file == frame.back().file ? place.line : 0;
    }

    // Of the branches that decide whether the loop goes on: those back to the header, and those out
    // of the loop at its beginning, if the way back is a jump.
    std::vector<std::uint32_t> lines_of_branches(const MachineLoop& loop,
                                                 const Frames& frame) const {
        std::vector<std::uint32_t> lines;
        const auto add = [&](std::size_t instruction) {
            if (const std::uint32_t line = line_in(frame, instruction))
                lines.push_back(line);
        };
        for (const std::size_t back : loop.backward)
            if (instructions_[back].flow == Flow::branch)
                add(back);
        if (lines.empty())
            for (const std::size_t exit : loop.exits)
                add(exit);
        return lines;
    }

    std::uint32_t first_line(const MachineLoop& loop, const Frames& frame) const {
        std::uint32_t first = 0;
        for (const std::size_t i : loop.instructions)
            if (const std::uint32_t line = line_in(frame, i))
                first = first == 0 ? line : std::min(first, line);
        return first;
    }

    // The nearest line from `line` upwards in this function for which `is_wanted` is true, else 0.
    template <class Test>
    std::uint32_t search_upwards(const Header& header, std::uint32_t line,
                                 std::uint32_t function_line, Test is_wanted) const {
        const std::uint32_t end =
            std::max(function_line, line > search_lines ? line - search_lines : 1);
        for (; line >= end && line > 0; line--)
            if (is_wanted(text_(header.file, line)))
                return line;
        return 0;
    }

    void correct_by_text(Header& header, const MachineLoop& loop, const Frames& frame) const {
        if (header.line == 0)
            return;
        const std::string text = text_(header.file, header.line);
        if (text.empty())
            return;
        std::uint32_t found = header.line;
        if (ends_do_loop(text))
            found = search_upwards(
                header, std::min(first_line(loop, frame), header.line), frame.back().function_line,
                [](const std::string& line) { return has_word(without_comment(line), "do"); });
        else if (!begins_loop(text))
            found = search_upwards(header, header.line, frame.back().function_line, begins_loop);
        header.is_known = found != 0;
        if (found != 0)
            header.line = found;
    }

    const std::vector<MachineInstruction>& instructions_;
    const std::vector<std::vector<SourcePlace>>& places_;
    const SourceText& text_;
};

}  // namespace

SourceLoops find_source_loops(const std::vector<MachineInstruction>& instructions,
                              const FunctionLoops& machine,
                              const std::vector<std::vector<SourcePlace>>& places,
                              const SourceText& text) {
    const HeaderFinder finder(instructions, places, text);
    SourceLoops result;
    std::vector<std::size_t> source_of(machine.loops.size(), no_loop);
    for (std::size_t i = 0; i < machine.loops.size(); i++) {
        const MachineLoop& loop = machine.loops[i];
        const Header header = finder.find(loop);
        const std::size_t parent = loop.parent == no_loop ? no_loop : source_of[loop.parent];
        const auto is_same = [&](const SourceLoop& other) {
            return header.line != 0 && other.parent == parent && other.line == header.line &&
                   other.file == header.file && other.function == header.function &&
                   other.inlined_at == header.inlined_at;
        };
        // A loop that compilers split in two nested ones (tiles, unrolled iterations) is one in the
        // source.
        if (parent != no_loop && header.line != 0 && result.loops[parent].line == header.line &&
            result.loops[parent].file == header.file &&
            result.loops[parent].inlined_at == header.inlined_at) {
            source_of[i] = parent;
            result.loops[parent].machine_loops.push_back(i);
            continue;
        }
        const auto found = std::find_if(result.loops.begin(), result.loops.end(), is_same);
        source_of[i] = static_cast<std::size_t>(found - result.loops.begin());
        if (found == result.loops.end()) {
            SourceLoop created;
            created.file = header.file;
            created.line = header.line;
            created.is_header = header.is_known;
            created.function = header.function;
            created.inlined_at = header.inlined_at;
            created.parent = parent;
            created.depth = parent == no_loop ? 1 : result.loops[parent].depth + 1;
            result.loops.push_back(std::move(created));
        }
        result.loops[source_of[i]].machine_loops.push_back(i);
    }
    result.loop_of.assign(instructions.size(), no_loop);
    for (std::size_t i = 0; i < instructions.size(); i++) {
        if (machine.loop_of[i] == no_loop)
            continue;
        result.loop_of[i] = source_of[machine.loop_of[i]];
        result.loops[result.loop_of[i]].innermost.push_back(i);
    }
    return result;
}

}  // namespace vftrace

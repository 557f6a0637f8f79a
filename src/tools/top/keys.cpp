#include "top/keys.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "top/pane_rows.hpp"
#include "top/panes.hpp"
#include "top/render.hpp"

namespace vftrace {
namespace {

void append_utf8(std::string& text, char32_t c) {
    if (c < 0x80) {
        text += static_cast<char>(c);
        return;
    }
    const auto tail = [&](unsigned shift) {
        text += static_cast<char>(0x80 | (c >> shift & 0x3f));
    };
    if (c < 0x800) {
        text += static_cast<char>(0xc0 | c >> 6);
    } else if (c < 0x10000) {
        text += static_cast<char>(0xe0 | c >> 12);
        tail(6);
    } else {
        text += static_cast<char>(0xf0 | c >> 18);
        tail(12);
        tail(6);
    }
    tail(0);
}

void remove_last_character(std::string& text) {
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80)
        text.pop_back();
    if (!text.empty())
        text.pop_back();
}

void show_note(ViewState& view, std::string text, bool is_error = false) {
    view.message = std::move(text);
    view.message_is_error = is_error;
}

void type(ViewState& view, char32_t key) {
    switch (key) {
    case key_escape:
        view.typing = false;
        return;
    case key_enter: {
        const Search search(view.typed);
        view.typing = false;
        if (!search.problem().empty())
            return show_note(view, search.problem(), true);
        view.search = view.typed;
        view.selected = view.first = 0;
        return;
    }
    case key_backspace:
        return remove_last_character(view.typed);
    default:
        constexpr std::size_t longest = 200;
        if (key >= ' ' && key != 127 && key < key_none && view.typed.size() < longest)
            append_utf8(view.typed, key);
    }
}

void choose(ViewState& view, std::size_t pane) {
    view.pane = static_cast<PaneId>(pane);
    view.selected = view.first = 0;
}

void sort_by_next(ViewState& view, std::size_t step) {
    const std::size_t columns = pane_kinds[view.pane_index()].columns.size();
    std::uint8_t& by = view.sorted_by[view.pane_index()];
    by = static_cast<std::uint8_t>((by + step) % columns);
    view.reversed[view.pane_index()] = false;
}

// The row of the tree with the cursor.
std::optional<PaneRow> row_of_cursor(const ViewState& view, const LiveModel& model) {
    PaneTable table = pane_table(model, view, view.selected, 1);
    if (table.rows.empty())
        return std::nullopt;
    return std::move(table.rows.front());
}

void expand(ViewState& view, const LiveModel& model, std::optional<bool> wanted) {
    if (view.pane != PaneId::tree)
        return;
    const std::optional<PaneRow> row = row_of_cursor(view, model);
    if (!row || !row->has_callees)
        return;
    if (wanted.value_or(!row->is_expanded)) {
        view.collapsed.erase(row->subject);
        view.expanded.insert(row->subject);
    } else {
        view.expanded.erase(row->subject);
        view.collapsed.insert(row->subject);
    }
}

void expand_all(ViewState& view, const LiveModel& model, bool wanted) {
    view.expanded.clear();
    view.collapsed.clear();
    std::unordered_set<std::uint32_t>& set = wanted ? view.expanded : view.collapsed;
    for (std::uint32_t path = 0; path < model.now.calls.size(); path++)
        set.insert(path);
    view.selected = view.first = 0;
}

void scroll_help(ViewState& view, char32_t key, std::size_t rows) {
    const std::size_t room = rows > 1 ? rows - 1 : 1;
    const std::size_t last = help_lines() - std::min(help_lines(), room);
    std::size_t& line = view.first_help_line;
    switch (key) {
    case key_up:
        line -= line > 0;
        break;
    case key_down:
        line = std::min(line + 1, last);
        break;
    case key_page_up:
        line -= std::min(line, room);
        break;
    case key_page_down:
        line = std::min(line + room, last);
        break;
    case key_resize:
        break;
    default:
        view.help = false;
        line = 0;
    }
}

}  // namespace

void keep_in_range(ViewState& view, const LiveModel& model, std::size_t rows) {
    const std::size_t total = pane_table(model, view, 0, 0).total;
    const std::size_t room = std::max<std::size_t>(rows_of_pane(rows), 1);
    view.selected = total == 0 ? 0 : std::min(view.selected, total - 1);
    view.first = std::min(view.first, view.selected);
    if (view.selected >= view.first + room)
        view.first = view.selected - room + 1;
    view.first = std::min(view.first, total - std::min(total, room));
}

KeyCommand press(ViewState& view, const LiveModel& model, char32_t key, std::size_t rows) {
    if (key == key_none)
        return KeyCommand::none;
    if (view.typing) {
        type(view, key);
        return KeyCommand::none;
    }
    if (view.help) {
        scroll_help(view, key, rows);
        return KeyCommand::none;
    }
    if (key != key_resize)
        view.message.clear();
    const std::size_t page = std::max<std::size_t>(rows_of_pane(rows), 1);
    KeyCommand command = KeyCommand::none;
    switch (key) {
    case 'q':
        return KeyCommand::quit;
    case '?':
    case 'h':
        view.help = true;
        return KeyCommand::none;
    case key_tab:
        choose(view, (view.pane_index() + 1) % pane_count);
        break;
    case key_tab_back:
        choose(view, (view.pane_index() + pane_count - 1) % pane_count);
        break;
    case 'o':
        choose(view, static_cast<std::size_t>(PaneId::open));
        break;
    case key_up:
        view.selected -= view.selected > 0;
        break;
    case key_down:
        view.selected++;
        break;
    case key_page_up:
        view.selected -= std::min(view.selected, page);
        view.first -= std::min(view.first, page);
        break;
    case key_page_down:
        view.selected += page;
        view.first += page;
        break;
    case key_home:
        view.selected = view.first = 0;
        break;
    case key_end:
        view.selected = ~std::size_t{0} / 2;
        break;
    case key_enter:
        expand(view, model, std::nullopt);
        break;
    case key_right:
        expand(view, model, true);
        break;
    case key_left:
        expand(view, model, false);
        break;
    case '+':
    case '-':
        if (view.pane == PaneId::tree)
            expand_all(view, model, key == '+');
        break;
    case 's':
        sort_by_next(view, 1);
        break;
    case 'S':
        sort_by_next(view, pane_kinds[view.pane_index()].columns.size() - 1);
        break;
    case 'r':
        view.reversed[view.pane_index()] = !view.reversed[view.pane_index()];
        break;
    case 'd':
        view.span = view.span == TimeSpan::interval                  ? TimeSpan::start
                    : view.span == TimeSpan::start && model.has_mark ? TimeSpan::mark
                                                                     : TimeSpan::interval;
        break;
    case 'm':
        view.span = TimeSpan::mark;
        show_note(view, "mark set: figures count from now");
        command = KeyCommand::mark;
        break;
    case ' ':
        view.frozen = !view.frozen;
        break;
    case '/':
        view.typing = true;
        view.typed = view.search;
        break;
    case key_escape:
        view.search.clear();
        break;
    case 'f':
        view.full_names = !view.full_names;
        break;
    case 'g':
        view.merged_threads = !view.merged_threads;
        break;
    case 'w':
        return KeyCommand::snapshot;
    case 'p':
        return KeyCommand::page;
    case key_resize:
        break;
    default:
        if (const auto kind = std::find_if(
                std::begin(pane_kinds), std::end(pane_kinds),
                [key](const PaneKind& pane) { return static_cast<char32_t>(pane.key) == key; });
            kind != std::end(pane_kinds))
            choose(view, static_cast<std::size_t>(kind->id));
        else
            show_note(view, "press ? for a list of keys");
    }
    keep_in_range(view, model, rows);
    return command;
}

}  // namespace vftrace

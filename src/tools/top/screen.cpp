// A terminal, implemented with ncurses.
#include "top/screen.hpp"

#include <algorithm>
#include <cstdlib>
#include <poll.h>
#include <string>
#include <unistd.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>

#include "top/keys.hpp"

namespace vftrace {
namespace {

constexpr struct {
    int code;
    TerminalKey key;
} keys[] = {{KEY_UP, key_up},         {KEY_DOWN, key_down},
            {KEY_LEFT, key_left},     {KEY_RIGHT, key_right},
            {KEY_PPAGE, key_page_up}, {KEY_NPAGE, key_page_down},
            {KEY_HOME, key_home},     {KEY_END, key_end},
            {KEY_BTAB, key_tab_back}, {KEY_BACKSPACE, key_backspace},
            {KEY_RESIZE, key_resize}};

constexpr struct {
    Style style;
    short foreground, background;  // -1: the default of the terminal
    attr_t attributes;             // with and without colours
} looks[] = {{Style::plain, -1, -1, A_NORMAL},
             {Style::title, COLOR_CYAN, -1, A_BOLD},
             {Style::heading, -1, -1, A_BOLD | A_UNDERLINE},
             {Style::selected, -1, -1, A_REVERSE},
             {Style::faint, COLOR_CYAN, -1, A_NORMAL},
             {Style::strong, COLOR_GREEN, -1, A_BOLD},
             {Style::warning, COLOR_RED, -1, A_BOLD}};

std::string too_simple() {
    const char* name = std::getenv("TERM");
    return std::string("the terminal (TERM=") + (name ? name : "") +
           ") is too simple or not known: use --once, --batch or --json";
}

class CursesScreen final : public Screen {
  public:
    explicit CursesScreen(bool wants_colors) {
        // Not initscr(), which ends the process if it fails.
        set_escdelay(25);
        terminal_ = newterm(nullptr, stdout, stdin);
        if (!terminal_)
            throw NoScreen(too_simple());
        const char* moves_cursor = tigetstr(const_cast<char*>("cup"));
        if (!moves_cursor || moves_cursor == reinterpret_cast<const char*>(-1)) {
            endwin();
            delscreen(terminal_);
            throw NoScreen(too_simple());
        }
        cbreak();
        noecho();
        keypad(stdscr, TRUE);
        curs_set(0);
        has_colors_ = wants_colors && has_colors();
        if (!has_colors_)
            return;
        start_color();
        use_default_colors();
        short pair = 1;
        for (const auto& look : looks)
            init_pair(pair++, look.foreground, look.background);
    }
    ~CursesScreen() override {
        endwin();
        delscreen(terminal_);
    }
    CursesScreen(const CursesScreen&) = delete;
    CursesScreen& operator=(const CursesScreen&) = delete;

    std::size_t rows() const override {
        return static_cast<std::size_t>(std::max(getmaxy(stdscr), 0));
    }
    std::size_t columns() const override {
        return static_cast<std::size_t>(std::max(getmaxx(stdscr), 0));
    }

    void paint(const TextFrame& frame) override {
        erase();
        for (std::size_t row = 0; row < frame.size(); row++) {
            move(static_cast<int>(row), 0);
            for (const StyledText& part : frame[row].parts()) {
                set_style(part.style);
                addstr(part.text.c_str());
            }
        }
        attrset(A_NORMAL);
        refresh();
    }

    char32_t key(int milliseconds) override {
        timeout(milliseconds);
        wint_t character = 0;
        switch (get_wch(&character)) {
        case KEY_CODE_YES:
            for (const auto& each : keys)
                if (each.code == static_cast<int>(character))
                    return each.key;
            return character == KEY_ENTER ? static_cast<char32_t>(key_enter)
                                          : static_cast<char32_t>(key_none);
        case OK:
            if (character == '\r')
                return key_enter;
            return character == 127 || character == '\b' ? static_cast<char32_t>(key_backspace)
                                                         : static_cast<char32_t>(character);
        default:
            return has_hung_up() ? static_cast<char32_t>('q') : static_cast<char32_t>(key_none);
        }
    }

  private:
    // No key can be pressed any more.
    static bool has_hung_up() {
        pollfd input{STDIN_FILENO, POLLIN, 0};
        return poll(&input, 1, 0) > 0 && (input.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
    }

    void set_style(Style style) {
        short pair = 1;
        for (const auto& look : looks) {
            if (look.style == style)
                attrset(look.attributes | (has_colors_ ? COLOR_PAIR(pair) : 0));
            pair++;
        }
    }

    SCREEN* terminal_;
    bool has_colors_ = false;
};

}  // namespace

std::unique_ptr<Screen> open_screen(bool colors) {
    if (!isatty(STDIN_FILENO))
        throw NoScreen("standard input is not a terminal: use --once, --batch or --json");
    if (!isatty(STDOUT_FILENO))
        throw NoScreen("standard output is not a terminal: use --once, --batch or --json");
    return std::make_unique<CursesScreen>(colors);
}

}  // namespace vftrace

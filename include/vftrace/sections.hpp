/* vftrace/sections.hpp: sections that end with their scope, for C++11 and later.
 *
 * Example
 *
 *     #include <vftrace/sections.hpp>
 *
 *     class Dog : public vftrace::section_source {  // its sections are called Dog::...
 *         void clean() {
 *             VFTRACE_SECTION("clean", 2, "Cleaning the Dog");
 *             {
 *                 VFTRACE_SECTION("soap", 3, "Soaping the Dog");
 *                 soap();
 *             }
 *             rinse();
 *         }
 *     };
 *
 *     double seconds = vftrace::section_data(vftrace::data_type::TOTAL, "Dog::clean");
 *     vftrace::print_sections(std::cout);
 *
 * vftrace/sections.h, which is included, says what a section is, and what happens without the
 * library, with profiling off and at the end. Nothing in this header appears in the profile. */
#ifndef VFTRACE_SECTIONS_HPP
#define VFTRACE_SECTIONS_HPP

#include "sections.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#if defined(__GXX_RTTI) || defined(__cpp_rtti)
#define VFTRACE_DETAIL_RTTI 1
#include <cxxabi.h>
#include <typeinfo>
#endif

/* The prefix of sections in functions that are not members of a vftrace::section_source. In those
 * that are, name look-up in the macros finds the member function with this name first. */
VFTRACE_DETAIL_UNSEEN inline const char* vftrace_prefix_of_scope() noexcept { return nullptr; }

namespace vftrace {

/* A section, as returned by register_section(). */
using section_id = const ::vftrace_section*;

/* Registers a section: see vftrace_section_register(). */
VFTRACE_DETAIL_UNSEEN inline section_id register_section(const char* name, int level,
                                                         const char* live_message = "",
                                                         bool print_dots = true) noexcept {
    return ::vftrace_section_register(name, level, live_message, print_dots);
}
VFTRACE_DETAIL_UNSEEN inline section_id register_section(const std::string& name, int level,
                                                         const std::string& live_message = "",
                                                         bool print_dots = true) noexcept {
    return ::vftrace_section_register(name.c_str(), level, live_message.c_str(), print_dots);
}

namespace detail {

/* Pointers shared by threads. Functions of std::atomic would appear in the profile. */
template <class Type>
VFTRACE_DETAIL_UNSEEN inline Type* load(Type* const& shared) noexcept {
#if defined(__GNUC__)
    return __atomic_load_n(&shared, __ATOMIC_ACQUIRE);
#else
    return *static_cast<Type* const volatile*>(&shared);
#endif
}
template <class Type>
VFTRACE_DETAIL_UNSEEN inline void store(Type*& shared, Type* value) noexcept {
#if defined(__GNUC__)
    __atomic_store_n(&shared, value, __ATOMIC_RELEASE);
#else
    *static_cast<Type* volatile*>(&shared) = value;
#endif
}

}  // namespace detail

/* Base of classes whose sections have a prefix of their own: "prefix::name". Each object may have a
 * different one. In static member functions, and in lambdas that do not capture `this`, the macros
 * with a name do not compile; register_section() and VFTRACE_SECTION(id) do. */
class section_source {
  public:
    VFTRACE_DETAIL_UNSEEN explicit section_source(std::string prefix) : given_(std::move(prefix)) {}
#ifdef VFTRACE_DETAIL_RTTI
    /* The prefix is the name of the object's class, when its first section begins. */
    VFTRACE_DETAIL_UNSEEN section_source() = default;
#endif
    VFTRACE_DETAIL_UNSEEN section_source(const section_source& other) : given_(other.given_) {}
    VFTRACE_DETAIL_UNSEEN section_source& operator=(const section_source&) { return *this; }
    VFTRACE_DETAIL_UNSEEN virtual ~section_source() = default;

    /* The same as the function above, for a section of this object. */
    VFTRACE_DETAIL_UNSEEN section_id register_section(const std::string& name, int level,
                                                      const std::string& live_message = "",
                                                      bool print_dots = true) const {
        return ::vftrace_section_register_in(vftrace_prefix_of_scope(), name.c_str(), level,
                                             live_message.c_str(), print_dots);
    }

    /* For the macros. */
    VFTRACE_DETAIL_UNSEEN const char* vftrace_prefix_of_scope() const {
        const char* known = detail::load(known_);
        return known != nullptr ? known : find_prefix();
    }

  private:
    VFTRACE_DETAIL_UNSEEN const char* find_prefix() const {
        const char* prefix = nullptr;
#ifdef VFTRACE_DETAIL_RTTI
        if (given_.empty()) {
            int status = 0;
            char* const name = abi::__cxa_demangle(typeid(*this).name(), nullptr, nullptr, &status);
            prefix = ::vftrace_section_prefix(name != nullptr ? name : typeid(*this).name());
            std::free(name);
        } else
#endif
            prefix = ::vftrace_section_prefix(given_.c_str());
        detail::store(known_, prefix);
        return prefix;
    }

    std::string given_;
    mutable const char* known_ = nullptr;
};

namespace detail {

/* Per place in the source: the section that began there last. */
struct section_place {
    section_id latest;
};

}  // namespace detail

/* A section that begins when the object is made and ends when it is destroyed. It may be destroyed
 * on another thread, or after sections that began later, as happens in coroutines: it ends exactly
 * the activation that it began. */
class section_scope {
  public:
    VFTRACE_DETAIL_UNSEEN explicit section_scope(section_id section) noexcept { open(section); }
    VFTRACE_DETAIL_UNSEEN ~section_scope() {
        if (section_ != nullptr)
            ::vftrace_section_close(section_, &mark_);
    }
    section_scope(const section_scope&) = delete;
    section_scope& operator=(const section_scope&) = delete;

    /* For the macros. A literal name is looked up when the place is reached for the first time, or
     * by an object with a different prefix; other names are looked up each time. */
    template <class Prefix>
    VFTRACE_DETAIL_UNSEEN section_scope(detail::section_place&, Prefix,
                                        section_id section) noexcept {
        open(section);
    }
    template <class Prefix, std::size_t size>
    VFTRACE_DETAIL_UNSEEN section_scope(detail::section_place& place, Prefix prefix_of_scope,
                                        const char (&name)[size], int level,
                                        const char* live_message = "", bool print_dots = true) {
#if defined(__GNUC__) && !defined(VFTRACE_SECTIONS_LINKED)
        if (vftrace_section_calls_found() == nullptr)
            return;
#endif
        const char* const prefix = prefix_of_scope();
        section_id section = detail::load(place.latest);
        if (section == nullptr || section->prefix != prefix) {
            section = ::vftrace_section_register_in(prefix, name, level, live_message, print_dots);
            detail::store(place.latest, section);
        }
        open(section);
    }
    template <class Prefix>
    VFTRACE_DETAIL_UNSEEN
    section_scope(detail::section_place&, Prefix prefix_of_scope, const std::string& name,
                  int level, const std::string& live_message = "", bool print_dots = true) {
        open(::vftrace_section_register_in(prefix_of_scope(), name.c_str(), level,
                                           live_message.c_str(), print_dots));
    }
    template <class Prefix, std::size_t size>
    VFTRACE_DETAIL_UNSEEN section_scope(detail::section_place& place, Prefix prefix_of_scope,
                                        char (&name)[size], int level,
                                        const char* live_message = "", bool print_dots = true)
        : section_scope(place, prefix_of_scope, std::string(name), level, std::string(live_message),
                        print_dots) {}

  private:
    VFTRACE_DETAIL_UNSEEN void open(section_id section) noexcept {
        section_ = section;
        if (section_ != nullptr)
            ::vftrace_section_open(section_, &mark_);
    }

    section_id section_ = nullptr;
    ::vftrace_section_mark mark_;
};

/* The figures of enum vftrace_section_figure. */
enum class data_type {
    SELF = VFTRACE_SELF,
    CHILDREN = VFTRACE_CHILDREN,
    TOTAL = VFTRACE_TOTAL,
    SELF_AVG = VFTRACE_SELF_AVG,
    CHILDREN_AVG = VFTRACE_CHILDREN_AVG,
    TOTAL_AVG = VFTRACE_TOTAL_AVG,
    SELF_PERCENT = VFTRACE_SELF_PERCENT,
    CHILDREN_PERCENT = VFTRACE_CHILDREN_PERCENT,
    TOTAL_PERCENT = VFTRACE_TOTAL_PERCENT,
    SELF_MEMORY = VFTRACE_SELF_MEMORY,
    CHILDREN_MEMORY = VFTRACE_CHILDREN_MEMORY,
    TOTAL_MEMORY = VFTRACE_TOTAL_MEMORY,
    CALLS = VFTRACE_CALLS
};

/* The threads whose figures are wanted. */
enum class section_threads { all, calling };

/* Returns a figure of a section while the program runs: see vftrace_section_data(). A name that was
 * never registered throws std::out_of_range, or gives 0 without `must_exist`. If nothing is
 * recorded, the result is NaN, or 0 without `must_exist`. Throws std::bad_alloc if memory is
 * exhausted. */
VFTRACE_DETAIL_UNSEEN inline double section_data(data_type type, const std::string& name,
                                                 bool must_exist = true,
                                                 section_threads threads = section_threads::all) {
    double value = 0;
    const int options = (must_exist ? 0 : VFTRACE_MAY_BE_MISSING) |
                        (threads == section_threads::all ? 0 : VFTRACE_OF_THIS_THREAD);
    switch (::vftrace_section_data(static_cast<int>(type), name.c_str(), options, &value)) {
    case VFTRACE_SECTION_UNKNOWN:
        throw std::out_of_range("vftrace::section_data: there is no section \"" + name + "\"");
    case VFTRACE_SECTION_BAD_FIGURE:
        throw std::invalid_argument("vftrace::section_data: there is no such type of data");
    case VFTRACE_SECTION_NO_MEMORY:
        throw std::bad_alloc();
    case VFTRACE_SECTION_NO_FIGURES:
        return must_exist ? value : 0;
    default:
        return value;
    }
}

/* Stores the current figures of all sections: see vftrace_section_snapshot(). Returns whether
 * anything is recorded. */
VFTRACE_DETAIL_UNSEEN inline bool section_snapshot(double label) noexcept {
    return ::vftrace_section_snapshot(label) == VFTRACE_SECTION_OK;
}

/* What print_sections() prints; members as in vftrace_section_table. */
struct section_table : ::vftrace_section_table {
    VFTRACE_DETAIL_UNSEEN section_table() noexcept : ::vftrace_section_table() {}
};

/* Prints tables of the current figures of sections; prints nothing if nothing is recorded. */
template <class Stream>
VFTRACE_DETAIL_UNSEEN void print_sections(Stream& stream,
                                          const section_table& table = section_table()) {
    char* const text = ::vftrace_section_text(&table);
    if (text != nullptr)
        stream << text;
    std::free(text);
}
VFTRACE_DETAIL_UNSEEN inline void print_sections(std::FILE* stream,
                                                 const section_table& table = section_table()) {
    char* const text = ::vftrace_section_text(&table);
    if (text != nullptr)
        std::fputs(text, stream);
    std::free(text);
}

}  // namespace vftrace

#define VFTRACE_DETAIL_SECTION_JOIN_(a, b) a##b
#define VFTRACE_DETAIL_SECTION_JOIN(a, b) VFTRACE_DETAIL_SECTION_JOIN_(a, b)
#define VFTRACE_DETAIL_SECTION(number, prefix_of_scope, ...)                                       \
    static ::vftrace::detail::section_place VFTRACE_DETAIL_SECTION_JOIN(vftrace_place_,            \
                                                                        number) = {nullptr};       \
    const ::vftrace::section_scope VFTRACE_DETAIL_SECTION_JOIN(vftrace_section_, number)(          \
        VFTRACE_DETAIL_SECTION_JOIN(vftrace_place_, number),                                       \
        [&]() VFTRACE_DETAIL_UNSEEN -> const char* { return prefix_of_scope; }, __VA_ARGS__)

/* Makes the rest of the enclosing scope a section:
 *
 *     VFTRACE_SECTION(name, level)
 *     VFTRACE_SECTION(name, level, live_message)
 *     VFTRACE_SECTION(name, level, live_message, print_dots)   as for vftrace_section_register()
 *     VFTRACE_SECTION(id)                                      as returned by register_section()
 *
 * In member functions of a vftrace::section_source its name has the object's prefix. */
#define VFTRACE_SECTION(...)                                                                       \
    VFTRACE_DETAIL_SECTION(__COUNTER__, vftrace_prefix_of_scope(), __VA_ARGS__)

#endif

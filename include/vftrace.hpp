/* vftrace.hpp: regions that end with their scope, for C++11 and later.
 *
 * Example
 *
 *     #include <vftrace.hpp>
 *
 *     void Solver::step() {
 *         VFTRACE_FUNCTION_REGION();               // shown as Solver::step until step returns
 *         {
 *             VFTRACE_REGION("halo exchange");     // ends at the closing brace, also by exception
 *             exchange();
 *         }
 *         vftrace::region level("level " + std::to_string(depth));  // a name made at run time
 *         smooth();
 *     }
 *
 * Nothing in this header appears in the profile itself, even if -finstrument-functions is given
 * without exclusions. The functions of vftrace.h are included.
 */
#ifndef VFTRACE_HPP
#define VFTRACE_HPP

#include "vftrace.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#if defined(__GNUC__)
#define VFTRACE_DETAIL_HIDDEN __attribute__((no_instrument_function))
#define VFTRACE_DETAIL_INLINE __attribute__((no_instrument_function, always_inline)) inline
#else
#define VFTRACE_DETAIL_HIDDEN
#define VFTRACE_DETAIL_INLINE inline
#endif

/* vftrace::region("x"); without a variable would end at once: let the compiler warn about it. */
#if __cplusplus >= 201703L
#define VFTRACE_DETAIL_NODISCARD [[nodiscard]]
#else
#define VFTRACE_DETAIL_NODISCARD
#endif

namespace vftrace {

namespace detail {

/* Allocates a copy of text[0, length), NUL-terminated; a null pointer if memory is exhausted. */
VFTRACE_DETAIL_HIDDEN inline char* copy_text(const char* text, std::size_t length) noexcept {
    char* copy = static_cast<char*>(std::malloc(length + 1));
    if (copy != nullptr) {
        std::memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

VFTRACE_DETAIL_HIDDEN inline bool is_opening(char c) noexcept {
    return c == '(' || c == '<' || c == '[' || c == '{';
}

VFTRACE_DETAIL_HIDDEN inline bool is_closing(char c) noexcept {
    return c == ')' || c == '>' || c == ']' || c == '}';
}

/* Removes the return type and parameters from the compiler's name of a function:
 *     "virtual void grid::Field<T>::fill(T) const [with T = double]"   (gcc)
 * becomes
 *     "grid::Field<T>::fill [with T = double]".
 * Anything out of the ordinary (operators, lambdas, functions that return function pointers) is
 * kept as it is. The result is allocated once per function and never freed, because regions can
 * still end while static objects are destroyed. */
VFTRACE_DETAIL_HIDDEN inline const char* qualified_name(const char* signature) noexcept {
    const char* const arguments = std::strstr(signature, " [");
    const std::size_t length = std::strlen(signature);
    const std::size_t declaration =
        arguments != nullptr ? static_cast<std::size_t>(arguments - signature) : length;

    std::size_t close = declaration;  // after the parameter list
    while (close > 0 && !is_closing(signature[close - 1])) {
        --close;
    }
    std::size_t open = close;  // at its opening bracket
    int depth = 0;
    do {
        if (open == 0) {
            return signature;
        }
        --open;
        depth += is_closing(signature[open]) ? 1 : is_opening(signature[open]) ? -1 : 0;
    } while (depth > 0);
    std::size_t begin = open;
    while (begin > 0 && (depth > 0 || signature[begin - 1] != ' ')) {
        --begin;
        depth += is_closing(signature[begin]) ? 1 : is_opening(signature[begin]) ? -1 : 0;
    }
    while (begin < open && (signature[begin] == '*' || signature[begin] == '&')) {
        ++begin;  // clang writes them next to the name: "char *name(int)"
    }
    const bool ordinary = signature[open] == '(' && begin < open && depth == 0 &&
                          std::strstr(signature, "operator") == nullptr &&
                          std::strstr(signature, "lambda") == nullptr &&
                          !is_closing(signature[open - 1]);
    if (!ordinary) {
        return signature;
    }
    char* const name = copy_text(signature + begin, open - begin + length - declaration);
    if (name == nullptr) {
        return signature;
    }
    std::memcpy(name + (open - begin), signature + declaration, length - declaration);
    return name;
}

}  // namespace detail

/* A region that begins when the object is made and ends when it is destroyed. */
class region {
  public:
    /* name: as for vftrace_region_begin; it must stay valid and unchanged for the lifetime of the
     * object, as a string literal does. Costs no more than the two C calls. */
    VFTRACE_DETAIL_NODISCARD VFTRACE_DETAIL_INLINE explicit region(const char* name) noexcept
        : name_(name), copy_(nullptr) {
        vftrace_region_begin(name_);
    }

    /* Keeps a copy of the name (one allocation), so a temporary may be passed. The name ends at its
     * first NUL character, if any. */
    VFTRACE_DETAIL_NODISCARD VFTRACE_DETAIL_INLINE explicit region(const std::string& name) noexcept
        : copy_(detail::copy_text(name.data(), name.size())) {
        name_ = copy_ != nullptr ? copy_ : "(region name lost: out of memory)";
        vftrace_region_begin(name_);
    }

    VFTRACE_DETAIL_INLINE ~region() {
        vftrace_region_end(name_);
        std::free(copy_);
    }

    region(const region&) = delete;
    region& operator=(const region&) = delete;

  private:
    const char* name_;
    char* copy_;
};

}  // namespace vftrace

#define VFTRACE_DETAIL_JOIN_(a, b) a##b
#define VFTRACE_DETAIL_JOIN(a, b) VFTRACE_DETAIL_JOIN_(a, b)

/* Makes the rest of the enclosing scope a region. name: const char* or std::string. May be used
 * several times in one scope; the regions nest. */
#define VFTRACE_REGION(name)                                                                       \
    const ::vftrace::region VFTRACE_DETAIL_JOIN(vftrace_region_, __COUNTER__)(name)

#define VFTRACE_DETAIL_FUNCTION_REGION(number)                                                     \
    static const char* const VFTRACE_DETAIL_JOIN(vftrace_name_, number) =                          \
        ::vftrace::detail::qualified_name(__PRETTY_FUNCTION__);                                    \
    const ::vftrace::region VFTRACE_DETAIL_JOIN(vftrace_region_, number)(                          \
        VFTRACE_DETAIL_JOIN(vftrace_name_, number))

/* Makes the rest of the enclosing scope a region with the name of the enclosing function, without
 * return type and parameters: "Solver::step". __func__ would be simpler, but it is "step" in every
 * class and "operator()" in every lambda; overloads share a name, template instantiations do not.
 * The name is made at the first call; later calls cost one comparison. */
#define VFTRACE_FUNCTION_REGION() VFTRACE_DETAIL_FUNCTION_REGION(__COUNTER__)

#endif

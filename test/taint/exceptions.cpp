// Functions that exceptions leave have entries, and later calls are not below them.
#include "parameter.h"
#include <stdexcept>
static void inner(int n) {
    for (int i = 0; i < n; ++i)
        work();
    throw std::runtime_error("as planned");
}
static void outer(int n) {
    struct Guard {
        ~Guard() { work(); }
    } guard;
    inner(n);
}
static void after(int m) {
    for (int i = 0; i < m; ++i)
        work();
}
int main() {
    int n = 3, m = 4;
    PARAMETER(n);
    PARAMETER(m);
    for (int i = 0; i < 2; ++i) {
        try {
            outer(n);
        } catch (const std::exception&) {
            after(m);
        }
    }
    after(m);
}

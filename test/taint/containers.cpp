// Containers whose size is a parameter; strings made from one.
#include "parameter.h"
#include <string>
#include <vector>
static void over(const std::vector<int>& list) {
    for (int element : list)
        work_done = work_done + element;
}
static void over_string(const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i)
        work();
}
int main() {
    int n = 5;
    unsigned m = 40;
    PARAMETER(n);
    PARAMETER(m);
    std::vector<int> list(n, 1);
    over(list);
    over_string(std::string(m, 'x'));
    over(std::vector<int>{1, 2, 3});
}

// Containers that are filled element by element: their sizes depend on the loop that adds elements.
#include "parameter.h"
#include <deque>
#include <list>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>
static volatile int sum;
__attribute__((noinline)) static void over_vector(const std::vector<int>& of) {
    for (const int element : of)
        sum = sum + element;
}
__attribute__((noinline)) static void over_string(const std::string& of) {
    for (std::size_t i = 0; i < of.size(); ++i)
        sum = sum + of[i];
}
__attribute__((noinline)) static void over_deque(const std::deque<int>& of) {
    for (const int element : of)
        sum = sum + element;
}
__attribute__((noinline)) static void over_list(const std::list<int>& of) {
    for (const int element : of)
        sum = sum + element;
}
__attribute__((noinline)) static void over_map(const std::map<int, int>& of) {
    for (const auto& element : of)
        sum = sum + element.second;
}
__attribute__((noinline)) static void over_unordered(const std::unordered_set<int>& of) {
    for (const int element : of)
        sum = sum + element;
}
// The elements do not depend on how many there are.
__attribute__((noinline)) static void over_element(int count) {
    for (int i = 0; i < count; ++i)
        work();
}
__attribute__((noinline)) static void over_row(const std::vector<int>& of) {
    for (const int element : of)
        sum = sum + element;
}
// Each row is another container, so the number of rows has no effect on its size.
__attribute__((noinline)) static void rows(int n, int m) {
    for (int i = 0; i < n; ++i) {
        std::vector<int> row;
        for (int j = 0; j < m; ++j)
            row.push_back(3);
        over_row(row);
    }
}
int main() {
    int n = 5, m = 6;
    PARAMETER(n);
    PARAMETER(m);
    std::vector<int> vector;
    std::string string;
    std::deque<int> deque;
    std::list<int> list;
    std::map<int, int> map;
    std::unordered_set<int> unordered;
    for (int i = 0; i < n; ++i) {
        vector.push_back(2);
        string += 'x';
        deque.push_back(2);
        list.push_back(2);
        map[i] = 2;
    }
    for (int i = 0; i < m; ++i)
        unordered.insert(i);
    over_vector(vector);
    over_string(string);
    over_deque(deque);
    over_list(list);
    over_map(map);
    over_unordered(unordered);
    over_element(vector[0]);
    rows(n, m);
}

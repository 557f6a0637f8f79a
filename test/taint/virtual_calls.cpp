// Virtual functions and calls through pointers.
#include "parameter.h"
struct Shape {
    virtual ~Shape() = default;
    virtual void draw(int n) const = 0;
};
struct Line : Shape {
    void draw(int n) const override {
        for (int i = 0; i < n; ++i)
            work();
    }
};
struct Square : Shape {
    void draw(int n) const override {
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                work();
    }
};
static void twice(int m) {
    for (int i = 0; i < 2 * m; ++i)
        work();
}
static void call(void (*function)(int), int m) { function(m); }
static void draw(const Shape& shape, int n) { shape.draw(n); }
int main() {
    int n = 3, m = 2;
    PARAMETER(n);
    PARAMETER(m);
    draw(Line(), n);
    draw(Square(), n);
    call(twice, m);
}

/* Work in functions of the C library whose length is a parameter. */
#include "parameter.h"
#include <stdlib.h>
#include <string.h>
static int less(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
__attribute__((noinline)) static void clear(char* a, size_t n) { memset(a, 0, n); }
__attribute__((noinline)) static void copy_rows(char* a, const char* b, size_t n, int m) {
    for (int i = 0; i < m; ++i)
        memcpy(a, b, n);
}
__attribute__((noinline)) static void sort(int* a, size_t n) { qsort(a, n, sizeof *a, less); }
__attribute__((noinline)) static size_t length(const char* text) { return strlen(text); }
__attribute__((noinline)) static void clear_some(char* a) { memset(a, 0, 8); }
int main(void) {
    int n = 32, m = 3;
    PARAMETER(n);
    PARAMETER(m);
    static int numbers[64];
    static char a[64], b[64];
    clear(a, n);
    copy_rows(a, b, n, m);
    sort(numbers, n);
    clear_some(a);
    memset(b, 'x', 63);
    return length(b) != 63;
}

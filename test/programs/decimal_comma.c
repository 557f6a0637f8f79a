/* Sets a locale whose decimal point is a comma. */
#include <locale.h>
#include <stdio.h>
#include <time.h>
__attribute__((noinline)) static void work(void) {
    struct timespec time = {0, 10000000};
    nanosleep(&time, 0);
}
int main(void) {
    const char* names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE"};
    for (int i = 0; i < 3; i++)
        if (setlocale(LC_ALL, names[i]))
            break;
    work();
    printf("%.1f\n", 1.5);
    return 0;
}

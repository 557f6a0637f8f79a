/* Waits in a call for a line on stdin, then, after it has left the call, for the end of stdin. */
#include <stdio.h>

void wait_for_byte(void) {
    char line[16];
    printf("waiting\n");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin))
        return;
}

int main(void) {
    wait_for_byte();
    printf("over\n");
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}

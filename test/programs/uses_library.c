/* Calls an instrumented library that it is linked to. */
int call(int n);
int main(void) {
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += call(i);
    return sum;
}

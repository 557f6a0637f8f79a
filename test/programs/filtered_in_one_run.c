/* A function with hooks between two others: without hooks its callees are below its caller.
 */
volatile long sink;

void leaf(void) { sink++; }

void small(void) {
    leaf();
    leaf();
}

void middle(void) {
    for (int i = 0; i < 100; i++)
        small();
}

int main(void) {
    for (int i = 0; i < 3; i++)
        middle();
    return 0;
}

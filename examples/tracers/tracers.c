/* Particles that are carried by a flow, with three ways to need more memory than necessary. See
   doc/memory.md. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 2048, PARTICLES = 60000, STEPS = 100, NEIGHBOURS = 4 };

/* As in a program of several files. */
#define FUNCTION static __attribute__((noinline))

typedef struct {
    double x, y;
} Point;

typedef struct Record {
    struct Record* earlier;
    Point places[PARTICLES];
} Record;

FUNCTION void no_memory(void) {
    fputs("no memory\n", stderr);
    exit(1);
}

/* The input has three numbers for each point, of which the program needs one. */
FUNCTION double* read_input(void) {
    double* const numbers = malloc(3 * sizeof(double) * SIDE * SIDE);
    if (!numbers)
        no_memory();
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            for (int i = 0; i < 3; i++)
                numbers[3 * (SIDE * y + x) + i] = (x - y) % 100 * 1e-3 + i;
    return numbers;
}

FUNCTION float* make_field(void) {
    double* const input = read_input();
    float* const field = malloc(sizeof(float) * SIDE * SIDE);
    if (!field)
        no_memory();
    for (int i = 0; i < SIDE * SIDE; i++)
        field[i] = (float)input[3 * i];
    free(input);
    return field;
}

/* The mean of the field around a point. */
FUNCTION double velocity(const float* field, Point at) {
    int* const cells = malloc(NEIGHBOURS * sizeof(int));
    if (!cells)
        no_memory();
    const int x = (int)at.x, y = (int)at.y;
    for (int i = 0; i < NEIGHBOURS; i++)
        cells[i] = SIDE * ((y + i / 2) % SIDE) + (x + i % 2) % SIDE;
    double sum = 0;
    for (int i = 0; i < NEIGHBOURS; i++)
        sum += field[cells[i]];
    free(cells);
    return sum / NEIGHBOURS;
}

FUNCTION void move(const float* field, Point* places) {
    for (int i = 0; i < PARTICLES; i++) {
        const double speed = velocity(field, places[i]);
        places[i].x = fmod(places[i].x + speed + SIDE, SIDE);
        places[i].y = fmod(places[i].y + speed / 2 + SIDE, SIDE);
    }
}

/* Keeps the places of each step, of which only the last one is printed. */
FUNCTION Record* remember(Record* earlier, const Point* places) {
    Record* const record = malloc(sizeof(Record));
    if (!record)
        no_memory();
    record->earlier = earlier;
    for (int i = 0; i < PARTICLES; i++)
        record->places[i] = places[i];
    return record;
}

int main(void) {
    float* const field = make_field();
    Point* const places = malloc(PARTICLES * sizeof(Point));
    if (!places)
        no_memory();
    for (int i = 0; i < PARTICLES; i++)
        places[i] = (Point){i % SIDE, i / 30.0};
    Record* record = NULL;
    for (int step = 0; step < STEPS; step++) {
        move(field, places);
        record = remember(record, places);
    }
    printf("%.3f %.3f\n", record->places[999].x, record->places[999].y);
    free(places);
    free(field);
    return 0;
}

/* A field that is distributed over the ranks in columns is written to one file after every few
   steps, row by row as the program that reads it wants it: a rank's part of the file is thousands
   of short pieces between those of the others.

   mpirun -n 4 checkpoint [-c] [HINT=VALUE ...]

   -c: the ranks write together (MPI_File_write_all). Hints are handed to MPI_File_open, for example
   cb_nodes=1. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows = 1024, columns = 64, steps = 200, steps_per_checkpoint = 50 };

static double field[rows][columns], next[rows][columns];

static void step(void) {
    for (int i = 1; i < rows - 1; i++)
        for (int j = 1; j < columns - 1; j++)
            next[i][j] =
                0.25 * (field[i - 1][j] + field[i + 1][j] + field[i][j - 1] + field[i][j + 1]);
    memcpy(field, next, sizeof field);
}

static MPI_File open_checkpoints(const char* name, int hints, char** hint) {
    MPI_Info info;
    MPI_File file;
    MPI_Info_create(&info);
    for (int i = 0; i < hints; i++) {
        char* value = strchr(hint[i], '=');
        if (value) {
            *value = '\0';
            MPI_Info_set(info, hint[i], value + 1);
        }
    }
    if (MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &file) !=
        MPI_SUCCESS) {
        fprintf(stderr, "checkpoint: cannot open %s\n", name);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Info_free(&info);
    return file;
}

static void write_checkpoint(MPI_File file, int number, int rank, int ranks, int together) {
    MPI_Datatype part;
    const MPI_Offset size = (MPI_Offset)rows * columns * ranks * (MPI_Offset)sizeof(double);
    MPI_Type_vector(rows, columns, columns * ranks, MPI_DOUBLE, &part);
    MPI_Type_commit(&part);
    MPI_File_set_view(file, number * size + rank * columns * (MPI_Offset)sizeof(double), MPI_DOUBLE,
                      part, "native", MPI_INFO_NULL);
    if (together)
        MPI_File_write_all(file, field, rows * columns, MPI_DOUBLE, MPI_STATUS_IGNORE);
    else
        MPI_File_write(file, field, rows * columns, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_Type_free(&part);
}

int main(int argc, char** argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            field[i][j] = sin(0.01 * i) * cos(0.01 * (j + columns * rank));
    const int together = argc > 1 && strcmp(argv[1], "-c") == 0;
    MPI_File file = open_checkpoints("field.dat", argc - 1 - together, argv + 1 + together);
    for (int i = 0; i < steps; i++) {
        step();
        if (i % steps_per_checkpoint == 0)
            write_checkpoint(file, i / steps_per_checkpoint, rank, ranks, together);
    }
    MPI_File_close(&file);
    if (rank == 0)
        printf("%d checkpoints of %d ranks\n",
               (steps + steps_per_checkpoint - 1) / steps_per_checkpoint, ranks);
    MPI_Finalize();
    return 0;
}

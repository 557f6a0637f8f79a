/* Monte-Carlo transport of neutrons through a sphere of four materials. Each flight looks up the
   cross sections of five nuclides in tables of 126 MB: a binary search and an interpolation, calls
   of 100 to 300 ns that wait for memory; random numbers come from a small function.

     monte_carlo [SECONDS] */
#include <math.h>
#include <stdint.h>

#include "work_scale.h"

enum { NUCLIDES = 40, POINTS = 1 << 16, MATERIALS = 4, MIX = 5 };
enum { SCATTERING, INELASTIC, CAPTURE, FISSION, REACTIONS };

/* Of each reaction, and in total; in barns for a nuclide, per centimetre for a material.
 */
typedef struct {
    double of[REACTIONS], total;
} CrossSections;

typedef struct {
    int nuclide[MIX];
    double atoms[MIX]; /* per barn and centimetre */
} Material;

typedef struct {
    double position[3], direction[3], energy;
    int shell; /* has the material of this number; MATERIALS if outside */
} Particle;

static const double lowest_energy = 1e-9, highest_energy = 20.0, thermal_energy = 2.5e-8; /* MeV */
static const double shell_thickness = 4.0;                                                /* cm */

/* The energies of each nuclide in ascending order, and its cross sections at them. */
static double (*energies)[POINTS];
static CrossSections (*tables)[POINTS];
static double nuclide_mass[NUCLIDES]; /* in neutron masses */
static Material materials[MATERIALS];

static long flights, collisions, leaked, absorbed[MATERIALS];
static double path_length, fission_neutrons;

NOINLINE static double random_uniform(void) {
    static uint64_t state = 20090211;
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Capture that decreases with the speed, and a resonance every few hundred energy points. */
NOINLINE static void fill_nuclide(int nuclide) {
    const double ratio = pow(highest_energy / lowest_energy, 1.0 / (POINTS - 1));
    const int period = 150 + 23 * (nuclide % 11), fissile = nuclide % 5 == 0;
    double energy = lowest_energy;
    nuclide_mass[nuclide] = 1.0 + nuclide * nuclide * 0.15;
    for (int i = 0; i < POINTS; i++) {
        const double away = 0.3 * (i % period - period / 2), peak = 1.0 / (1.0 + away * away);
        const double slow = 1.0 / sqrt(energy);
        CrossSections* const point = &tables[nuclide][i];
        point->of[SCATTERING] = 4.0 + 20.0 * peak;
        point->of[INELASTIC] = energy > 1.0 ? 0.4 : 0.0;
        point->of[CAPTURE] = 2e-5 * slow + 3.0 * peak;
        point->of[FISSION] = fissile ? 1e-4 * slow + 2.0 * peak : 0.0;
        point->total =
            point->of[SCATTERING] + point->of[INELASTIC] + point->of[CAPTURE] + point->of[FISSION];
        energies[nuclide][i] = energy * (1.0 + 1e-5 * ((i * 7919 + nuclide) % 13));
        energy *= ratio;
    }
}

NOINLINE static int fill_tables(void) {
    energies = malloc(NUCLIDES * sizeof *energies);
    tables = malloc(NUCLIDES * sizeof *tables);
    if (!energies || !tables)
        return 0;
    for (int n = 0; n < NUCLIDES; n++)
        fill_nuclide(n);
    return 1;
}

NOINLINE static void mix_materials(void) {
    for (int m = 0; m < MATERIALS; m++)
        for (int i = 0; i < MIX; i++) {
            materials[m].nuclide[i] = (9 * m + 7 * i) % NUCLIDES;
            materials[m].atoms[i] = 0.009 + 0.002 * ((m + i) % 3);
        }
}

/* The last point of a nuclide's grid that is not above an energy. */
NOINLINE static int search_grid(const double* grid, double energy) {
    int low = 0, high = POINTS - 1;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (grid[middle] > energy)
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* The cross sections of a nuclide at an energy, interpolated between grid points. */
NOINLINE static void interpolate(CrossSections* result, int nuclide, int point, double energy) {
    const double* grid = &energies[nuclide][point];
    const CrossSections *low = &tables[nuclide][point], *high = low + 1;
    const double part = (energy - grid[0]) / (grid[1] - grid[0]);
    for (int reaction = 0; reaction < REACTIONS; reaction++)
        result->of[reaction] = low->of[reaction] + part * (high->of[reaction] - low->of[reaction]);
    result->total = low->total + part * (high->total - low->total);
}

/* The cross sections of a material's nuclides; returns their sum per centimetre. */
NOINLINE static double look_up(const Material* material, double energy, CrossSections* nuclides) {
    double total = 0;
    for (int i = 0; i < MIX; i++) {
        const int nuclide = material->nuclide[i];
        const int point = search_grid(energies[nuclide], energy);
        interpolate(&nuclides[i], nuclide, point, energy);
        total += material->atoms[i] * nuclides[i].total;
    }
    return total;
}

NOINLINE static void turn_isotropically(double* direction) {
    const double cosine = 2.0 * random_uniform() - 1.0, sine = sqrt(1.0 - cosine * cosine);
    const double angle = 6.283185307179586 * random_uniform();
    direction[0] = sine * cos(angle);
    direction[1] = sine * sin(angle);
    direction[2] = cosine;
}

/* A spectrum of fission neutrons, peaked below 1 MeV. */
NOINLINE static double fission_energy(void) {
    const double spread = -log(1.0 - random_uniform()) - log(1.0 - random_uniform());
    return spread < 0.99 * highest_energy ? spread : 1.0;
}

NOINLINE static Particle start_particle(void) {
    Particle particle = {.energy = fission_energy(), .shell = 0};
    turn_isotropically(particle.direction);
    for (int axis = 0; axis < 3; axis++)
        particle.position[axis] = shell_thickness * (random_uniform() - 0.5);
    return particle;
}

/* The distance that a straight flight stays in its shell, and the shell that comes next. */
NOINLINE static double distance_to_boundary(const Particle* particle, int* next_shell) {
    const double *x = particle->position, *d = particle->direction;
    const double along = x[0] * d[0] + x[1] * d[1] + x[2] * d[2];
    const double squared = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    const double inner = shell_thickness * particle->shell, outer = inner + shell_thickness;
    const double inwards = along * along - squared + inner * inner;
    if (particle->shell > 0 && along < 0 && inwards > 0) {
        *next_shell = particle->shell - 1;
        return fmax(0.0, -along - sqrt(inwards));
    }
    *next_shell = particle->shell + 1;
    return fmax(0.0, -along + sqrt(fmax(0.0, along * along - squared + outer * outer)));
}

NOINLINE static void move(Particle* particle, double distance) {
    for (int axis = 0; axis < 3; axis++)
        particle->position[axis] += distance * particle->direction[axis];
    path_length += distance;
}

/* Which nuclide of a material is hit. */
NOINLINE static int pick_nuclide(const Material* material, const CrossSections* nuclides,
                                 double total) {
    double left = total * random_uniform();
    int i = 0;
    while (i < MIX - 1 && (left -= material->atoms[i] * nuclides[i].total) > 0)
        i++;
    return i;
}

NOINLINE static int pick_reaction(const CrossSections* nuclide) {
    double left = nuclide->total * random_uniform();
    int reaction = SCATTERING;
    while (reaction < REACTIONS - 1 && (left -= nuclide->of[reaction]) > 0)
        reaction++;
    return reaction;
}

/* Scatters off a nucleus of some mass at rest, or as slow as the neutron after the collision. */
NOINLINE static void scatter(Particle* particle, double mass, int inelastic) {
    const double ratio = (mass - 1.0) / (mass + 1.0), least = ratio * ratio;
    particle->energy *= least + (1.0 - least) * random_uniform();
    if (inelastic)
        particle->energy *= 0.5;
    if (particle->energy < thermal_energy)
        particle->energy = thermal_energy * (0.5 + random_uniform());
    turn_isotropically(particle->direction);
}

/* Returns whether the particle continues. */
NOINLINE static int collide(Particle* particle, const CrossSections* nuclides, double total) {
    const Material* material = &materials[particle->shell];
    const int i = pick_nuclide(material, nuclides, total), reaction = pick_reaction(&nuclides[i]);
    collisions++;
    if (reaction == CAPTURE || reaction == FISSION) {
        absorbed[particle->shell]++;
        if (reaction == FISSION)
            fission_neutrons += 2.43 + 0.1 * particle->energy;
        return 0;
    }
    scatter(particle, nuclide_mass[material->nuclide[i]], reaction == INELASTIC);
    return 1;
}

/* Follows a particle from its start until it is absorbed or leaves the sphere. */
NOINLINE static void transport(Particle* particle) {
    CrossSections nuclides[MIX];
    int alive = 1;
    while (alive) {
        int next_shell;
        const double total = look_up(&materials[particle->shell], particle->energy, nuclides),
                     free_path = -log(1.0 - random_uniform()) / total,
                     boundary = distance_to_boundary(particle, &next_shell);
        flights++;
        if (free_path < boundary) {
            move(particle, free_path);
            alive = collide(particle, nuclides, total);
        } else {
            move(particle, boundary);
            particle->shell = next_shell;
            alive = next_shell < MATERIALS;
            leaked += !alive;
        }
    }
}

int main(int count, char** arguments) {
    const long particles = work_steps(count, arguments, 24000);
    if (!fill_tables()) {
        fprintf(stderr, "monte_carlo: not enough memory\n");
        return 1;
    }
    mix_materials();
    for (long i = 0; i < particles; i++) {
        Particle particle = start_particle();
        transport(&particle);
    }
    printf("monte_carlo: %ld neutrons, %ld flights, %ld collisions, %ld leaked\n", particles,
           flights, collisions, leaked);
    long sum = leaked;
    for (int m = 0; m < MATERIALS; m++) {
        printf("absorbed in shell %d: %ld\n", m + 1, absorbed[m]);
        sum += absorbed[m];
    }
    printf("lost: %ld, mean path %.9f cm, fission neutrons from each %.9f\n", particles - sum,
           path_length / (double)particles, fission_neutrons / (double)particles);
    free(tables);
    free(energies);
    return 0;
}

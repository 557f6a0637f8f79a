// Recursion of four kinds, each on new data in every round: a quicksort, a binary search tree, an
// octree for the attraction between bodies, and two players that call each other down to a depth of
// 12.
//
//   recursion [SECONDS]
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "work_scale.h"

NOINLINE static std::uint64_t random_bits() {
    static std::uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

NOINLINE static double random_uniform() {
    return static_cast<double>(random_bits() >> 11) * 0x1p-53;
}

// Sorting.

constexpr int key_count = 14000;
static std::uint32_t keys[key_count];

NOINLINE static void insertion_sort(std::uint32_t* first, std::uint32_t* last) {
    for (std::uint32_t* next = first + 1; next < last; next++) {
        const std::uint32_t key = *next;
        std::uint32_t* to = next;
        for (; to > first && to[-1] > key; to--)
            *to = to[-1];
        *to = key;
    }
}

NOINLINE static std::uint32_t median(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    if (a > b)
        return b > c ? b : a > c ? c : a;
    return a > c ? a : b > c ? c : b;
}

// Returns the end of the part whose keys are at most the pivot; those after it are at least that.
NOINLINE static std::uint32_t* partition(std::uint32_t* first, std::uint32_t* last,
                                         std::uint32_t pivot) {
    std::uint32_t *left = first, *right = last - 1;
    while (true) {
        while (*left < pivot)
            left++;
        while (*right > pivot)
            right--;
        if (left >= right)
            return left;
        const std::uint32_t key = *left;
        *left++ = *right;
        *right-- = key;
    }
}

// Returns the depth that was reached.
NOINLINE static int quicksort(std::uint32_t* first, std::uint32_t* last) {
    if (last - first <= 12) {
        insertion_sort(first, last);
        return 1;
    }
    std::uint32_t* const middle =
        partition(first, last, median(*first, first[(last - first) / 2], last[-1]));
    const int left = quicksort(first, middle), right = quicksort(middle, last);
    return 1 + (left > right ? left : right);
}

// A binary search tree of the keys of a round.

struct TreeNode {
    std::uint32_t key;
    int count;
    TreeNode *left, *right;
};
static TreeNode tree_nodes[key_count];
static int tree_node_count;

NOINLINE static TreeNode* insert(TreeNode* node, std::uint32_t key) {
    if (!node) {
        TreeNode* const leaf = &tree_nodes[tree_node_count++];
        *leaf = {key, 1, nullptr, nullptr};
        return leaf;
    }
    if (key < node->key)
        node->left = insert(node->left, key);
    else if (key > node->key)
        node->right = insert(node->right, key);
    else
        node->count++;
    return node;
}

// In ascending order: returns the checksum of everything up to here.
NOINLINE static std::uint64_t walk(const TreeNode* node, std::uint64_t checksum) {
    if (!node)
        return checksum;
    checksum = walk(node->left, checksum) * 31 + node->key;
    const std::uint64_t total = walk(node->right, checksum);
    return total + static_cast<std::uint64_t>(node->count);
}

NOINLINE static int height(const TreeNode* node) {
    if (!node)
        return 0;
    const int left = height(node->left), right = height(node->right);
    return 1 + (left > right ? left : right);
}

// Bodies that attract each other; distant ones act together, through their cell of an octree.

constexpr int body_count = 600, most_cells = 40 * body_count;
constexpr double opening = 0.7, softening = 0.01, time_step = 0.001;
struct Body {
    double position[3], velocity[3], mass;
};
struct Cell {
    double middle[3], half, mass, centre[3];
    Body* body;  // if there is only one
    Cell* parts[8];
};
static Body bodies[body_count];
static Cell cells[most_cells];
static int cell_count;

NOINLINE static Cell* new_cell(double x, double y, double z, double half) {
    Cell* const cell = &cells[cell_count++];
    *cell = {{x, y, z}, half, 0, {0, 0, 0}, nullptr, {}};
    return cell;
}

// The number of the part of a cell that contains a position.
NOINLINE static int part_at(const Cell* cell, const double* position) {
    int part = 0;
    for (int axis = 0; axis < 3; axis++)
        part |= (position[axis] >= cell->middle[axis]) << axis;
    return part;
}

NOINLINE static void add_body(Cell* cell, Body* body);

NOINLINE static void add_to_part(Cell* cell, Body* body) {
    const int part = part_at(cell, body->position);
    const double h = 0.5 * cell->half;
    if (!cell->parts[part])
        cell->parts[part] =
            new_cell(cell->middle[0] + (part & 1 ? h : -h), cell->middle[1] + (part & 2 ? h : -h),
                     cell->middle[2] + (part & 4 ? h : -h), h);
    add_body(cell->parts[part], body);
}

// Bodies whose positions differ by less than 1e-6 share a cell as one.
NOINLINE static void add_body(Cell* cell, Body* body) {
    const bool empty = cell->mass == 0;
    cell->mass += body->mass;
    for (int axis = 0; axis < 3; axis++)
        cell->centre[axis] += body->mass * body->position[axis];
    if (empty) {
        cell->body = body;
        return;
    }
    if (cell->half < 1e-6)
        return;
    if (cell->body) {
        Body* const other = cell->body;
        cell->body = nullptr;
        add_to_part(cell, other);
    }
    add_to_part(cell, body);
}

// From sums to means; returns the depth.
NOINLINE static int find_centres(Cell* cell) {
    int deepest = 0;
    for (double& centre : cell->centre)
        centre /= cell->mass;
    for (Cell* part : cell->parts)
        if (part) {
            const int depth = find_centres(part);
            deepest = depth > deepest ? depth : deepest;
        }
    return 1 + deepest;
}

NOINLINE static void add_pull(const Cell* cell, const double* away, double squared,
                              double* acceleration) {
    const double distance = std::sqrt(squared + softening * softening),
                 pull = cell->mass / (distance * distance * distance);
    for (int axis = 0; axis < 3; axis++)
        acceleration[axis] += pull * away[axis];
}

// The force of a cell on a body; returns the number of visited cells.
NOINLINE static int attract(const Cell* cell, const Body* body, double* acceleration) {
    double away[3], squared = 0;
    for (int axis = 0; axis < 3; axis++) {
        away[axis] = cell->centre[axis] - body->position[axis];
        squared += away[axis] * away[axis];
    }
    if (cell->body || 4 * cell->half * cell->half < opening * opening * squared) {
        add_pull(cell, away, squared, acceleration);
        return 1;
    }
    int visited = 1;
    for (const Cell* part : cell->parts)
        if (part)
            visited += attract(part, body, acceleration);
    return visited;
}

NOINLINE static void place_bodies() {
    for (Body& body : bodies) {
        double* const p = body.position;
        do
            for (int axis = 0; axis < 3; axis++)
                p[axis] = 2 * random_uniform() - 1;
        while (p[0] * p[0] + p[1] * p[1] + p[2] * p[2] > 1);
        body.velocity[0] = -0.7 * p[1];
        body.velocity[1] = 0.7 * p[0];
        body.velocity[2] = 0;
        body.mass = 1.0 / body_count;
    }
}

NOINLINE static Cell* build_octree() {
    double reach = 0;
    for (const Body& body : bodies)
        for (double x : body.position)
            reach = std::fabs(x) > reach ? std::fabs(x) : reach;
    cell_count = 0;
    Cell* const root = new_cell(0, 0, 0, 1.001 * reach);
    for (Body& body : bodies)
        add_body(root, &body);
    return root;
}

// Returns the number of cells that the walks visited.
NOINLINE static long move_bodies(const Cell* root) {
    long visited = 0;
    for (Body& body : bodies) {
        double acceleration[3] = {};
        visited += attract(root, &body, acceleration);
        for (int axis = 0; axis < 3; axis++)
            body.velocity[axis] += time_step * acceleration[axis];
    }
    for (Body& body : bodies)
        for (int axis = 0; axis < 3; axis++)
            body.position[axis] += time_step * body.velocity[axis];
    return visited;
}

NOINLINE static double kinetic_energy() {
    double sum = 0;
    for (const Body& body : bodies)
        for (double v : body.velocity)
            sum += 0.5 * body.mass * v * v;
    return sum;
}

// A row of coins: in turn each player takes one from either end. With a row of 12, they call each
// other down to a depth of 12. A result is the lead of the first player at the end.

constexpr int coin_count = 12, games = 72;
static int coins[coin_count];

NOINLINE static int second_player(int left, int right);

NOINLINE static int first_player(int left, int right) {
    if (left == right)
        return coins[left];
    const int from_left = coins[left] + second_player(left + 1, right),
              from_right = coins[right] + second_player(left, right - 1);
    return from_left > from_right ? from_left : from_right;
}

NOINLINE static int second_player(int left, int right) {
    if (left == right)
        return -coins[left];
    const int from_left = first_player(left + 1, right) - coins[left],
              from_right = first_player(left, right - 1) - coins[right];
    return from_left < from_right ? from_left : from_right;
}

// The same without recursion, from the shortest rows to the complete one, for either player.
NOINLINE static int best_lead() {
    int lead[coin_count];
    for (int left = 0; left < coin_count; left++)
        lead[left] = coins[left];
    for (int length = 2; length <= coin_count; length++)
        for (int left = 0; left + length <= coin_count; left++) {
            const int from_left = coins[left] - lead[left + 1],
                      from_right = coins[left + length - 1] - lead[left];
            lead[left] = from_left > from_right ? from_left : from_right;
        }
    return lead[0];
}

int main(int count, char** arguments) {
    const long rounds = work_steps(count, arguments, 250);
    std::uint64_t checksum = 0;
    long depths = 0, heights = 0, unsorted = 0, visited = 0, leads = 0, disagreed = 0, levels = 0;
    place_bodies();
    for (long round = 0; round < rounds; round++) {
        TreeNode* tree = nullptr;
        tree_node_count = 0;
        for (std::uint32_t& key : keys) {
            key = static_cast<std::uint32_t>(random_bits() >> 44);
            tree = insert(tree, key);
        }
        checksum = walk(tree, checksum);
        heights += height(tree);
        depths += quicksort(keys, keys + key_count);
        for (int i = 1; i < key_count; i++)
            unsorted += keys[i - 1] > keys[i];

        Cell* const octree = build_octree();
        levels += find_centres(octree);
        visited += move_bodies(octree);

        for (int game = 0; game < games; game++) {
            for (int& coin : coins)
                coin = static_cast<int>(random_bits() % 100);
            const int lead = first_player(0, coin_count - 1);
            leads += lead;
            disagreed += lead != best_lead();
        }
    }
    std::printf("recursion: %ld rounds\n", rounds);
    std::printf("search trees: checksum %016llx, mean height %.3f\n",
                static_cast<unsigned long long>(checksum), double(heights) / rounds);
    std::printf("quicksort: %ld out of order, mean depth %.3f\n", unsorted,
                double(depths) / rounds);
    std::printf("bodies: kinetic energy %.9f, %ld cells visited, mean depth %.3f\n",
                kinetic_energy(), visited, double(levels) / rounds);
    std::printf("coins: first player ahead by %ld, %ld disagreements\n", leads, disagreed);
    return 0;
}

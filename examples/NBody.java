/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import module org.tutti;

/// Moves bodies that attract each other, in three dimensions, by the method of Barnes and Hut: the bodies of a distant
/// cell of an octree count as one, in their centre of mass. Every rank has a run of the bodies, moves them, and
/// computes the forces on them. In each step an allgather with blocks of any length brings all bodies to every rank,
/// and every rank builds the whole tree. Four short allgathers bring the bounding boxes of the ranks' bodies (48 bytes
/// a rank), the time step that suits them (8), the work of each rank's bodies (8), which decides the next runs, and the
/// energies (16).
///
/// Run it with `./tutti run -n 4 examples/NBody.java [bodies] [steps]`, on several nodes with `--nodes 2`, and choose
/// another algorithm for the allgathers with `--algorithm allgather=bruck`. The program compares all bodies, bit
/// by bit, with those that one rank moves alone, compares the energy with that at the beginning, and prints the median
/// of the steps, as a mean of the ranks.
void main(String[] arguments) {
    int count = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 2000;
    int steps = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 50;
    try (var job = Tutti.join()) {
        var world = job.world();
        var simulation = new Simulation(world, cluster(count));
        double energy = simulation.energy;
        double[][] millis = new double[3][steps]; // of a step, of its communication, and of the short allgathers in it
        for (int step = 0; step < steps; step++) {
            simulation.blockNanos = 0;
            simulation.shortNanos = 0;
            long start = System.nanoTime();
            simulation.step();
            millis[0][step] = (System.nanoTime() - start) / 1e6;
            millis[1][step] = (simulation.blockNanos + simulation.shortNanos) / 1e6;
            millis[2][step] = simulation.shortNanos / 1e6;
        }
        double[] medians = Arrays.stream(millis)
                .mapToDouble(each -> Arrays.stream(each).sorted().toArray()[steps / 2] / world.size()).toArray();
        world.reduce(medians, Reduction.SUM, 0);
        simulation.share();
        if (world.rank() == 0) {
            var plain = new Simulation(null, cluster(count));
            for (int step = 0; step < steps; step++) {
                plain.step();
            }
            double change = Math.abs(simulation.energy / energy - 1);
            if (!Arrays.equals(simulation.bodies, plain.bodies) || change > 0.01) {
                throw new IllegalStateException("the bodies are not where one rank moves them, or the energy has gone "
                        + "from " + energy + " to " + simulation.energy);
            }
            IO.println("""
                    %d bodies, %s, a step in %.2f ms, %.2f ms of them communication, %.2f ms in short allgathers; \
                    the bodies are right, and the energy has changed by %.1e""".formatted(count, world.topology(),
                    medians[0], medians[1], medians[2], change));
        }
    }
}

/// Returns a cluster of stars in Plummer's equilibrium, with three coordinates and the velocity of each body.
double[] cluster(int count) {
    double[] bodies = new double[count * Simulation.DOUBLES];
    var random = new Random(count);
    for (int at = 0; at < bodies.length; at += Simulation.DOUBLES) {
        double radius = 1 / Math.sqrt(Math.pow(random.nextDouble(0.001, 0.99), -2.0 / 3) - 1);
        double share; // of the speed at which the body would escape
        do {
            share = random.nextDouble();
        } while (random.nextDouble(0.1) > share * share * Math.pow(1 - share * share, 3.5));
        put(bodies, at, radius, random);
        put(bodies, at + 3, share * Math.sqrt(2 / Math.sqrt(1 + radius * radius)), random);
    }
    return bodies;
}

/// Stores a vector of a length in a random direction.
void put(double[] target, int at, double length, Random random) {
    double z = random.nextDouble(-1, 1);
    double angle = random.nextDouble(2 * Math.PI);
    double across = Math.sqrt(1 - z * z);
    target[at] = length * across * Math.cos(angle);
    target[at + 1] = length * across * Math.sin(angle);
    target[at + 2] = length * z;
}

/// One rank's part of the simulation, or the whole simulation if there is no communicator. Until {@code share} is
/// called, only this rank's bodies have the right velocities.
class Simulation {
    static final int DOUBLES = 6;
    static final double SOFTENING = 0.05; // the least distance for the attraction of two bodies
    private static final double STEP = 0.1;

    private final Communicator world;
    private final int size;
    private final int rank;
    private final double mass;
    private final double[] forces; // on each body of this rank, divided by its mass
    private final int[] firsts; // the first body of each rank, and at the end the number of all
    private double[] costs; // of each rank
    private double time; // that the next step takes
    private double potential; // energy of this rank's bodies
    final double[] bodies;
    double energy;
    long blockNanos;
    long shortNanos;

    Simulation(Communicator world, double[] bodies) {
        this.world = world;
        this.size = world == null ? 1 : world.size();
        this.rank = world == null ? 0 : world.rank();
        this.bodies = bodies;
        int count = bodies.length / DOUBLES;
        this.mass = 1.0 / count;
        this.forces = new double[count * 3];
        this.firsts = IntStream.rangeClosed(0, size).map(each -> (int) ((long) count * each / size)).toArray();
        attract();
        measure();
    }

    /// Takes a step of the leapfrog method: half of the change of velocities comes before the bodies move, half after.
    void step() {
        double now = time;
        accelerate(now / 2);
        for (int body = firsts[rank]; body < firsts[rank + 1]; body++) {
            for (int axis = 0; axis < 3; axis++) {
                bodies[body * DOUBLES + axis] += now * bodies[body * DOUBLES + 3 + axis];
            }
        }
        share();
        cut();
        attract();
        accelerate(now / 2);
        measure();
    }

    private void accelerate(double time) {
        for (int body = firsts[rank]; body < firsts[rank + 1]; body++) {
            for (int axis = 0; axis < 3; axis++) {
                bodies[body * DOUBLES + 3 + axis] += time * forces[body * 3 + axis];
            }
        }
    }

    /// Brings every rank's bodies to all ranks.
    void share() {
        if (world != null) {
            int[] lengths = IntStream.range(0, size).map(each -> (firsts[each + 1] - firsts[each]) * DOUBLES).toArray();
            long start = System.nanoTime();
            world.allgather(bodies, Blocks.of(lengths));
            blockNanos += System.nanoTime() - start;
        }
    }

    /// Cuts the bodies anew into runs of equal costs, on the assumption that all bodies of a rank were equal work.
    private void cut() {
        int[] old = firsts.clone();
        double part = Arrays.stream(costs).sum() / size;
        double before = 0; // the costs of the ranks before this one
        int owner = 0;
        for (int each = 1; each < size; each++) {
            while (owner < size - 1 && before + costs[owner] < each * part) {
                before += costs[owner++];
            }
            double share = Math.min(1, (each * part - before) / costs[owner]);
            firsts[each] = old[owner] + (int) (share * (old[owner + 1] - old[owner]));
        }
    }

    /// Computes the forces on this rank's bodies, and the time of the next step.
    private void attract() {
        double[] box = new double[6]; // its lowest corner, and its highest one with the opposite sign
        Arrays.fill(box, Double.POSITIVE_INFINITY);
        for (int body = firsts[rank]; body < firsts[rank + 1]; body++) {
            for (int axis = 0; axis < 3; axis++) {
                box[axis] = Math.min(box[axis], bodies[body * DOUBLES + axis]);
                box[axis + 3] = Math.min(box[axis + 3], -bodies[body * DOUBLES + axis]);
            }
        }
        var tree = new Octree(bodies, least(gather(box), 6));
        potential = 0;
        double strongest = SOFTENING;
        for (int body = firsts[rank]; body < firsts[rank + 1]; body++) {
            tree.attract(body);
            forces[body * 3] = mass * tree.forceX;
            forces[body * 3 + 1] = mass * tree.forceY;
            forces[body * 3 + 2] = mass * tree.forceZ;
            potential += mass * mass * tree.potential / 2; // each pair is met twice
            strongest = Math.max(strongest, mass
                    * Math.sqrt(tree.forceX * tree.forceX + tree.forceY * tree.forceY + tree.forceZ * tree.forceZ));
        }
        costs = gather(tree.attractions);
        time = least(gather(STEP * Math.sqrt(SOFTENING / strongest)), 1)[0];
    }

    private void measure() {
        double kinetic = 0;
        for (int body = firsts[rank]; body < firsts[rank + 1]; body++) {
            for (int axis = 3; axis < DOUBLES; axis++) {
                double speed = bodies[body * DOUBLES + axis];
                kinetic += mass * speed * speed / 2;
            }
        }
        energy = Arrays.stream(gather(kinetic, potential)).sum();
    }

    /// Returns the numbers with which all ranks call it.
    private double[] gather(double... own) {
        double[] all = new double[size * own.length];
        System.arraycopy(own, 0, all, rank * own.length, own.length);
        if (world != null) {
            long start = System.nanoTime();
            world.allgather(all);
            shortNanos += System.nanoTime() - start;
        }
        return all;
    }

    /// Returns the least of each of some numbers that every rank has.
    private static double[] least(double[] all, int numbers) {
        double[] least = Arrays.copyOf(all, numbers);
        for (int i = numbers; i < all.length; i++) {
            least[i % numbers] = Math.min(least[i % numbers], all[i]);
        }
        return least;
    }
}

/// A tree of cells. A cell has up to eight parts, or else a few bodies.
class Octree {
    private static final double ANGLE = 0.5; // a cell that looks smaller from a body counts as one
    private static final int BODIES_MAX = 8; // of a cell without parts
    private static final int DEPTH_MAX = 40;

    private final double[] bodies;
    private final int[] order; // of the bodies: the bodies of a cell follow each other
    private final int[] scratch;
    private final Cell root;
    double forceX; // on the body of the latest call of attract, if all masses are 1
    double forceY;
    double forceZ;
    double potential;
    long attractions; // computed so far

    /// Some bodies, their centre, and the side of the cube around them.
    private record Cell(int from, int to, double x, double y, double z, double side, List<Cell> parts) {}

    /// Creates the tree of some bodies. The box around them is its lowest corner, then its highest one with the
    /// opposite sign.
    Octree(double[] bodies, double[] box) {
        this.bodies = bodies;
        this.order = IntStream.range(0, bodies.length / Simulation.DOUBLES).toArray();
        this.scratch = new int[order.length];
        double side = IntStream.range(0, 3).mapToDouble(axis -> -box[axis + 3] - box[axis]).max().getAsDouble();
        this.root = cell(0, order.length, box[0], box[1], box[2], side, 0);
    }

    private Cell cell(int from, int to, double x, double y, double z, double side, int depth) {
        if (to - from <= BODIES_MAX || depth == DEPTH_MAX) {
            return new Cell(from, to, centre(from, to, 0), centre(from, to, 1), centre(from, to, 2), side, List.of());
        }
        double half = side / 2;
        int[] ends = divide(from, to, x + half, y + half, z + half);
        List<Cell> parts = new ArrayList<>();
        double sumX = 0;
        double sumY = 0;
        double sumZ = 0;
        int first = from;
        for (int octant = 0; octant < 8; octant++) {
            int count = ends[octant] - first;
            if (count > 0) {
                var part = cell(first, ends[octant], x + (octant & 1) * half, y + (octant >> 1 & 1) * half,
                        z + (octant >> 2) * half, half, depth + 1);
                parts.add(part);
                sumX += count * part.x();
                sumY += count * part.y();
                sumZ += count * part.z();
                first = ends[octant];
            }
        }
        return new Cell(from, to, sumX / (to - from), sumY / (to - from), sumZ / (to - from), side, parts);
    }

    private double centre(int from, int to, int axis) {
        double sum = 0;
        for (int i = from; i < to; i++) {
            sum += bodies[order[i] * Simulation.DOUBLES + axis];
        }
        return sum / (to - from);
    }

    /// Orders bodies by their octant around a point, and returns the end of each octant's bodies.
    private int[] divide(int from, int to, double x, double y, double z) {
        int[] ends = new int[8];
        for (int i = from; i < to; i++) {
            ends[octant(order[i], x, y, z)]++;
        }
        ends[0] += from;
        for (int octant = 1; octant < 8; octant++) {
            ends[octant] += ends[octant - 1];
        }
        System.arraycopy(order, from, scratch, from, to - from);
        int[] next = ends.clone();
        for (int i = to - 1; i >= from; i--) {
            order[--next[octant(scratch[i], x, y, z)]] = scratch[i];
        }
        return ends;
    }

    private int octant(int body, double x, double y, double z) {
        int at = body * Simulation.DOUBLES;
        return (bodies[at] >= x ? 1 : 0) + (bodies[at + 1] >= y ? 2 : 0) + (bodies[at + 2] >= z ? 4 : 0);
    }

    /// Computes the force on a body, and its potential.
    void attract(int body) {
        forceX = 0;
        forceY = 0;
        forceZ = 0;
        potential = 0;
        int at = body * Simulation.DOUBLES;
        attract(root, body, bodies[at], bodies[at + 1], bodies[at + 2]);
    }

    private void attract(Cell cell, int body, double x, double y, double z) {
        double awayX = cell.x() - x;
        double awayY = cell.y() - y;
        double awayZ = cell.z() - z;
        double reach = cell.side() / ANGLE;
        if (awayX * awayX + awayY * awayY + awayZ * awayZ > reach * reach) {
            add(cell.to() - cell.from(), awayX, awayY, awayZ);
        } else if (cell.parts().isEmpty()) {
            for (int i = cell.from(); i < cell.to(); i++) {
                int at = order[i] * Simulation.DOUBLES;
                if (order[i] != body) {
                    add(1, bodies[at] - x, bodies[at + 1] - y, bodies[at + 2] - z);
                }
            }
        } else {
            for (var part : cell.parts()) {
                attract(part, body, x, y, z);
            }
        }
    }

    private void add(int masses, double awayX, double awayY, double awayZ) {
        double distance = Math.sqrt(awayX * awayX + awayY * awayY + awayZ * awayZ
                + Simulation.SOFTENING * Simulation.SOFTENING);
        double pull = masses / (distance * distance * distance);
        forceX += pull * awayX;
        forceY += pull * awayY;
        forceZ += pull * awayZ;
        potential -= masses / distance;
        attractions++;
    }
}

/** Timers that are far away, some of which are stopped and others armed in their place. */
final class Population {
    static final long HOUR = 3_600_000_000_000L;

    private static final int REFERENCE = 4; // bytes, with a heap of less than 32 GB

    private final Timers timers;
    private final long further;
    private Object[] pending = new Object[0];

    /** Deadlines lie further and up to an hour ahead. */
    Population(Timers timers, long further) {
        this.timers = timers;
        this.further = further;
    }

    void fill(int n, long seed) {
        pending = new Object[n];
        Draw draw = new Draw(seed);
        for (int i = 0; i < n; i++) {
            pending[i] = arm(draw.next());
        }
    }

    /** Replaces so many, and returns how many were not pending. */
    int replace(int ops, long seed) {
        Draw draw = new Draw(seed);
        int wrong = 0;
        for (int i = 0; i < ops; i++) {
            long x = draw.next();
            int p = (int) (((x >>> 32) * pending.length) >>> 32);
            if (!timers.stop(pending[p])) {
                wrong++;
            }
            pending[p] = arm(x * 0x9E3779B97F4A7C15L);
        }
        return wrong;
    }

    private Object arm(long x) {
        return timers.arm(further + (long) ((x >>> 11) * 0x1p-53 * HOUR), () -> { });
    }

    /** The bytes of the list that names them. */
    long names() {
        return (long) REFERENCE * pending.length;
    }

    void close() {
        timers.close();
    }

    /** Numbers at random: SplitMix64, by G. Steele, D. Lea and C. Flood (2014). */
    private static final class Draw {
        private long state;

        Draw(long seed) {
            state = seed;
        }

        long next() {
            long z = state += 0x9E3779B97F4A7C15L;
            z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
            z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
            return z ^ (z >>> 31);
        }
    }
}

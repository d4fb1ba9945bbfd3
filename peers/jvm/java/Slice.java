import java.io.BufferedReader;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Timers that are planned, and what becomes of them when they are played. Times are in nanoseconds from its start. */
final class Slice {
    private static final long MILLISECOND = 1_000_000;
    private static final long QUIET = 5 * MILLISECOND;
    private static final long COLLECTING = 200 * MILLISECOND; // allowed for a collection
    private static final long LATEST = 500 * MILLISECOND; // that an operation may be handed over
    private static final long SPIN = 200_000;

    /** Says that operations were not handed over in time. */
    static final class Behind extends Exception {
        private static final long serialVersionUID = 1;

        Behind(String why) {
            super(why);
        }
    }

    private final long length;
    private final long patience;
    private final boolean toTheLast;
    private final boolean punctual;
    private final boolean collect;
    private final long[] deadlines; // by timer: first those that are pending at the beginning
    private final int pending;
    private final long[] at; // of those that are armed later, in order
    private long perArming = 2_000;

    private long start;
    private long[] handedLate;
    private AtomicInteger count;
    private long[] firedAt;
    private AtomicIntegerArray fired; // timer + 1

    private Slice(long length, long patience, boolean toTheLast, boolean punctual, boolean collect, int pending, int timers) {
        this.length = length;
        this.patience = patience;
        this.toTheLast = toTheLast;
        this.punctual = punctual;
        this.collect = collect;
        this.pending = pending;
        deadlines = new long[timers];
        at = new long[timers - pending];
    }

    /** Reads a slice: after its command the deadlines of those pending, then "at deadline" of the others. */
    static Slice read(String[] w, BufferedReader in) throws IOException {
        Slice s = new Slice(Long.parseLong(w[1]), Long.parseLong(w[2]), w[3].equals("1"), w[4].equals("1"), w[5].equals("1"),
                Integer.parseInt(w[6]), Integer.parseInt(w[7]));
        for (int i = 0; i < s.deadlines.length; i++) {
            String line = in.readLine();
            int space = line.indexOf(' ');
            if (i >= s.pending) {
                s.at[i - s.pending] = Long.parseLong(line.substring(0, space));
            }
            s.deadlines[i] = Long.parseLong(line.substring(space + 1));
        }
        return s;
    }

    /** Timers that are pending at the beginning and due one after another. */
    static Slice pending(int n, long length) {
        Slice s = new Slice(length, 0, true, false, false, n, n);
        s.perArming *= 5; // by code that is not compiled yet
        for (int i = 0; i < n; i++) {
            s.deadlines[i] = length * i / n;
        }
        return s;
    }

    void moreTime() {
        perArming *= 8;
    }

    /** Plays it, and says "armed" with the time to its start, and "played" with the CPU time of the player itself. */
    void play(Timers timers, Consumer<String> say) throws Behind {
        int n = deadlines.length;
        int most = n + n / 4 + 16;
        count = new AtomicInteger();
        firedAt = new long[most];
        fired = new AtomicIntegerArray(most);
        handedLate = new long[punctual ? at.length : 0];
        Runnable[] tasks = new Runnable[n];
        for (int i = 0; i < n; i++) {
            int timer = i;
            tasks[i] = () -> note(timer);
        }
        System.gc();
        start = System.nanoTime() + QUIET + pending * perArming + (collect ? COLLECTING : 0);
        for (int i = 0; i < pending; i++) {
            timers.arm(start + deadlines[i] - System.nanoTime(), tasks[i]);
        }
        if (collect) {
            System.gc();
        }
        long left = start - System.nanoTime();
        if (left < 0) {
            throw new Behind("arming what is pending took too long");
        }
        say.accept("armed " + left);
        sleepUntil(start);
        long own = Player.ownCPU();
        long ops = handOver(timers, tasks);
        sleepUntil(start + length);
        if (toTheLast) {
            rest();
        }
        say.accept("played " + (Player.ownCPU() - own - ops));
    }

    /** Arms those that arrive, those of one instant together, and returns the CPU time that took. */
    private long handOver(Timers timers, Runnable[] tasks) throws Behind {
        long cpu = 0;
        for (int i = 0; i < at.length;) {
            long when = start + at[i];
            sleepUntil(punctual ? when - SPIN : when);
            while (System.nanoTime() < when) {
                Thread.onSpinWait();
            }
            if (System.nanoTime() - when > LATEST) {
                throw new Behind("operations fell behind the clock");
            }
            long before = Player.ownCPU();
            for (long instant = at[i]; i < at.length && at[i] == instant; i++) {
                if (punctual) {
                    handedLate[i] = System.nanoTime() - when;
                }
                timers.arm(start + deadlines[pending + i] - System.nanoTime(), tasks[pending + i]);
            }
            cpu += Player.ownCPU() - before;
        }
        return cpu;
    }

    private void note(int timer) {
        long now = System.nanoTime();
        int i = count.getAndIncrement();
        if (i < firedAt.length) {
            firedAt[i] = now;
            fired.set(i, timer + 1);
        }
    }

    /** Waits until as many have fired as there are, or long after the last should have. */
    void rest() {
        long end = start + length + patience;
        while (count.get() < deadlines.length && System.nanoTime() < end) {
            LockSupport.parkNanos(QUIET);
        }
    }

    private static void sleepUntil(long when) {
        for (long left = when - System.nanoTime(); left > 0; left = when - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Tells when timers fired, "timer at" in the order of that, and how late they were armed if they were to be in time. */
    String firings() {
        int n = Math.min(count.get(), firedAt.length);
        StringBuilder lines = new StringBuilder("fired " + n + " " + handedLate.length);
        for (int i = 0; i < n; i++) {
            lines.append('\n').append(fired.get(i) - 1).append(' ').append(firedAt[i] - start);
        }
        for (long late : handedLate) {
            lines.append('\n').append(late);
        }
        return lines.toString();
    }
}

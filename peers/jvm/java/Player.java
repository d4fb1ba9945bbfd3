import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Has timers do what it is told on its standard input, a command a line, and answers on its
 * standard output: a line for each command, which begins with its word, or with "error".
 * Its arguments are the class of the timers, and theirs.
 */
public final class Player {
    private static final int REPLAYS = 2; // of what fell behind, at most

    private final BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
    private final PrintStream out = new PrintStream(System.out, false);
    private final String kind;
    private final String[] args;

    private Population population;

    private Player(String[] args) {
        kind = args[0];
        this.args = Arrays.copyOfRange(args, 1, args.length);
    }

    public static void main(String[] args) throws Exception {
        Player p = new Player(args);
        p.say("ready");
        for (String line = p.in.readLine(); line != null; line = p.in.readLine()) {
            try {
                p.say(p.obey(line.split(" ")));
            } catch (Exception e) {
                p.say("error " + e.toString().replace('\n', ' '));
            }
        }
        System.exit(0); // timers may have threads that go on
    }

    private void say(String line) {
        out.println(line);
        out.flush();
    }

    /** Does what a command says, and returns the answer. */
    private String obey(String[] w) throws Exception {
        switch (w[0]) {
            case "warm":
                warm(Integer.parseInt(w[1]));
                return "warm";
            case "play":
                return play(w);
            case "fill":
                population = new Population(open(), Long.parseLong(w[2]));
                population.fill(Integer.parseInt(w[1]), Long.parseLong(w[3]));
                return "fill";
            case "replace":
                long began = System.nanoTime();
                int wrong = population.replace(Integer.parseInt(w[1]), Long.parseLong(w[2]));
                return "replace " + (System.nanoTime() - began) + " " + wrong;
            case "flood":
                return flood(Integer.parseInt(w[1]), Long.parseLong(w[2]), Long.parseLong(w[3]));
            case "bytes":
                return bytes();
            default:
                throw new IllegalArgumentException("unknown command " + w[0]);
        }
    }

    private Timers open() throws Exception {
        return (Timers) Class.forName(kind).getDeclaredConstructor(String[].class).newInstance((Object) args);
    }

    /** Replaces and fires timers of its own kind, so that the code for that is compiled. */
    private void warm(int ops) throws Exception {
        Population p = new Population(open(), Population.HOUR);
        p.fill(10_000, 1);
        p.replace(ops, 2);
        p.close();
        inTime(Slice.pending(20_000, 50_000_000), line -> { });
    }

    /** Plays a slice on fresh timers, and again with more time to arm what is pending if it fell behind. */
    private void inTime(Slice s, Consumer<String> say) throws Exception {
        for (int round = 0;; round++) {
            Timers timers = open();
            try {
                s.play(timers, say);
                s.rest();
                return;
            } catch (Slice.Behind e) {
                if (round == REPLAYS) {
                    throw e;
                }
                s.moreTime();
            } finally {
                timers.close();
            }
        }
    }

    /** Tells how late a timer is that is armed when so many have just been armed and stopped, and how long that took. */
    private String flood(int ops, long ahead, long delay) throws Exception {
        long[] fired = new long[1];
        Runnable last = () -> {
            synchronized (fired) {
                fired[0] = System.nanoTime();
                fired.notify();
            }
        };
        last.run(); // to make and run the first of a kind takes milliseconds, which are not the timer's
        fired[0] = 0;
        Timers timers = open();
        long began = System.nanoTime();
        for (int i = 0; i < ops; i++) {
            if (!timers.stop(timers.arm(ahead, () -> { }))) {
                throw new IllegalStateException("a timer could not be stopped");
            }
        }
        long took = System.nanoTime() - began;
        long due = System.nanoTime() + delay;
        timers.arm(delay, last);
        synchronized (fired) {
            while (fired[0] == 0) {
                fired.wait();
            }
        }
        timers.close();
        return "flood " + (fired[0] - due) + " " + took;
    }

    /** Collects garbage until no collection finds more, and tells what is left. */
    private String bytes() {
        Runtime r = Runtime.getRuntime();
        long took = 0;
        for (long last = Long.MAX_VALUE;;) {
            long began = System.nanoTime();
            System.gc();
            took = System.nanoTime() - began;
            long used = r.totalMemory() - r.freeMemory();
            if (used >= last) {
                return "bytes " + (last - (population == null ? 0 : population.names())) + " " + took;
            }
            last = used;
        }
    }

    /** Plays a slice, and says when each step begins: the other side measures from outside. */
    private String play(String[] w) throws Exception {
        Slice s = Slice.read(w, in);
        inTime(s, this::say);
        if (!"tell".equals(in.readLine())) {
            throw new IOException("want tell");
        }
        return s.firings();
    }

    /** The CPU time of the thread that calls. */
    static long ownCPU() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}

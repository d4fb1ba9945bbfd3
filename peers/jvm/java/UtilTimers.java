import java.util.Timer;
import java.util.TimerTask;

/** Those of a java.util.Timer, which takes whole milliseconds: a delay is rounded up to them. */
final class UtilTimers implements Timers {
    private static final long MILLISECOND = 1_000_000;

    private final Timer timer = new Timer(true);

    UtilTimers(String[] args) {
    }

    @Override
    public Object arm(long delay, Runnable task) {
        TimerTask made = new TimerTask() {
            @Override
            public void run() {
                task.run();
            }
        };
        timer.schedule(made, (Math.max(delay, 0) + MILLISECOND - 1) / MILLISECOND);
        return made;
    }

    @Override
    public boolean stop(Object timer) {
        return ((TimerTask) timer).cancel();
    }

    @Override
    public void close() {
        timer.cancel();
    }
}

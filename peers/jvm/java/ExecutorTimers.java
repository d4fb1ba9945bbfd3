import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Those of a ScheduledThreadPoolExecutor: its threads, and whether what is cancelled leaves at once. */
final class ExecutorTimers implements Timers {
    private final ScheduledThreadPoolExecutor executor;

    ExecutorTimers(String[] args) {
        executor = new ScheduledThreadPoolExecutor(Integer.parseInt(args[0]));
        executor.setRemoveOnCancelPolicy(Boolean.parseBoolean(args[1]));
    }

    @Override
    public Object arm(long delay, Runnable task) {
        return executor.schedule(task, delay, TimeUnit.NANOSECONDS);
    }

    @Override
    public boolean stop(Object timer) {
        return ((Future<?>) timer).cancel(false);
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}

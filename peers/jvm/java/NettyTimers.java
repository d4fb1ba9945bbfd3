import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;

/** Those of Netty's HashedWheelTimer: its tick in nanoseconds, and its slots. */
final class NettyTimers implements Timers {
    private final HashedWheelTimer wheel;

    NettyTimers(String[] args) {
        wheel = new HashedWheelTimer(new DefaultThreadFactory("wheel", true),
                Long.parseLong(args[0]), TimeUnit.NANOSECONDS, Integer.parseInt(args[1]), false);
        wheel.start();
    }

    @Override
    public Object arm(long delay, Runnable task) {
        return wheel.newTimeout(timeout -> task.run(), delay, TimeUnit.NANOSECONDS);
    }

    @Override
    public boolean stop(Object timer) {
        return ((Timeout) timer).cancel();
    }

    @Override
    public void close() {
        wheel.stop();
    }
}

/** Timers of one kind, as their users call them. */
interface Timers {
    /** Arms a timer for a delay in nanoseconds. */
    Object arm(long delay, Runnable task);

    /** Reports whether a timer was pending, and will never fire. */
    boolean stop(Object timer);

    void close();
}

/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.io.IOException;
import java.io.Serializable;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.Iterator;
import java.util.Optional;

import org.apache.spark.BarrierTaskContext;
import org.apache.spark.SparkEnv;
import org.tutti.JobAbortedException;
import org.tutti.JobOptions;
import org.tutti.JobStartException;
import org.tutti.RankFailedException;
import org.tutti.job.EngineRanks;
import scala.Function1;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A task of a Spark stage that runs one rank. It meets the other tasks at the driver, runs the rank, and tells the
 * driver how the rank has ended.
 *
 * @param <T> the type of the RDD's elements
 * @param <R> the type of a partition's result
 */
final class RankTask<T, R>
        implements
            Function1<scala.collection.Iterator<T>, scala.collection.Iterator<R>>,
            Serializable {
    private static final long serialVersionUID = 1L;
    private static final int POLL_MILLIS = 20;

    /** The longest time for which a rank that failed because of another rank waits until that rank fails the stage. */
    private static final long COURTESY_MILLIS_MAX = 3000;

    private static final System.Logger LOG = System.getLogger(TuttiSpark.class.getName());

    private final String host;
    private final int port;
    private final StageSecret secret;
    private final RankFunction<T, R> function;

    /**
     * Creates the task that runs a function as a rank.
     *
     * @param host the driver's host
     * @param port the driver's port
     * @param secret the secret of the stage
     * @param function the function that the rank runs
     */
    RankTask(String host, int port, StageSecret secret, RankFunction<T, R> function) {
        this.host = host;
        this.port = port;
        this.secret = secret;
        this.function = function;
    }

    @Override
    public scala.collection.Iterator<R> apply(scala.collection.Iterator<T> partition) {
        R result;
        try {
            result = run(BarrierTaskContext.get(), CollectionConverters.asJava(partition));
        } catch (Exception e) {
            throw undeclared(e);
        }
        return CollectionConverters.asScala(Collections.singleton(result).iterator());
    }

    /** Throws an exception that Scala's function does not declare. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException undeclared(Throwable failure) throws E {
        throw (E) failure;
    }

    private R run(BarrierTaskContext context, Iterator<T> partition) throws Exception {
        String stage = context.stageId() + "." + context.stageAttemptNumber();
        try (var _ = Interrupts.from(context);
                var part = ExecutorPart.enter(host + ":" + port + " " + stage, context.partitionId());
                var driver = connect()) {
            R result;
            try {
                result = runRank(context, stage, part, driver, partition);
            } catch (Throwable failure) {
                report(context, driver, failure);
                throw failure;
            }
            reportWell(driver);
            return result;
        }
    }

    /**
     * Tells the driver that the rank has returned. If the connection is lost, for example by a firewall, the rank still
     * has its result.
     */
    private static void reportWell(Conversation driver) {
        try {
            driver.send(new Message.Ended(Message.How.WELL, -1, ""));
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "the driver cannot be told that a rank has ended well", e);
        }
    }

    private Conversation connect() throws IOException {
        try {
            return Conversation.connect(new InetSocketAddress(host, port), secret);
        } catch (IOException e) {
            throw new JobStartException("the driver cannot be reached at " + host + ":" + port + " from " + place()
                    + " (" + e + "); see whether a firewall is between them, and set " + TuttiSpark.PORT
                    + " to a port that it lets pass");
        }
    }

    private static String place() {
        return "executor " + SparkEnv.get().executorId() + " on host " + SparkEnv.get().blockManager().blockManagerId()
                .host();
    }

    private R runRank(BarrierTaskContext context, String stage, ExecutorPart part, Conversation driver,
            Iterator<T> partition) throws Exception {
        int rank = context.partitionId();
        driver.send(new Message.Hello(stage, rank, ExecutorPart.PROCESS, EngineRanks.memoryIdentity(), place()));
        long deadlineNanos = System.nanoTime() + EngineRanks.joinTimeoutMillis() * 1_000_000;
        var plan = (Message.Plan) await(context, driver, deadlineNanos);
        EngineRanks ranks = part.open(plan, context.numPartitions(), secret);
        if (plan.nodes() > 1 && rank == 0) {
            driver.send(new Message.Rendezvous(ranks.rendezvous().orElseThrow()));
        } else if (plan.nodes() > 1) {
            ranks.publishRendezvous(((Message.Rendezvous) await(context, driver, deadlineNanos)).text());
        }
        part.setRuns();
        return ranks.run(rank, JobOptions.DEFAULT, () -> hear(context, driver, 1),
                job -> function.run(job, partition));
    }

    private static Message await(BarrierTaskContext context, Conversation driver, long deadlineNanos) {
        while (true) {
            Optional<Message> message = hear(context, driver, POLL_MILLIS);
            if (message.isPresent()) {
                return message.get();
            }
            if (System.nanoTime() - deadlineNanos > 0) {
                throw new JobStartException("rank " + context.partitionId() + " waited "
                        + EngineRanks.joinTimeoutMillis() + " ms at the driver for all " + context.numPartitions()
                        + " ranks, but some did not come; see what their tasks do, or set TUTTI_JOIN_TIMEOUT_MILLIS "
                        + "for the executors (spark.executorEnv)");
            }
        }
    }

    /**
     * Waits for a message of the driver for a limited time. Throws if the connection is lost or the driver has stopped
     * the job.
     */
    private static Optional<Message> hear(BarrierTaskContext context, Conversation driver, int millis) {
        context.killTaskIfInterrupted();
        try {
            Optional<Message> message = driver.receive(millis);
            if (message.orElse(null) instanceof Message.Stop(var rank, var reason)) {
                throw new RankFailedException(rank, reason);
            }
            return message;
        } catch (IOException e) {
            throw new JobStartException("rank " + context.partitionId()
                    + " has lost the driver while the ranks came together: " + e.getMessage());
        }
    }

    /**
     * Tells the driver how the rank has failed. If it has failed because of another rank, this method then waits for a
     * while, so that the other rank fails the stage first.
     */
    private static void report(BarrierTaskContext context, Conversation driver, Throwable failure) {
        boolean aborted = failure instanceof JobAbortedException abort && abort.rank() == context.partitionId();
        Message.How how = context.isInterrupted() ? Message.How.CANCELLED
                : !aborted && EngineRanks.isSecondary(failure) ? Message.How.SECONDARY : Message.How.THREW;
        try {
            driver.send(new Message.Ended(how, EngineRanks.culprit(failure), failure.toString()));
            if (how == Message.How.SECONDARY) {
                long startNanos = System.nanoTime();
                while (!context.isInterrupted() && System.nanoTime() - startNanos < COURTESY_MILLIS_MAX * 1_000_000) {
                    Thread.sleep(POLL_MILLIS);
                }
            }
        } catch (IOException e) {
            failure.addSuppressed(e);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // the stage has failed
        }
    }
}

/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * A message between Spark's driver and the ranks of a stage. First, each rank sends {@link Hello}. When all ranks have
 * done so, the driver sends {@link Plan} to each. If there are several nodes, rank 0 then sends {@link Rendezvous},
 * which the driver passes on to the others. At its end each rank sends {@link Ended}. When the first rank fails or is
 * cancelled, which may be at any time, the driver sends {@link Stop} to the others. It does so only once.
 */
sealed interface Message {
    /** The greatest length of a text in characters. A character has at most three bytes. */
    int TEXT_MAX = 16_000;

    /**
     * Announces a rank to the driver.
     *
     * @param stage the number of the stage, and the number of its attempt
     * @param rank the rank, which is the number of its partition
     * @param process a unique name of the rank's process
     * @param memory a text that is equal in processes that can share memory
     * @param place the rank's executor and host, for messages
     */
    record Hello(String stage, int rank, String process, String memory, String place) implements Message {}

    /**
     * Tells a rank which other ranks are on its node and in its process.
     *
     * @param job the job's name
     * @param node the number of the rank's node
     * @param nodes the number of nodes of the job
     * @param nodeRanks the number of ranks on the rank's node
     * @param firstRank the lowest rank of the rank's process
     * @param processRanks the number of ranks of the rank's process
     */
    record Plan(String job, int node, int nodes, int nodeRanks, int firstRank, int processRanks) implements Message {}

    /**
     * Tells other ranks the address of rank 0's process.
     *
     * @param text the address, as {@link org.tutti.job.EngineRanks#rendezvous} returns it
     */
    record Rendezvous(String text) implements Message {}

    /** The way in which a rank has ended. */
    enum How {
        /** The rank returned. */
        WELL,
        /** The rank threw. */
        THREW,
        /** The rank threw because of another rank. */
        SECONDARY,
        /** Spark has cancelled the rank. */
        CANCELLED
    }

    /**
     * Reports to the driver that a rank has ended.
     *
     * @param how the way in which the rank has ended
     * @param culprit the other rank that caused the rank's exception; −1 if it is unknown or there is none
     * @param text the rank's exception; empty if the rank returned
     */
    record Ended(How how, int culprit, String text) implements Message {}

    /**
     * Tells the other ranks that a rank has failed or was cancelled, so that they do not wait for it.
     *
     * @param rank the rank that has failed or was cancelled
     * @param reason a description of the failure
     */
    record Stop(int rank, String reason) implements Message {}

    default void write(DataOutputStream out) throws IOException {
        switch (this) {
            case Hello(var stage, var rank, var process, var memory, var place) -> {
                out.writeByte('H');
                out.writeUTF(stage);
                out.writeInt(rank);
                out.writeUTF(process);
                out.writeUTF(memory);
                out.writeUTF(place);
            }
            case Plan(var job, var node, var nodes, var nodeRanks, var firstRank, var processRanks) -> {
                out.writeByte('P');
                out.writeUTF(job);
                out.writeInt(node);
                out.writeInt(nodes);
                out.writeInt(nodeRanks);
                out.writeInt(firstRank);
                out.writeInt(processRanks);
            }
            case Rendezvous(var text) -> {
                out.writeByte('R');
                out.writeUTF(text);
            }
            case Ended(var how, var culprit, var text) -> {
                out.writeByte('E');
                out.writeByte(how.ordinal());
                out.writeInt(culprit);
                out.writeUTF(cut(text, TEXT_MAX));
            }
            case Stop(var rank, var reason) -> {
                out.writeByte('S');
                out.writeInt(rank);
                out.writeUTF(cut(reason, TEXT_MAX));
            }
        }
    }

    static Message read(DataInputStream in) throws IOException {
        int kind = in.readUnsignedByte();
        return switch (kind) {
            case 'H' -> new Hello(in.readUTF(), in.readInt(), in.readUTF(), in.readUTF(), in.readUTF());
            case 'P' -> new Plan(in.readUTF(), in.readInt(), in.readInt(), in.readInt(), in.readInt(), in.readInt());
            case 'R' -> new Rendezvous(in.readUTF());
            case 'E' -> new Ended(how(in.readUnsignedByte()), in.readInt(), in.readUTF());
            case 'S' -> new Stop(in.readInt(), in.readUTF());
            default -> throw new IOException("a message of kind " + kind + " makes no sense; see whether driver and "
                    + "executors have the same version of tutti-spark");
        };
    }

    private static How how(int number) throws IOException {
        if (number >= How.values().length) {
            throw new IOException("a rank has ended in way " + number + ", which makes no sense; see whether driver "
                    + "and executors have the same version of tutti-spark");
        }
        return How.values()[number];
    }

    /** Returns a text without the characters beyond a given number. */
    static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most) + " …";
    }
}

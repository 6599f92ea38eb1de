/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * A message between driver and ranks. First, each rank sends {@link Hello}. When all have come, the driver sends {@link
 * Plan} to all. With several nodes, rank 0 sends {@link Rendezvous}, which the driver passes on. Each rank sends {@link
 * Ended}. When the first rank has failed or was cancelled, the driver sends {@link Stop} to the others, at any time and
 * once.
 */
sealed interface Message {
    /** The greatest length of a text in characters. A character has at most three bytes. */
    int TEXT_MAX = 16_000;

    /**
     * Announces a rank to the driver.
     *
     * @param stage the number of the stage, and the number of its attempt
     * @param rank the rank
     * @param process the name of the rank's process
     * @param memory the identity of the memory that the process can share
     * @param place the rank's executor and host, for messages
     */
    record Hello(String stage, int rank, String process, String memory, String place) implements Message {}

    /**
     * Tells a rank its node and process.
     *
     * @param job the job's name
     * @param node the rank's node
     * @param nodes the number of nodes
     * @param nodeRanks the number of ranks on the node
     * @param firstRank the lowest rank of the process
     * @param processRanks the number of ranks of the process
     */
    record Plan(String job, int node, int nodes, int nodeRanks, int firstRank, int processRanks) implements Message {}

    /**
     * Tells the address of rank 0's process.
     *
     * @param text the addresses
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
     * @param how the way in which it has ended
     * @param culprit the rank that caused its exception, or −1
     * @param text the exception
     */
    record Ended(How how, int culprit, String text) implements Message {}

    /**
     * Tells the other ranks that a rank has failed or was cancelled, so that they do not wait for it.
     *
     * @param rank the rank
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

/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.spark;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * What driver and ranks tell each other, in this order: each rank {@link Hello}; the driver {@link Plan} to all, when
 * all have come; rank 0, with several nodes, {@link Rendezvous}, which the driver passes on; each rank {@link Ended}.
 * When the first rank has ended otherwise than well, the driver tells the others {@link Stop}, at any time and once.
 */
sealed interface Message {
    /** The longest text, in characters; a character has three bytes at most. */
    int TEXT_MAX = 16_000;

    /**
     * A rank has come.
     *
     * @param stage the number of the stage and that of its attempt
     * @param rank its rank
     * @param process names its process
     * @param memory says which memory its process can share
     * @param place for messages: its executor and host
     */
    record Hello(String stage, int rank, String process, String memory, String place) implements Message {}

    /**
     * Who takes part.
     *
     * @param job the job's name
     * @param node the rank's node
     * @param nodes how many there are
     * @param nodeRanks how many ranks the node has
     * @param firstRank the lowest rank of the process
     * @param processRanks how many ranks the process has
     */
    record Plan(String job, int node, int nodes, int nodeRanks, int firstRank, int processRanks) implements Message {}

    /**
     * Where the process of rank 0 listens.
     *
     * @param text its addresses
     */
    record Rendezvous(String text) implements Message {}

    /** How a rank ended. */
    enum How {
        /** It returned. */
        WELL,
        /** It threw. */
        THREW,
        /** It threw because of what another rank did. */
        SECONDARY,
        /** Spark has cancelled it. */
        CANCELLED
    }

    /**
     * A rank has ended.
     *
     * @param how in which way
     * @param culprit the rank because of which it threw, or −1
     * @param text what it threw
     */
    record Ended(How how, int culprit, String text) implements Message {}

    /**
     * A rank has ended otherwise than well, so the others need not wait for it.
     *
     * @param rank the rank
     * @param reason what became of it
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

    /** The first characters of a text, at most so many. */
    static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most) + " …";
    }
}

/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.BitSet;
import java.util.Optional;
import java.util.function.Consumer;

import org.tutti.job.node.NodeFile;
import org.tutti.job.node.RankFailure;

/** Passes the reports of a node's ranks from its memory file to the launcher on another host, each report once. */
final class NodeStates {
    private final NodeFile file;
    private final NodePlan plan;
    private final RankRange ranks;
    private final Consumer<byte[]> send;
    private final BitSet joined = new BitSet();
    private final BitSet left = new BitSet();
    private final BitSet missing = new BitSet();
    private Optional<RankFailure> toldFailure = Optional.empty();
    private boolean toldAbort;
    private boolean toldRendezvous;
    private int question;
    private long askedOfNode;
    private final BitSet unanswered = new BitSet(); // processes

    /**
     * @param file the node's memory file
     * @param plan the node
     * @param send takes frames
     */
    NodeStates(NodeFile file, NodePlan plan, Consumer<byte[]> send) {
        this.file = file;
        this.plan = plan;
        this.ranks = plan.ranks();
        this.send = send;
        this.toldRendezvous = plan.firstRank() > 0; // the launcher publishes it for nodes without rank 0
    }

    /** Asks the node's processes where their ranks are, for the launcher. */
    synchronized void ask(int number) {
        question = number;
        askedOfNode = file.ask();
        unanswered.set(0, plan.processes());
    }

    /** Returns whether a rank has not joined the job, or the address of rank 0 has not been reported. */
    synchronized boolean areStarting() {
        return !toldRendezvous || joined.cardinality() < ranks.count();
    }

    /** Sends the reports that are new. */
    synchronized void tell() {
        tellRanks();
        tellLocations();
        var failure = file.firstFailure();
        if (failure.isPresent() && !failure.equals(toldFailure)) { // the witness of a failure may change
            toldFailure = failure;
            send.accept(new SessionFrame.Builder(FrameKind.FIRST_FAILURE).number(failure.get().rank())
                    .longNumber(failure.get().word()).bytes());
        }
        if (!toldAbort && file.abortStatus().isPresent()) {
            toldAbort = true;
            send.accept(SessionFrame.of(FrameKind.ABORTED, file.abortRank(), file.abortStatus().getAsInt()));
        }
        if (!toldRendezvous && file.rendezvous().isPresent()) {
            toldRendezvous = true;
            send.accept(new SessionFrame.Builder(FrameKind.RENDEZVOUS).text(file.rendezvous().get()).bytes());
        }
    }

    private void tellRanks() {
        for (int rank = ranks.first(); rank <= ranks.last(); rank++) {
            if (!joined.get(rank) && file.hasJoined(rank)) {
                joined.set(rank);
                send.accept(SessionFrame.of(FrameKind.JOINED, rank));
            }
            if (!left.get(rank) && file.hasLeft(rank)) {
                left.set(rank);
                send.accept(SessionFrame.of(FrameKind.LEFT, rank));
            }
            if (!missing.get(rank) && file.missed(rank) >= 0) {
                missing.set(rank);
                send.accept(SessionFrame.of(FrameKind.MISSED, rank, file.missed(rank)));
            }
        }
    }

    private void tellLocations() {
        for (int process = unanswered.nextSetBit(0); process >= 0; process = unanswered.nextSetBit(process + 1)) {
            var answer = file.answer(plan.ranksOf(process).first(), askedOfNode);
            if (answer.isPresent()) {
                unanswered.clear(process);
                send.accept(new SessionFrame.Builder(FrameKind.WHEREABOUTS).number(process).number(question)
                        .text(answer.get()).bytes());
            }
        }
    }
}

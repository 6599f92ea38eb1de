/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.tutti.job.node.RankFailure;
import org.tutti.job.node.RankFailure.Reason;

import static org.assertj.core.api.Assertions.assertThat;

/** The conclusions of the launcher from the reports of three nodes of two ranks about each other. */
class JobNodesTest {
    private static final Placement THREE_BY_TWO = Placement.even(6, 3, 1);

    private final List<ScriptedNode> scripted = new ArrayList<>();
    private final JobNodes nodes = nodes();

    private JobNodes nodes() {
        for (int node = 0; node < 3; node++) {
            scripted.add(new ScriptedNode("node " + node));
        }
        return new JobNodes(THREE_BY_TWO, List.copyOf(scripted));
    }

    private void knows(int node, int failed, Reason reason, int witness) {
        scripted.get(node).firstFailure = Optional.of(new RankFailure(failed, reason, witness, 2000));
    }

    @Test
    void shouldFindTheNodeThatTheOthersHaveLostAndThatHasLostThem() {
        knows(0, 2, Reason.SILENT, 0);
        knows(1, 0, Reason.SILENT, 2);
        knows(2, 3, Reason.SILENT, 4);
        assertThat(nodes.separation()).contains("node 1 was cut off from the others, so ranks 2-3 could not go on "
                + "with them");
    }

    @Test
    void shouldNotBelieveHearsay() {
        knows(0, 2, Reason.SILENT, 4); // from node 2, though it reaches both
        knows(1, 4, Reason.SILENT, 2);
        knows(2, 2, Reason.SILENT, 4);
        assertThat(nodes.separation()).contains("node 1 and node 2 were cut off from each other");
    }

    @Test
    void shouldKnowThatWhoHearsToBeLostHasLostTheOther() {
        knows(0, 2, Reason.UNREACHABLE, 4);
        knows(1, 2, Reason.UNREACHABLE, 4);
        knows(2, 2, Reason.UNREACHABLE, 4);
        assertThat(nodes.separation()).contains("node 1 and node 2 were cut off from each other");
    }

    /** Rank 0 ended because rank 4 had lost rank 2, and node 1 saw the end before it heard why. */
    @Test
    void shouldTakeAnEndThatIsAConsequenceForItsCause() {
        knows(0, 2, Reason.SILENT, 4);
        knows(1, 0, Reason.ENDED, 2);
        knows(2, 2, Reason.SILENT, 4);
        assertThat(nodes.separation()).contains("node 1 and node 2 were cut off from each other");
    }

    @Test
    void shouldSeeNoSeparationInWhatIsAProcessesOwnTrouble() {
        knows(0, 3, Reason.STOOD_STILL, 2);
        knows(1, 3, Reason.STOOD_STILL, 2);
        knows(2, 3, Reason.THREW, 3);
        assertThat(nodes.separation()).isEmpty();
        knows(0, 3, Reason.LAUNCHER, -1);
        knows(1, 3, Reason.ENDED, 2);
        assertThat(nodes.separation()).isEmpty();
    }

    @Test
    void shouldNotGuessWhenTheBlameGoesRound() {
        assertThat(JobNodes.apart(new int[]{1, 2, 0})).isEmpty();
        assertThat(JobNodes.apart(new int[]{-1, -1, -1})).isEmpty();
    }

    @Test
    void shouldKnowHowTheFailureOfALivingRankIsKnown() {
        assertThat(nodes.firstFailure(3)).isEmpty();
        assertThat(nodes.firstFailure(-1)).as("of no rank in particular").isEmpty();
        knows(1, 3, Reason.STOOD_STILL, 2);
        assertThat(nodes.firstFailure(2)).isEmpty();
        assertThat(nodes.firstFailure(3).orElseThrow().describe("rank 2"))
                .startsWith("counts as failed: its process stood still for 2000 ms").contains("--standstill");
    }

    /** Another node may have seen the connection end before it was told why. */
    @Test
    void shouldBelieveANodeBeforeOthersOfItsOwnRank() {
        knows(0, 3, Reason.ENDED, 0);
        knows(1, 3, Reason.EXITED, 3);
        assertThat(nodes.firstFailure(3).orElseThrow().reason()).isEqualTo(Reason.EXITED);
    }
}

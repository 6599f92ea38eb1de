/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.info;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.Collective;
import org.tutti.choice.Choice;
import org.tutti.choice.Rule;
import org.tutti.tool.CommandProcess;
import org.tutti.tool.CommandProcess.Ended;

import static org.assertj.core.api.Assertions.assertThat;

/** The output of {@code tutti info} about vectors, choices and rails: which are used, requested, and refused. */
@Timeout(300)
class InfoTest {
    @TempDir
    private Path directory;

    private static Ended info(String... arguments) throws Exception {
        return CommandProcess.runShared(words(arguments));
    }

    private Ended infoWith(String variable, String... arguments) throws Exception {
        return CommandProcess.run(directory, Map.of("TUTTI_RAILS", variable), words(arguments));
    }

    private static String[] words(String... arguments) {
        return Stream.concat(Stream.of("info"), Stream.of(arguments)).toArray(String[]::new);
    }

    /** The lines of the rails: number, address, interface, reason. */
    private static List<String> rails(Ended ended) {
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).containsPattern("(?m)^rail +address +interface +why, or why not$");
        return ended.out().lines().filter(line -> line.matches(" {3}\\d {3}.*"))
                .map(line -> line.strip().replaceAll(" {2,}", "|")).toList();
    }

    @Test
    void shouldShowWhatIsChosenAndWhy() throws Exception {
        Ended ended = info();
        assertThat(rails(ended)).isNotEmpty()
                .allMatch(line -> line.matches("0\\|[^|]+\\|[^|]+\\|(other hosts may reach it|nothing).*"));
        assertThat(ended.out()).contains("loopback: only this machine can reach it").contains("shared memory")
                .containsPattern("(?m)^TCP +congestion control: \\w+");
    }

    @Test
    void shouldShowLevels() throws Exception {
        assertThat(info().out()).containsPattern("(?m)^levels +domains of these cores: .+; of ranks: ");
    }

    @Test
    void shouldSayWhetherReductionsUseVectors() throws Exception {
        assertThat(info().out()).containsPattern("(?m)^reductions +vectors in ranks that tutti run starts, else with "
                + "--add-modules jdk.incubator.vector$");
    }

    @Test
    void shouldListWhenWhichAlgorithmIsChosen() throws Exception {
        Ended ended = info("--choices");
        assertThat(ended.status()).as(ended.err()).isZero();
        List<String> lines = ended.out().lines().map(line -> line.replaceAll(" {2,}", "|")).toList();
        assertThat(lines).startsWith("collective|nodes|ranks|levels|links|bytes|operator|algorithm");
        List<Rule> rules = Arrays.stream(Collective.values()).flatMap(each -> Choice.rules(each).stream()).toList();
        assertThat(lines.subList(1, rules.size() + 1)).isEqualTo(lines(rules));
        int table = lines.indexOf("before these lines, with --algorithm qian-afsahi:");
        List<Rule> tableRules = Choice.tables().get("qian-afsahi");
        assertThat(lines.subList(table + 1, table + 1 + tableRules.size())).isEqualTo(lines(tableRules));
    }

    /** The rules, of which no limit stands here, so that it can be tuned without an edit of this test. */
    private static List<String> lines(List<Rule> rules) {
        return rules.stream().map(rule -> {
            Collective collective = rule.algorithm().collective();
            return Stream.of(collective.label(), rule.nodes(), rule.ranksInWords(), rule.levels() ? "yes" : "any",
                    rule.slowLinks() ? "slow" : "any", rule.bytes(), collective.combines() ? rule.operators() : "",
                    rule.algorithm().description().name()).map(String::valueOf).filter(word -> !word.isEmpty())
                    .collect(Collectors.joining("|"));
        }).toList();
    }

    @Test
    void shouldHonourTheVariableAndTheOptionBeforeIt() throws Exception {
        assertThat(rails(infoWith("127.0.0.2,lo"))).startsWith("0|127.0.0.2|lo|asked for as 127.0.0.2",
                "1|127.0.0.1|lo|asked for as lo");
        assertThat(rails(infoWith("127.0.0.2,127.0.0.0/8,^::/0"))).containsExactly(
                "0|127.0.0.2|lo|asked for as 127.0.0.2", "1|127.0.0.1|lo|asked for as 127.0.0.0/8");
        assertThat(rails(infoWith("127.0.0.2,lo", "--rails", "127.0.0.1")))
                .containsExactly("0|127.0.0.1|lo|asked for as 127.0.0.1");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            no-such,lo           | no-such is neither an address, nor an interface
            no/such,lo           | no/such is no subnet; write an address and the length of its prefix
            0.0.0.0              | 0.0.0.0 stands for every address
            127.0.0.1,127.0.0.1  | 127.0.0.1 (lo) is named twice
            a,b,c,d,e            | they are 5, and there can be 4""")
    void shouldExplainRailsThatCannotBe(String wanted, String why) throws Exception {
        String sentence = "tutti: the rails \"" + wanted + "\" cannot be used: " + why;
        Ended ofVariable = infoWith(wanted);
        assertThat(ofVariable.status()).isEqualTo(1);
        Ended ofOption = info("--rails", wanted);
        assertThat(ofOption.status()).isEqualTo(2);
        for (Ended ended : List.of(ofVariable, ofOption)) {
            assertThat(ended.err()).startsWith(sentence).hasLineCount(1);
            assertThat(ended.out()).isEmpty();
        }
    }
}

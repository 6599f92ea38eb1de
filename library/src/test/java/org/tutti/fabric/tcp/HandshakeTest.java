/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.fabric.tcp.Handshake.State;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Two sides that know the secret agree, however their bytes arrive; anybody else is refused, whatever he sends. */
class HandshakeTest {
    private static final byte[] SECRET = bytes(1, 32);
    private static final Introduction MINE = new Introduction(12, 1, 2, 3, 8, 5);
    private static final int GREETING_BYTES = 12;
    private static final int[] MESSAGE_BYTES = {76, 76, 56, 36};

    /** Nonces by seed, so that a failure can be repeated, and a count of them. */
    private static final class Seeded extends SecureRandom {
        private static final long serialVersionUID = 1L;
        private final Random random;
        private int drawn;

        Seeded(long seed) {
            random = new Random(seed);
        }

        @Override
        public void nextBytes(byte[] bytes) {
            random.nextBytes(bytes);
            drawn++;
        }
    }

    /** The bytes of both sides of a successful handshake. */
    private record Recording(byte[] client, byte[] server) {
        byte[] message(int number) {
            return switch (number) {
                case 1 -> Arrays.copyOfRange(client, 0, 76);
                case 2 -> Arrays.copyOfRange(server, 0, 76);
                case 3 -> Arrays.copyOfRange(client, 76, 132);
                default -> Arrays.copyOfRange(server, 76, 112);
            };
        }
    }

    private static byte[] bytes(long seed, int count) {
        byte[] bytes = new byte[count];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static ClientHandshake client(long seed) {
        return new ClientHandshake(SECRET, new Seeded(seed), MINE);
    }

    private static ServerHandshake server(long seed) {
        return new ServerHandshake(SECRET, new Seeded(seed));
    }

    /** All that a side has to write. */
    private static byte[] written(Handshake side) {
        byte[] bytes = new byte[side.toWrite().remaining()];
        side.toWrite().get(bytes);
        return bytes;
    }

    private static void feed(Handshake side, byte[] bytes) {
        side.read(ByteBuffer.wrap(bytes));
    }

    private static byte[] joined(byte[]... parts) {
        var all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static Recording record(long seed) {
        ClientHandshake client = client(seed);
        ServerHandshake server = server(seed + 1);
        byte[] first = written(client);
        feed(server, first);
        byte[] second = written(server);
        feed(client, second);
        byte[] third = written(client);
        feed(server, third);
        server.answer(Verdict.ACCEPTED);
        byte[] fourth = written(server);
        feed(client, fourth);
        assertThat(client.state()).isEqualTo(State.DONE);
        return new Recording(joined(first, third), joined(second, fourth));
    }

    private static void assertRefused(Handshake side, String what) {
        assertThat(side.state()).as(what).isEqualTo(State.REFUSED);
        assertThat(side.refusal()).as(what).isNotEmpty();
        assertThat(side.wanted()).as(what).isZero();
        assertThatThrownBy(side::verdict).isInstanceOf(IllegalStateException.class);
        if (side instanceof ServerHandshake server) {
            assertThatThrownBy(() -> server.answer(Verdict.ACCEPTED)).isInstanceOf(IllegalStateException.class);
        }
    }

    // --- those who know the secret ----------------------------------------------------------------------------------

    /** Moves at most so many bytes from one side to the other, by way of a buffer that has more than is wanted. */
    private static void move(Handshake from, Handshake to, int atMost) {
        int count = Math.min(Math.min(atMost, from.toWrite().remaining()), to.wanted());
        if (count > 0) {
            byte[] some = new byte[count + 7];
            from.toWrite().get(some, 0, count);
            int wanted = to.wanted();
            ByteBuffer arrived = ByteBuffer.wrap(some, 0, count);
            to.read(arrived);
            assertThat(arrived.remaining()).isZero();
            if (count < wanted) {
                assertThat(to.wanted()).isEqualTo(wanted - count);
            }
        }
    }

    @Test
    void shouldAgreeHoweverManyBytesArriveAtOnce() {
        for (int atOnce = 1; atOnce <= 120; atOnce++) {
            ClientHandshake client = client(atOnce);
            ServerHandshake server = server(-atOnce);
            for (int turn = 0; turn < 1000 && client.state() != State.DONE; turn++) {
                move(client, server, atOnce);
                if (server.state() == State.INTRODUCED) {
                    assertThat(server.introduction()).isEqualTo(MINE);
                    assertThat(client.state()).isEqualTo(State.GOING_ON);
                    server.answer(Verdict.ACCEPTED);
                }
                move(server, client, atOnce);
            }
            assertThat(client.state()).as("%d at once", atOnce).isEqualTo(State.DONE);
            assertThat(server.state()).isEqualTo(State.DONE);
            assertThat(client.verdict()).isEqualTo(Verdict.ACCEPTED);
            assertThat(server.verdict()).isEqualTo(Verdict.ACCEPTED);
            assertThat(client.toWrite().remaining() + server.toWrite().remaining()).isZero();
            assertThat(client.wanted() + server.wanted()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(Verdict.class)
    void shouldTellTheVerdict(Verdict verdict) {
        ClientHandshake client = client(3);
        ServerHandshake server = server(4);
        feed(server, written(client));
        feed(client, written(server));
        feed(server, written(client));
        assertThat(server.state()).isEqualTo(State.INTRODUCED);
        server.answer(verdict);
        feed(client, written(server));
        assertThat(client.state()).isEqualTo(State.DONE);
        assertThat(client.verdict()).isEqualTo(verdict);
        assertThat(server.verdict()).isEqualTo(verdict);
    }

    @Test
    void shouldLeaveWhatFollowsTheHandshakeAlone() {
        ClientHandshake client = client(5);
        ServerHandshake server = server(6);
        feed(server, written(client));
        feed(client, written(server));
        byte[] frames = bytes(7, 100);
        ByteBuffer toServer = ByteBuffer.wrap(joined(written(client), frames));
        server.read(toServer);
        assertThat(toServer.remaining()).isEqualTo(frames.length);
        server.read(toServer);
        server.answer(Verdict.ACCEPTED);
        server.read(toServer);
        assertThat(toServer.remaining()).isEqualTo(frames.length);
        ByteBuffer toClient = ByteBuffer.wrap(joined(written(server), frames));
        client.read(toClient);
        client.read(toClient);
        assertThat(toClient.remaining()).isEqualTo(frames.length);
    }

    @Test
    void shouldSayWhatThePictureShows() throws Exception {
        ClientHandshake client = client(8);
        ServerHandshake server = server(9);
        byte[] clientNonce = bytes(8, 32);
        byte[] serverNonce = bytes(9, 32);
        byte[] version = {5, 0, 0, 0};
        byte[] first = written(client);
        assertThat(first).isEqualTo(joined(text("TUTTI-->"), version, clientNonce, knock(SECRET, clientNonce)));
        feed(server, first);
        byte[] second = written(server);
        assertThat(second).isEqualTo(joined(text("TUTTI<--"), version, serverNonce,
                mac(SECRET, "tutti server", clientNonce, serverNonce)));
        feed(client, second);
        byte[] said = {12, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 8, 0, 0, 0, 5, 0, 0, 0};
        byte[] third = written(client);
        assertThat(third).isEqualTo(joined(said, mac(SECRET, "tutti client", clientNonce, serverNonce, said)));
        feed(server, third);
        server.answer(Verdict.DUPLICATE);
        byte[] duplicate = {4, 0, 0, 0};
        assertThat(written(server))
                .isEqualTo(joined(duplicate, mac(SECRET, "tutti verdict", clientNonce, serverNonce, duplicate)));
        assertThat(new int[]{first.length, second.length, third.length, 36}).isEqualTo(MESSAGE_BYTES);
        assertThat(Handshake.BUFFER_BYTES).isEqualTo(64 + 132 + 64);
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] mac(byte[] secret, String label, byte[]... parts) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret, "HmacSHA256"));
        return mac.doFinal(joined(text(label), joined(parts)));
    }

    private static byte[] knock(byte[] secret, byte[] nonce) throws Exception {
        return mac(secret, "tutti knock", nonce, new byte[32]);
    }

    // --- strangers --------------------------------------------------------------------------------------------------

    @Test
    void shouldNotSpeakToAStrangerFirst() {
        Seeded random = new Seeded(1);
        ServerHandshake server = new ServerHandshake(SECRET, random);
        assertThat(server.toWrite().remaining()).isZero();
        byte[] first = record(1).message(1);
        for (int i = 0; i < first.length - 1; i++) {
            feed(server, new byte[]{first[i]});
            assertThat(server.toWrite().remaining()).isZero();
            assertThat(random.drawn).isZero();
        }
        feed(server, new byte[]{first[first.length - 1]});
        assertThat(server.toWrite().remaining()).isEqualTo(MESSAGE_BYTES[1]);
    }

    @Test
    void shouldRefuseEveryOtherSecret() {
        for (int bit = 0; bit < 8 * SECRET.length; bit++) {
            byte[] other = SECRET.clone();
            other[bit / 8] ^= (byte) (1 << bit % 8);
            ClientHandshake client = new ClientHandshake(other, new Seeded(bit), MINE);
            ServerHandshake server = server(bit + 1000);
            feed(server, written(client));
            assertRefused(server, "the server, bit " + bit);
            assertThat(server.refusal()).contains("secret");
            byte[] told = written(server);
            assertThat(told).as("no code for a client that is a stranger").hasSize(GREETING_BYTES);
            feed(client, told);
            client.closed();
            assertRefused(client, "the client, bit " + bit);
            assertThat(client.refusal()).contains("secret");
        }
    }

    @Test
    void shouldRefuseAServerWithAnotherSecret() throws Exception {
        byte[] nonce = bytes(75, 32);
        byte[] serverNonce = bytes(76, 32);
        ClientHandshake client = client(75);
        written(client);
        feed(client, joined(text("TUTTI<--"), new byte[]{5, 0, 0, 0}, serverNonce,
                mac(bytes(77, 32), "tutti server", nonce, serverNonce)));
        assertRefused(client, "another secret");
        assertThat(client.refusal()).contains("secret");
        assertThat(written(client)).as("a code for a server that is a stranger").isEmpty();
    }

    @Test
    void shouldNotTakeAServerThatClosesAtOnceForOneWithAnotherSecret() {
        ClientHandshake client = client(74);
        client.closed();
        assertRefused(client, "closed at once");
        assertThat(client.refusal()).doesNotContain("secret");
    }

    @Test
    void shouldKnowWhoHasKnockedAsOneThatKnowsTheSecret() {
        ServerHandshake server = server(72);
        byte[] first = record(73).message(1);
        for (byte one : first) {
            assertThat(server.hasKnocked()).isFalse();
            feed(server, new byte[]{one});
        }
        assertThat(server.hasKnocked()).isTrue();
        ServerHandshake another = server(72);
        first[GREETING_BYTES + 40] ^= 1;
        feed(another, first);
        assertThat(another.hasKnocked()).isFalse();
    }

    @Test
    void shouldRefuseAClientThatGoesOnWithAnotherSecret() throws Exception {
        byte[] other = bytes(77, 32);
        byte[] nonce = bytes(78, 32);
        ServerHandshake server = server(79);
        feed(server, joined(text("TUTTI-->"), new byte[]{5, 0, 0, 0}, nonce, knock(SECRET, nonce))); // played again
        byte[] serverNonce = Arrays.copyOfRange(written(server), 12, 44);
        byte[] said = new byte[24];
        feed(server, joined(said, mac(other, "tutti client", nonce, serverNonce, said)));
        assertRefused(server, "another secret");
        assertThat(server.toWrite().remaining()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void shouldRefuseAMessageWithAnyBitFlipped(int number) {
        for (int bit = 0; bit < 8 * MESSAGE_BYTES[number - 1]; bit++) {
            ClientHandshake client = client(bit);
            ServerHandshake server = server(bit + 10_000);
            Handshake[] sides = {client, server};
            for (int message = 1; message <= number; message++) {
                Handshake from = sides[(message + 1) % 2];
                if (message == 4) {
                    server.answer(Verdict.ACCEPTED);
                }
                byte[] bytes = written(from);
                if (message == number) {
                    bytes[bit / 8] ^= (byte) (1 << bit % 8);
                }
                feed(sides[message % 2], bytes);
            }
            assertRefused(sides[number % 2], "message " + number + ", bit " + bit);
        }
    }

    @Test
    void shouldNotBeDoneWithAConversationThatIsCutAtAnyByte() {
        for (int cut = 0; cut < 132; cut++) {
            ClientHandshake client = client(20);
            ServerHandshake server = server(21);
            feed(server, Arrays.copyOf(written(client), Math.min(cut, 76)));
            feed(client, written(server));
            if (cut > 76) {
                feed(server, Arrays.copyOf(written(client), cut - 76));
            }
            assertThat(server.state()).as("cut at %d", cut).isEqualTo(State.GOING_ON);
            server.closed();
            assertRefused(server, "cut at " + cut);
            assertThat(server.refusal()).contains("closed the connection after " + cut + " bytes");
        }
        for (int cut = 0; cut < 112; cut++) {
            ClientHandshake client = client(20);
            ServerHandshake server = server(21);
            feed(server, written(client));
            feed(client, Arrays.copyOf(written(server), Math.min(cut, 76)));
            feed(server, written(client));
            if (cut > 76) {
                server.answer(Verdict.ACCEPTED);
                feed(client, Arrays.copyOf(written(server), cut - 76));
            }
            assertThat(client.state()).as("cut at %d", cut).isEqualTo(State.GOING_ON);
            client.closed();
            assertRefused(client, "cut at " + cut);
            assertThat(client.refusal()).contains("after " + cut + " bytes");
        }
    }

    @Test
    void shouldRefuseGarbageOfEveryLength() {
        for (int length = 0; length <= 300; length++) {
            for (int seed = 0; seed < 5; seed++) {
                Seeded random = new Seeded(seed);
                ServerHandshake server = new ServerHandshake(SECRET, random);
                ClientHandshake client = client(seed);
                written(client);
                byte[] garbage = bytes(1000L * length + seed, length);
                for (Handshake side : new Handshake[]{server, client}) {
                    ByteBuffer buffer = ByteBuffer.wrap(garbage);
                    side.read(buffer);
                    side.read(buffer);
                    assertThat(buffer.position()).isEqualTo(Math.min(length, GREETING_BYTES));
                    assertThat(side.state() == State.REFUSED).isEqualTo(length >= GREETING_BYTES);
                    side.closed();
                    assertRefused(side, "garbage of " + length + " bytes, seed " + seed);
                    assertThat(side.toWrite().remaining()).as("an answer to garbage").isZero();
                }
                assertThat(random.drawn).isZero();
            }
        }
    }

    @Test
    void shouldRefuseGarbageAfterEveryGoodBeginning() {
        Recording good = record(30);
        for (int beginning = 0; beginning < 132; beginning++) {
            for (int seed = 0; seed < 20; seed++) {
                ServerHandshake server = server(31); // the recorded one's nonce, so that the beginning is good
                byte[] bytes = Arrays.copyOf(good.client(), 300);
                bytes[beginning] ^= (byte) (1 + new Random(seed).nextInt(255));
                System.arraycopy(bytes(seed, 300), 0, bytes, beginning + 1, 300 - beginning - 1);
                feed(server, bytes);
                assertRefused(server, "a server, garbage after " + beginning);
            }
        }
        for (int beginning = 0; beginning < 112; beginning++) {
            for (int seed = 0; seed < 20; seed++) {
                ClientHandshake client = client(30);
                byte[] bytes = Arrays.copyOf(good.server(), 300);
                bytes[beginning] ^= (byte) (1 + new Random(seed).nextInt(255));
                System.arraycopy(bytes(seed, 300), 0, bytes, beginning + 1, 300 - beginning - 1);
                feed(client, bytes);
                assertRefused(client, "a client, garbage after " + beginning);
            }
        }
    }

    @Test
    void shouldRefuseARecordedConversation() {
        for (int seed = 0; seed < 100; seed++) {
            Recording recorded = record(2L * seed);
            ServerHandshake server = server(seed + 5000);
            feed(server, recorded.client());
            assertRefused(server, "a client played again, seed " + seed);
            assertThat(written(server)).as("message 2 alone").hasSize(MESSAGE_BYTES[1]);
            ClientHandshake client = client(seed + 6000);
            written(client);
            feed(client, recorded.server());
            assertRefused(client, "a server played again, seed " + seed);
            assertThat(written(client)).isEmpty();
        }
    }

    @Test
    void shouldRefuseMessagesOfAConversationAtTheSameTime() {
        ClientHandshake client = client(40);
        ServerHandshake one = server(41);
        ServerHandshake two = server(42);
        byte[] first = written(client);
        feed(one, first);
        feed(two, first);
        feed(client, written(one));
        feed(two, written(client));
        assertRefused(two, "an introduction that was made to another");
        ClientHandshake other = client(43);
        ServerHandshake third = server(44);
        feed(third, written(other));
        feed(other, written(third));
        feed(third, written(other));
        third.answer(Verdict.ACCEPTED);
        feed(client, written(third));
        assertRefused(client, "a verdict on another");
    }

    @Test
    void shouldRefuseItsOwnWordsSentBack() {
        ClientHandshake client = client(50);
        byte[] first = written(client);
        feed(client, first);
        assertRefused(client, "a server that is an echo");

        ServerHandshake server = server(51);
        feed(server, first);
        byte[] second = written(server);
        feed(server, second);
        assertRefused(server, "a client that is an echo");

        // the server's code as that of the client, with its nonce as introduction, and the same at another offset
        for (int offset = 0; offset <= second.length - MESSAGE_BYTES[2]; offset++) {
            ServerHandshake again = server(51);
            feed(again, first);
            feed(again, Arrays.copyOfRange(second, offset, offset + MESSAGE_BYTES[2]));
            assertRefused(again, "the server's words from " + offset);
        }

        // a second connection to the same process, to make it answer the challenge of the first
        ServerHandshake asked = server(52);
        feed(asked, first);
        byte[] challenge = Arrays.copyOfRange(written(asked), GREETING_BYTES, 44);
        ServerHandshake oracle = server(53);
        feed(oracle, joined(Arrays.copyOf(first, GREETING_BYTES), challenge, Arrays.copyOfRange(first, 44, 76)));
        assertRefused(oracle, "a challenge of its own, played back");
        assertThat(written(oracle)).as("no answer").hasSize(GREETING_BYTES);
    }

    @Test
    void shouldRefuseAClientThatReturnsTheServersWordsAsItsOwn() {
        // a server that answers a client with what that client has told it about itself
        Recording recorded = record(60);
        ClientHandshake client = client(60);
        written(client);
        feed(client, recorded.message(2));
        byte[] third = written(client);
        feed(client, third);
        assertRefused(client, "an introduction sent back as a verdict");
    }

    @Test
    void shouldSayWhichVersionsMeet() {
        ClientHandshake client = client(70);
        byte[] first = written(client);
        first[8] = 1;
        Seeded random = new Seeded(71);
        ServerHandshake server = new ServerHandshake(SECRET, random);
        feed(server, first);
        assertRefused(server, "another version");
        assertThat(server.refusal()).isEqualTo("it speaks version 1 of the protocol, and this process version 5");
        assertThat(random.drawn).as("nonces, and so codes").isZero();
        byte[] told = written(server);
        assertThat(told).isEqualTo(joined(text("TUTTI<--"), new byte[]{5, 0, 0, 0}));

        told[8] = 6; // as a server of that version would tell it
        feed(client, told);
        assertRefused(client, "another version");
        assertThat(client.refusal()).isEqualTo("it speaks version 6 of the protocol, and this process version 5");
    }

    @Test
    void shouldRefuseNumbersThatMakeNoSense() throws Exception {
        int[][] senseless = {{-1, 0, 1, 1, 0}, {0, -1, 1, 1, 0}, {0, 1, 1, 1, 0}, {0, 0, 0, 1, 0}, {0, 0, 5, 1, 0},
                {0, 0, 1, 1, -1}, {0, 0, 2, 2, 0}, {0, 0, 2, 5, 0}, {0, 0, 1, 0, 0}, {0, 2, 2, 0, 0}, {0, 0, 2, -1, 0}};
        byte[] nonce = bytes(80, 32);
        for (int[] numbers : senseless) {
            ServerHandshake server = server(81);
            feed(server, joined(text("TUTTI-->"), new byte[]{5, 0, 0, 0}, nonce, knock(SECRET, nonce)));
            byte[] serverNonce = Arrays.copyOfRange(written(server), 12, 44);
            byte[] said = littleEndian(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], 1);
            feed(server, joined(said, mac(SECRET, "tutti client", nonce, serverNonce, said)));
            assertRefused(server, Arrays.toString(numbers));
            assertThat(server.refusal()).contains("makes no sense");
            var mine = new Introduction(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], 1);
            assertThatThrownBy(() -> new ClientHandshake(SECRET, new Seeded(1), mine))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        Recording recorded = record(82);
        ClientHandshake client = client(82);
        feed(client, recorded.message(2));
        byte[] nonces = joined(bytes(82, 32), bytes(83, 32));
        byte[] verdict = littleEndian(9);
        feed(client, joined(verdict, mac(SECRET, "tutti verdict", nonces, verdict)));
        assertRefused(client, "a verdict that is none");
    }

    private static byte[] littleEndian(int... numbers) {
        ByteBuffer bytes = ByteBuffer.allocate(numbers.length * Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (int number : numbers) {
            bytes.putInt(number);
        }
        return bytes.array();
    }

    @Test
    void shouldKeepTheSecretToItself() {
        byte[] secret = SECRET.clone();
        ClientHandshake client = new ClientHandshake(secret, new Seeded(90), MINE);
        ServerHandshake server = server(91);
        byte[] said = written(client);
        feed(server, said);
        byte[] answered = written(server);
        answered[75] ^= 1;
        feed(client, answered);
        assertThat(secret).as("the caller's own").isEqualTo(SECRET);
        var hex = HexFormat.of();
        for (int i = 0; i + 4 <= SECRET.length; i++) {
            String part = hex.formatHex(SECRET, i, i + 4);
            assertThat(client + client.refusal() + server + hex.formatHex(joined(said, answered)))
                    .doesNotContain(part);
        }
        assertThat(client).hasToString("a handshake that is REFUSED: " + client.refusal());
    }
}

/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.metrics;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The server of figures, with clients of all kinds. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class MetricsServerTest {
    private static final String HALF_A_REQUEST = "GET /metrics HTTP/1.1\r\nHost: ";

    private final List<String> said = new ArrayList<>();
    private final List<Socket> sockets = new ArrayList<>();
    private final HttpClient client = HttpClient.newHttpClient();
    private MetricsServer server;

    private void start(Callable<Figures> figures) {
        server = MetricsServer.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server.start(figures, said::add);
    }

    private void start() {
        start(MetricsServerTest::figures);
    }

    private static Figures figures() {
        return new Figures("j", Map.of("joined", 3), 0, 0, List.of(), List.of());
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        for (var socket : sockets) {
            socket.close();
        }
        server.close();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.address().getPort() + path));
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(request(path).build(), BodyHandlers.ofString());
    }

    private Socket connect() throws IOException {
        var socket = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort());
        sockets.add(socket);
        return socket;
    }

    @Test
    void shouldAnswerWithTheFigures() throws Exception {
        start();
        for (var path : List.of("/metrics", "/metrics?x=y")) {
            var response = get(path);
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.headers().firstValue("Content-Type"))
                    .hasValue("text/plain; version=0.0.4; charset=utf-8");
            assertThat(ParsedMetrics.of(response.body()).value("tutti_ranks", "state", "joined")).isEqualTo(3);
        }
        assertThat(said).containsExactly(
                "the figures of this job are at http://127.0.0.1:" + server.address().getPort() + "/metrics");
        assertThat(server.address().getAddress().isLoopbackAddress()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/metrics/", "/metrics/x", "/metricsx", "/%2e%2e/metrics", "/x?/metrics"})
    void shouldHaveNoOtherPath(String path) throws Exception {
        start();
        var response = get(path);
        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(response.body()).isEqualTo("the figures are at /metrics\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "X"})
    void shouldHaveNoOtherMethod(String method) throws Exception {
        start();
        var response = client.send(request("/metrics").method(method,
                method.equals("HEAD") ? BodyPublishers.noBody() : BodyPublishers.ofString("body")).build(),
                BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(405);
        assertThat(response.headers().firstValue("Allow")).hasValue("GET");
        assertThat(get("/metrics").statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nonsense\r\n\r\n", "GET\r\n\r\n", "GET :// HTTP/1.1\r\n\r\n", "\0\0\0\0\r\n\r\n",
            "GET /metrics HTTP/1.1\r\nContent-Length: -1\r\n\r\n"})
    void shouldRefuseWhatIsNoRequest(String bytes) throws Exception {
        start();
        var socket = connect();
        socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
        assertThat(readAll(socket)).doesNotContain("tutti_ranks");
        assertThat(get("/metrics").statusCode()).isEqualTo(200);
    }

    /** Reads until the server closes the connection. */
    private static String readAll(Socket socket) throws IOException {
        try {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        } catch (SocketException _) {
            return ""; // it was reset
        }
    }

    @Test
    void shouldServeOthersBesideSilentClients() throws Exception {
        start();
        for (int i = 0; i < MetricsServer.CONNECTIONS_MAX - 1; i++) {
            var silent = connect();
            if (i % 2 == 0) {
                silent.getOutputStream().write(HALF_A_REQUEST.getBytes(StandardCharsets.ISO_8859_1));
            }
        }
        assertThat(get("/metrics").statusCode()).isEqualTo(200);
    }

    @Test
    void shouldLimitConnectionsAndCloseSilentOnes() throws Exception {
        start();
        for (int i = 0; i < MetricsServer.CONNECTIONS_MAX; i++) {
            connect().getOutputStream().write(HALF_A_REQUEST.getBytes(StandardCharsets.ISO_8859_1));
        }
        assertThat(readAll(connect())).isEmpty(); // one too many
        for (var socket : sockets) {
            assertThat(readAll(socket)).isEmpty(); // closed by the limit of a request
        }
        assertThat(get("/metrics").statusCode()).isEqualTo(200);
    }

    @Test
    void shouldCloseTheConnectionAfterEachAnswer() throws Exception {
        start();
        for (var path : List.of("/metrics", "/")) {
            var socket = connect();
            socket.getOutputStream()
                    .write("GET %s HTTP/1.1\r\nHost: a\r\n\r\n".formatted(path).getBytes(StandardCharsets.ISO_8859_1));
            assertThat(readAll(socket)).startsWith("HTTP/1.1 ").contains("\r\nConnection: close\r\n");
        }
    }

    /** The text is longer than the buffers of a connection. */
    @Test
    void shouldCloseConnectionsOfClientsThatDoNotRead() throws Exception {
        var waits = Collections.nCopies(100_000, 123_456_789L);
        start(() -> new Figures("j", Map.of("joined", 3), 0, 0, List.of(), waits));
        for (int i = 0; i < MetricsServer.CONNECTIONS_MAX; i++) {
            var socket = new Socket();
            sockets.add(socket);
            socket.setReceiveBufferSize(1);
            socket.connect(server.address());
            socket.getOutputStream()
                    .write("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
        }
        assertThat(readAll(connect())).isEmpty(); // one too many
        boolean answered = false;
        while (!answered) {
            try {
                answered = get("/metrics").statusCode() == 200;
            } catch (IOException _) {
                Thread.sleep(20);
            }
        }
        for (var socket : sockets.subList(0, MetricsServer.CONNECTIONS_MAX)) {
            assertThat(readAll(socket)).doesNotContain("rank=\"99999\"");
        }
    }

    @Test
    void shouldGoOnAfterFiguresThatCannotBeHad() throws Exception {
        var calls = new AtomicInteger();
        start(() -> {
            if (calls.incrementAndGet() == 1) {
                throw new IllegalStateException("secret");
            }
            return figures();
        });
        var failed = get("/metrics");
        assertThat(failed.statusCode()).isEqualTo(500);
        assertThat(failed.body()).isEqualTo("the figures cannot be had\n");
        assertThat(get("/metrics").statusCode()).isEqualTo(200);
    }

    @Test
    void shouldEndRequestsWhoseFiguresTakeTooLong() throws Exception {
        start(() -> {
            new CountDownLatch(1).await();
            return figures();
        });
        assertThat(get("/metrics").statusCode()).isEqualTo(500);
    }

    @Test
    void shouldUseNoFiguresAfterItsEnd() throws Exception {
        start();
        assertThat(get("/metrics").statusCode()).isEqualTo(200);
        server.close();
        server.close();
        assertThatThrownBy(() -> get("/metrics")).isInstanceOf(IOException.class);
        assertThatThrownBy(this::connect).isInstanceOf(IOException.class);
    }
}

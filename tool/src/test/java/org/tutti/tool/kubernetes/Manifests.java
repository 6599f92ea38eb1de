/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.kubernetes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.type.LogicalType;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * The manifests of docs/kubernetes.md, read as the server of a cluster does that is told to be strict: a field that the
 * API does not have, one that stands twice, and a number where a text should be are refused.
 */
final class Manifests {
    private static final Path PAGE = Path.of("").toAbsolutePath().getParent().resolve("docs/kubernetes.md");
    private static final Pattern SNIPPET = Pattern.compile("(?s)```yaml\\n(.*?)```");
    private static final Pattern PROGRAM = Pattern.compile("(?s)```java\\n(.*?)```");
    private static final Pattern SEPARATOR = Pattern.compile("(?m)^---\\n");
    private static final Pattern KIND = Pattern.compile("(?m)^kind: (\\w+)$");
    private static final Map<String, Class<? extends HasMetadata>> KINDS =
            Map.of("Service", Service.class, "Job", Job.class);

    private static final YAMLMapper MAPPER = YAMLMapper.builder().annotationIntrospector(new NothingElse())
            .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .withCoercionConfig(LogicalType.Textual,
                    texts -> Stream.of(CoercionInputShape.Integer, CoercionInputShape.Float, CoercionInputShape.Boolean)
                            .forEach(shape -> texts.setCoercion(shape, CoercionAction.Fail)))
            .build();

    private Manifests() {}

    /** The model keeps unknown fields in a map of each object; here it has none. */
    private static final class NothingElse extends JacksonAnnotationIntrospector {
        private static final long serialVersionUID = 1;

        @Override
        public Boolean hasAnySetter(MapperConfig<?> config, Annotated annotated) {
            return false;
        }
    }

    /** The texts of all objects on the page. */
    static List<String> texts() throws IOException {
        return SNIPPET.matcher(Files.readString(PAGE)).results().map(found -> found.group(1))
                .flatMap(snippet -> Arrays.stream(SEPARATOR.split(snippet))).toList();
    }

    /** The program on the page. */
    static String program() throws IOException {
        return only(PROGRAM.matcher(Files.readString(PAGE)).results().map(found -> found.group(1)).toList());
    }

    /** Reads an object of a kind that the page has. */
    static HasMetadata read(String text) {
        var kind = KIND.matcher(text);
        if (!kind.find()) {
            throw new IllegalArgumentException("no kind of object: " + text);
        }
        return MAPPER.readValue(text, KINDS.get(kind.group(1)));
    }

    static <T> T only(Class<T> kind) throws IOException {
        return only(texts().stream().map(Manifests::read).filter(kind::isInstance).map(kind::cast).toList());
    }

    static <T> T only(Collection<T> one) {
        if (one.size() != 1) {
            throw new IllegalArgumentException("there should be one of these: " + one);
        }
        return one.iterator().next();
    }
}

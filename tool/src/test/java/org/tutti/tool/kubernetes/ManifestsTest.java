/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.kubernetes;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobSpec;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.job.launch.JobEnvironment;
import tools.jackson.core.JacksonException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The manifests for users: what a cluster's server would refuse, and what would keep the ranks from meeting. */
@Tag("thorough")
class ManifestsTest {
    private static final int OWNER_READS = 0400;

    private final Service service = Manifests.only(Service.class);
    private final Job job = Manifests.only(Job.class);
    private final JobSpec spec = job.getSpec();
    private final PodSpec pod = spec.getTemplate().getSpec();
    private final Container container = Manifests.only(pod.getContainers());

    ManifestsTest() throws IOException {}

    @Test
    void shouldRunAllPodsOfAnIndexedJobAtTheSameTime() {
        assertThat(job.getApiVersion()).isEqualTo("batch/v1");
        assertThat(spec.getCompletionMode()).isEqualTo("Indexed");
        assertThat(spec.getParallelism()).isEqualTo(spec.getCompletions());
        assertThat(value(JobEnvironment.SIZE)).isEqualTo(String.valueOf(spec.getCompletions()));
    }

    @Test
    void shouldStartWholeAttemptsAgain() {
        assertThat(pod.getRestartPolicy()).isEqualTo("Never"); // else no policy for failures is allowed
        assertThat(spec.getBackoffLimit() % spec.getCompletions()).isZero();
        assertThat(spec.getBackoffLimitPerIndex()).isNull();
        assertThat(spec.getPodFailurePolicy().getRules()).hasSize(2).allSatisfy(rule -> {
            assertThat(rule.getAction()).isIn("FailJob", "Ignore");
            if (rule.getOnExitCodes() != null) {
                assertThat(rule.getOnExitCodes().getContainerName()).isEqualTo(container.getName());
                assertThat(rule.getOnExitCodes().getOperator()).isEqualTo("In");
                assertThat(rule.getOnExitCodes().getValues()).doesNotContain(0);
            } else {
                assertThat(rule.getOnPodConditions()).hasSize(1).allMatch(condition -> condition.getType()
                        .equals("DisruptionTarget") && condition.getStatus().equals("True"));
            }
        });
    }

    @Test
    void shouldGivePodsNamesByAHeadlessServiceCalledLikeTheJob() {
        String name = job.getMetadata().getName();
        assertThat(service.getMetadata().getName()).isEqualTo(name).isEqualTo(pod.getSubdomain());
        assertThat(service.getSpec().getClusterIP()).isEqualTo("None");
        assertThat(service.getSpec().getPublishNotReadyAddresses()).isTrue();
        assertThat(service.getSpec().getSelector()).containsOnlyKeys("batch.kubernetes.io/job-name")
                .containsValue(name);
        assertThat(pod.getHostNetwork()).isNull();
        assertThat(Manifests.only(container.getPorts()).getContainerPort()).isEqualTo(20_000);
    }

    @Test
    void shouldSetVariablesThatTuttiKnows() {
        Set<String> known = Arrays.stream(JobEnvironment.class.getFields())
                .filter(field -> Modifier.isStatic(field.getModifiers()) && field.getType() == String.class)
                .map(ManifestsTest::text).collect(Collectors.toSet());
        assertThat(container.getEnv()).extracting(EnvVar::getName).doesNotHaveDuplicates().isSubsetOf(known)
                .contains(JobEnvironment.SIZE, JobEnvironment.SECRET_FILE, JobEnvironment.JOB);
        assertThat(variable(JobEnvironment.JOB).getValueFrom().getFieldRef().getFieldPath())
                .isEqualTo("metadata.labels['batch.kubernetes.io/controller-uid']");
    }

    private static String text(java.lang.reflect.Field field) {
        try {
            return (String) field.get(null);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void shouldMountAllVolumes() {
        assertThat(container.getVolumeMounts()).extracting(VolumeMount::getName)
                .containsExactlyInAnyOrderElementsOf(pod.getVolumes().stream().map(Volume::getName).toList());
    }

    @Test
    void shouldMountMemoryThatFitsIntoTheContainer() {
        var memory = volume("/dev/shm").getEmptyDir();
        assertThat(memory.getMedium()).isEqualTo("Memory");
        var resources = container.getResources();
        assertThat(resources.getRequests()).isEqualTo(resources.getLimits());
        long limit = bytes(resources.getLimits().get("memory"));
        String heap = only(container.getCommand(), "-XX:MaxRAMPercentage=");
        assertThat(limit * Integer.parseInt(heap) / 100 + bytes(memory.getSizeLimit()))
                .isLessThan(limit - (400L << 20));
    }

    @Test
    void shouldMountASecretThatOnlyThePodsGroupCanRead() {
        String file = value(JobEnvironment.SECRET_FILE);
        var secret = volume(file.substring(0, file.lastIndexOf('/'))).getSecret();
        assertThat(secret.getDefaultMode()).isEqualTo(OWNER_READS);
        assertThat(secret.getSecretName()).isEqualTo("tutti");
        assertThat(file).endsWith("/secret"); // what kubectl calls it by the name of the file
        assertThat(pod.getSecurityContext().getFsGroup()).isNotNull();
        assertThat(pod.getSecurityContext().getRunAsUser()).isPositive();
    }

    /** So that these tests would notice what a cluster's server, or a reader who copies it, would trip over. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"completionMode: | completionmode:", "parallelism: 3 | parallelism: \"3\"",
            "parallelism: 3 | parallelism: three", "subdomain: | subDomain:", "fsGroup: | fsgroup:",
            "value: \"3\" | value: 3", "sizeLimit: | size:", "medium: | 'medium: Memory\n          medium:'",
            "fieldPath: | path:", "secretName: | name:", "mountPath: | path:", "containerPort: | port:",
            "onPodConditions: | onPodCondition:", "limits: | limit:"})
    void shouldRefuseAMisspeltField(String right, String wrong) throws IOException {
        String text = Manifests.texts().stream().filter(each -> each.contains("kind: Job")).findFirst().orElseThrow();
        String broken = text.replace(right.strip(), wrong.strip());
        assertThat(broken).isNotEqualTo(text);
        assertThatThrownBy(() -> Manifests.read(broken)).isInstanceOf(JacksonException.class);
    }

    private EnvVar variable(String name) {
        return Manifests.only(container.getEnv().stream().filter(each -> each.getName().equals(name)).toList());
    }

    private String value(String name) {
        return variable(name).getValue();
    }

    private Volume volume(String mountPath) {
        String name = Manifests.only(container.getVolumeMounts().stream()
                .filter(mount -> mount.getMountPath().equals(mountPath)).toList()).getName();
        return Manifests.only(pod.getVolumes().stream().filter(volume -> volume.getName().equals(name)).toList());
    }

    private static long bytes(Quantity quantity) {
        return Quantity.getAmountInBytes(quantity).longValueExact();
    }

    private static String only(List<String> words, String start) {
        return Manifests.only(words.stream().filter(word -> word.startsWith(start)).toList()).substring(start.length());
    }
}

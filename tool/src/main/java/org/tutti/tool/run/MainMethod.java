/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.File;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.reflect.AccessFlag;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.tutti.tool.UsageException;

/** Looks for the main method of a class without loading the class, before any rank is started. */
final class MainMethod {
    private static final Set<String> TYPES = Set.of("()V", "([Ljava/lang/String;)V");

    private MainMethod() {}

    /**
     * {@return whether a class is on a class path; true if the class path has a *, because only the JVM can expand
     * that}
     */
    static boolean isOnClassPath(String name, String classPath) throws IOException {
        if (classPath.contains("*")) {
            return true;
        }
        try (var loader = loader(classPath)) {
            return loader.findResource(file(name)) != null;
        }
    }

    /**
     * Requires that a class has a main method that ranks can call. If a class is not found, the ranks decide: the class
     * may belong to the JDK or the library, or lie elsewhere on other hosts.
     *
     * @param name the class
     * @param classPath the class path to search
     * @param program the program as the user has named it, for the message
     */
    static void require(String name, String classPath, String program) throws IOException {
        try (var loader = loader(classPath)) {
            for (var each = name; each != null && !each.equals(Object.class.getName());) {
                var resource = loader.findResource(file(each));
                if (resource == null) {
                    return;
                }
                var model = model(resource);
                if (model.methods().stream().anyMatch(method -> method.methodName().equalsString("main")
                        && TYPES.contains(method.methodType().stringValue())
                        && !method.flags().has(AccessFlag.PRIVATE))) {
                    return;
                }
                each = model.superclass().map(type -> type.asInternalName().replace('/', '.')).orElse(null);
            }
        } catch (IllegalArgumentException _) {
            return; // not a class file; the ranks will report that
        }
        throw new UsageException((name.equals(program) ? "class " + name : program + ": class " + name)
                + " has no main method; declare void main() or public static void main(String[] arguments)");
    }

    private static ClassModel model(URL resource) throws IOException {
        var connection = resource.openConnection();
        connection.setUseCaches(false); // lets the loader close the jar
        try (var stream = connection.getInputStream()) {
            return ClassFile.of().parse(stream.readAllBytes());
        }
    }

    private static URLClassLoader loader(String classPath) throws IOException {
        List<URL> places = new ArrayList<>();
        for (var entry : classPath.split(File.pathSeparator)) {
            places.add(Path.of(entry).toUri().toURL());
        }
        return new URLClassLoader(places.toArray(URL[]::new), null);
    }

    private static String file(String className) {
        return className.replace('.', '/') + ".class";
    }
}

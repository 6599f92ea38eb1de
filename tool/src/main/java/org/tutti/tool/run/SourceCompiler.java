/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import org.tutti.tool.UsageException;

/**
 * Compiles a source file once, for all ranks. As with {@code java File.java}, the compiler finds other classes in
 * sources beside the file, and accepts {@code import module org.tutti} and compact source files.
 */
final class SourceCompiler {
    private final Path source;
    private final String classPath;
    private final Path library;

    /**
     * @param source the file with the main class
     * @param classPath the class path for other classes, may be empty
     * @param library the jar or directory of module {@code org.tutti}
     */
    SourceCompiler(Path source, String classPath, Path library) {
        this.source = source;
        this.classPath = classPath;
        this.library = library;
    }

    /** {@return the name of the main class, or empty after the compiler has printed its errors} */
    Optional<String> compile(Path target) throws IOException {
        var compiler = ToolProvider.getSystemJavaCompiler();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            var unit = parse(compiler, files);
            // the library uses an incubator module; the program needs no warning of it
            var options = List.of("-Xlint:-incubating", "-d", target.toString(), "-sourcepath",
                    sourceRoot(unit).toString(), "-classpath",
                    classPath, "--module-path", library.toString(), "--add-modules", "org.tutti", "-proc:none");
            var errors = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
            var task = compiler.getTask(errors, files, null, options, null, files.getJavaFileObjects(source));
            return task.call() ? Optional.of(mainClass(unit)) : Optional.empty();
        }
    }

    private CompilationUnitTree parse(JavaCompiler compiler, StandardJavaFileManager files) throws IOException {
        var task = (JavacTask) compiler.getTask(Writer.nullWriter(), files, null, List.of("-proc:none"), null,
                files.getJavaFileObjects(source));
        return task.parse().iterator().next();
    }

    /** The directory that holds the file's package. */
    private Path sourceRoot(CompilationUnitTree unit) {
        var directory = source.toAbsolutePath().normalize().getParent();
        var packagePath = Path.of(packagePrefix(unit).replace('.', '/'));
        if (packagePath.toString().isEmpty() || !directory.endsWith(packagePath)) {
            return directory;
        }
        return directory.resolve("../".repeat(packagePath.getNameCount())).normalize();
    }

    /**
     * The class that has a main method and the name of the file; else the first class with a main method; else the
     * first.
     */
    private String mainClass(CompilationUnitTree unit) {
        var fileName = source.getFileName().toString();
        var classes =
                unit.getTypeDecls().stream().filter(ClassTree.class::isInstance).map(ClassTree.class::cast).toList();
        var withMain = classes.stream().filter(SourceCompiler::hasMain).toList();
        return packagePrefix(unit) + withMain.stream()
                .filter(type -> fileName.equals(type.getSimpleName() + ".java"))
                .findFirst()
                .or(() -> withMain.stream().findFirst())
                .or(() -> classes.stream().findFirst())
                .map(type -> type.getSimpleName().toString())
                .orElseThrow(() -> new UsageException(source + " declares no class; declare void main()"));
    }

    private static boolean hasMain(ClassTree type) {
        return type.getMembers().stream()
                .anyMatch(member -> member instanceof MethodTree method && method.getName().contentEquals("main"));
    }

    private static String packagePrefix(CompilationUnitTree unit) {
        return unit.getPackageName() == null ? "" : unit.getPackageName() + ".";
    }
}

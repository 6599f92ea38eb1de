/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.zip.ZipException;

import org.tutti.tool.UsageException;

/**
 * The program of a job: a class with a main method, its class path, and its arguments.
 *
 * @param mainClass the binary name of the class
 * @param classPath the program's own class path, without the library
 * @param compiled the directory of the classes that the launcher has compiled; other hosts get a copy of it
 * @param arguments the arguments of the program
 */
record Program(String mainClass, String classPath, Optional<Path> compiled, List<String> arguments) {

    /** {@return a program without classes that the launcher has compiled} */
    static Program of(String mainClass, String classPath, List<String> arguments) {
        return new Program(mainClass, classPath, Optional.empty(), arguments);
    }

    /** {@return the program in a jar; the manifest of the jar names its class} */
    static Program ofJar(Path jar, String classPath, List<String> arguments) throws IOException {
        requireFile(jar);
        try (var file = new JarFile(jar.toFile())) {
            var manifest = file.getManifest();
            var mainClass = manifest == null ? null : manifest.getMainAttributes().getValue(Attributes.Name.MAIN_CLASS);
            if (mainClass == null) {
                throw new UsageException(
                        "the manifest of " + jar + " names no Main-Class; name the class yourself: -cp "
                                + jar + " some.Main");
            }
            var wholePath = join(jar.toString(), classPath);
            if (!MainMethod.isOnClassPath(mainClass.strip(), wholePath)) {
                throw new UsageException(jar + " has no class " + mainClass.strip()
                        + ", which its manifest names as its Main-Class; build it again, or name a class yourself: -cp "
                        + jar + " some.Main");
            }
            MainMethod.require(mainClass.strip(), wholePath, jar.toString());
            return of(mainClass.strip(), wholePath, arguments);
        } catch (ZipException e) {
            throw new UsageException(jar + " is no jar that can be read (" + e.getMessage() + "); build it again");
        }
    }

    /** {@return the program in a class on the class path; an empty class path means the current directory} */
    static Program ofClass(String name, String classPath, List<String> arguments) throws IOException {
        var found = classPath.isEmpty() ? "." : classPath;
        if (!MainMethod.isOnClassPath(name, found)) {
            throw new UsageException("class " + name + " is not on the class path " + found
                    + "; give the class path with -cp, or a .java or .jar file");
        }
        MainMethod.require(name, found, name);
        return of(name, found, arguments);
    }

    /** Checks that a file of the command line can be read. */
    static void requireFile(Path file) {
        if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
            throw new UsageException("program file " + file + " does not exist or cannot be read in "
                    + Path.of("").toAbsolutePath() + "; name a .java file, a .jar file or a class with -cp");
        }
    }

    /** {@return the class path with the compiled classes, and without the library} */
    String wholeClassPath() {
        return join(compiled.map(Path::toString).orElse(""), classPath);
    }

    /** {@return parts of a class path joined to one, without empty parts} */
    static String join(String... parts) {
        return String.join(File.pathSeparator, List.of(parts).stream().filter(part -> !part.isEmpty()).toList());
    }
}

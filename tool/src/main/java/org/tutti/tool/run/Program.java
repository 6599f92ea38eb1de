/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.zip.ZipException;

import org.tutti.tool.UsageException;

/**
 * What each rank runs: a class with a main method, where it is found, and its arguments.
 *
 * @param mainClass the binary name of the class
 * @param classPath the program's own class path, which does not name the library
 * @param compiled the directory of the classes that the launcher has compiled; other hosts get a copy of it
 * @param arguments what follows the program on the command line
 */
record Program(String mainClass, String classPath, Optional<Path> compiled, List<String> arguments) {

    /** {@return a program whose classes are where they are} */
    static Program of(String mainClass, String classPath, List<String> arguments) {
        return new Program(mainClass, classPath, Optional.empty(), arguments);
    }

    /** {@return the program in a jar, named by its manifest} */
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
            return of(mainClass.strip(), join(jar.toString(), classPath), arguments);
        } catch (ZipException e) {
            throw new UsageException(jar + " is no jar that can be read (" + e.getMessage() + "); build it again");
        }
    }

    /** {@return the program in a class of the class path, which is the current directory if none was given} */
    static Program ofClass(String name, String classPath, List<String> arguments) throws IOException {
        var found = classPath.isEmpty() ? "." : classPath;
        if (!isOnClassPath(name, found)) {
            throw new UsageException("class " + name + " is not on the class path " + found
                    + "; give the class path with -cp, or a .java or .jar file");
        }
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

    /** {@return the parts of a class path as one, without the empty ones} */
    static String join(String... parts) {
        return String.join(File.pathSeparator, List.of(parts).stream().filter(part -> !part.isEmpty()).toList());
    }

    private static boolean isOnClassPath(String name, String classPath) throws IOException {
        if (classPath.contains("*")) { // only the JVM knows what it stands for
            return true;
        }
        List<URL> places = new ArrayList<>();
        for (var entry : classPath.split(File.pathSeparator)) {
            places.add(toUrl(entry));
        }
        try (var loader = new URLClassLoader(places.toArray(URL[]::new), null)) {
            return loader.findResource(name.replace('.', '/') + ".class") != null;
        }
    }

    private static URL toUrl(String entry) throws MalformedURLException {
        return Path.of(entry).toUri().toURL();
    }
}

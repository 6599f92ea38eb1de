/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Finds functions of the C library of 64-bit Linux. A JVM can call them if it allows native access ({@code
 * --enable-native-access}).
 */
public final class CLibrary {
    private static final Path LINUX_ONLY = Path.of("/proc/self/fd");

    private CLibrary() {}

    /**
     * Finds a function.
     *
     * @param name the name of the function
     * @param descriptor the types of its parameters and of its result
     * @param options options of the call
     * @return the function, or null if this JVM cannot call it
     */
    @SuppressWarnings("restricted")
    public static MethodHandle find(String name, FunctionDescriptor descriptor, Linker.Option... options) {
        if (!CLibrary.class.getModule().isNativeAccessEnabled() || !Files.isDirectory(LINUX_ONLY)
                || ValueLayout.ADDRESS.byteSize() != Long.BYTES) {
            return null;
        }
        Linker linker = Linker.nativeLinker();
        return linker.defaultLookup().find(name)
                .map(address -> linker.downcallHandle(address, descriptor, options)).orElse(null);
    }
}

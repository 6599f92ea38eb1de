/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.lang.System.Logger.Level;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Frees the memory of pages of a mapped file that are no longer needed. Java has no call for that, so this class calls
 * the C library. A JVM without {@code --enable-native-access} then prints a warning. The class is used only if shared
 * memory could not be allocated.
 */
final class Pages {
    private static final int MADV_REMOVE = 9; // the value on Linux

    private Pages() {}

    /**
     * Frees the memory of all pages that lie wholly in an unused range of a mapped file. The pages read as zeros
     * afterwards. If the file system cannot free them, they stay unchanged.
     *
     * @param stretch the unused range, a part of a shared mapping
     */
    static void giveBack(MemorySegment stretch) {
        try {
            long page = (int) function("getpagesize", FunctionDescriptor.of(ValueLayout.JAVA_INT)).invokeExact();
            long from = -stretch.address() & page - 1;
            long bytes = stretch.byteSize() - from & -page;
            if (bytes > 0) {
                // the call keeps the mapping open until it returns, or fails because the mapping is already closed
                int status = (int) function("madvise", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS,
                        ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT))
                        .invokeExact(stretch.asSlice(from, bytes), bytes, MADV_REMOVE);
                if (status != 0) {
                    log("the file system does not take back " + bytes + " bytes", null);
                }
            }
        } catch (Throwable e) { // a method handle may throw anything, and the claim's own failure must be reported
            log("pages cannot be given back", e);
        }
    }

    @SuppressWarnings("restricted")
    private static MethodHandle function(String name, FunctionDescriptor descriptor) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
    }

    private static void log(String what, Throwable cause) {
        System.getLogger(Pages.class.getName()).log(Level.DEBUG, what, cause);
    }
}

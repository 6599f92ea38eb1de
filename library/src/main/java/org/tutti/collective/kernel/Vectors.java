/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.module.ModuleFinder;

/**
 * Determines whether the predefined operators use the Vector API. The API is an incubator module, so a JVM has it only
 * if the JVM was started with {@code --add-modules}. This class does not link to the API and runs in any JVM.
 */
public final class Vectors {
    /** The module of the Vector API. */
    public static final String MODULE = "jdk.incubator.vector";

    private static final boolean IN_USE = ModuleLayer.boot().findModule(MODULE).isPresent() && hasCompiler();

    private Vectors() {}

    /**
     * {@return whether kernels of this JVM use vectors. They do if the JVM was started with the module and has the C2
     * compiler, which compiles vectors to instructions. Without C2 each vector is an object.}
     */
    public static boolean areInUse() {
        return IN_USE;
    }

    /**
     * {@return whether this JDK contains the module, so that a JVM can be started with the module}
     */
    public static boolean areInJdk() {
        return ModuleFinder.ofSystem().find(MODULE).isPresent();
    }

    /** Returns whether this JVM has C2. The mode of a HotSpot JVM without C2 is "emulated-client". */
    private static boolean hasCompiler() {
        String mode = System.getProperty("java.vm.info", "");
        return !mode.contains("interpreted") && !mode.contains("emulated-client");
    }
}

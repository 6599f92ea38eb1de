/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.module.ModuleFinder;

/**
 * Tells whether the predefined operators use the Vector API. It is an incubator module: a JVM has it only when it was
 * started with {@code --add-modules}. Nothing in this class links to it.
 */
public final class Vectors {
    /** The module of the Vector API. */
    public static final String MODULE = "jdk.incubator.vector";

    private static final boolean IN_USE = ModuleLayer.boot().findModule(MODULE).isPresent() && hasCompiler();

    private Vectors() {}

    /**
     * {@return whether kernels of this JVM use vectors: it was started with the module, and has the compiler that turns
     * vectors into instructions; without that compiler each vector is an object}
     */
    public static boolean areInUse() {
        return IN_USE;
    }

    /**
     * {@return whether this JDK has the module, so that a JVM can be started with it}
     */
    public static boolean areInJdk() {
        return ModuleFinder.ofSystem().find(MODULE).isPresent();
    }

    /** HotSpot says "emulated-client" when it runs without C2. */
    private static boolean hasCompiler() {
        String mode = System.getProperty("java.vm.info", "");
        return !mode.contains("interpreted") && !mode.contains("emulated-client");
    }
}

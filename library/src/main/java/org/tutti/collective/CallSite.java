/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.lang.StackWalker.StackFrame;
import java.security.CodeSource;

/** Where the program has called Tutti, for messages: looked up only when something has gone wrong. */
final class CallSite {
    private static final StackWalker WALKER = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    private static final String LIBRARY = codeOf(CallSite.class);

    private CallSite() {}

    /** {@return " at Program.main(Program.java:12)"; nothing on a thread of Tutti's own, as that of a request} */
    static String at() {
        return WALKER.walk(frames -> frames.filter(frame -> isOfProgram(frame.getDeclaringClass())).findFirst())
                .map(CallSite::text).orElse("");
    }

    /** Neither the library's nor the JDK's. */
    private static boolean isOfProgram(Class<?> type) {
        String code = codeOf(type);
        return !code.isEmpty() && !code.equals(LIBRARY);
    }

    private static String codeOf(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        return source == null || source.getLocation() == null || source.getLocation().getProtocol().equals("jrt") ? ""
                : source.getLocation().toString();
    }

    private static String text(StackFrame frame) {
        return " at " + frame.getClassName() + "." + frame.getMethodName() + "(" + frame.getFileName()
                + (frame.getLineNumber() < 0 ? "" : ":" + frame.getLineNumber()) + ")";
    }
}

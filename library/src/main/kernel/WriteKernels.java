/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/*
 * Writes the kernels of int and float: IntKernel is LongKernel, and FloatKernel is DoubleKernel, with the other type.
 * Java has no generic code for primitive types, and each type needs loops of its own to be vectorised.
 */

void main(String[] arguments) throws IOException {
    Path kernels = Path.of(arguments[0]);
    Path target = Files.createDirectories(Path.of(arguments[1]));
    write(kernels.resolve("LongKernel.java"), "Long", target.resolve("IntKernel.java"), "Int", "Integer");
    write(kernels.resolve("DoubleKernel.java"), "Double", target.resolve("FloatKernel.java"), "Float", "Float");
}

/** Copies a kernel with another type, and its box. */
void write(Path model, String modelType, Path kernel, String type, String box) throws IOException {
    String text = Files.readString(model)
            .replaceAll("\\b" + modelType + "\\.", box + ".")
            .replace(modelType, type)
            .replace(modelType.toLowerCase(Locale.ROOT), type.toLowerCase(Locale.ROOT))
            .replace(modelType.toUpperCase(Locale.ROOT), type.toUpperCase(Locale.ROOT))
            .replaceFirst("\n", "\n// Written by src/main/kernel/WriteKernels.java from " + model.getFileName()
                    + "; change that.\n");
    if (!Files.exists(kernel) || !Files.readString(kernel).equals(text)) { // or all would be compiled again
        Files.writeString(kernel, text);
    }
}

/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the type of a parameter, a field or a result that may be null. It has the meaning of the {@code Nullable} of
 * JSpecify. Values of all other types in this package are never null. For example, {@code double @Nullable [] target}
 * is an array that may be null. Tools such as NullAway know the annotation by its name.
 */
@Documented
@Target(ElementType.TYPE_USE)
@Retention(RetentionPolicy.RUNTIME)
public @interface Nullable {}

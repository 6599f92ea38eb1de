/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoubleBinaryOperator;
import java.util.function.IntBinaryOperator;
import java.util.function.LongBinaryOperator;

/**
 * An associative operator, such as a sum, with which collectives combine the elements of several ranks. The predefined
 * operators support these types:
 *
 * <table>
 * <caption>Operators and types</caption>
 * <tr><th>operator</th><th>boolean</th><th>byte, short</th><th>char</th><th>int, long</th><th>float, double</th></tr>
 * <tr><td>SUM, PRODUCT</td><td></td><td>yes</td><td></td><td>yes</td><td>yes</td></tr>
 * <tr><td>MIN, MAX</td><td></td><td>yes</td><td>yes</td><td>yes</td><td>yes</td></tr>
 * <tr><td>BITWISE_AND, _OR, _XOR</td><td></td><td>yes</td><td></td><td>yes</td><td></td></tr>
 * <tr><td>LOGICAL_AND, _OR, _XOR</td><td>yes</td><td>yes</td><td></td><td>yes</td><td></td></tr>
 * <tr><td>MIN_LOCATION, MAX_LOCATION</td><td></td><td></td><td></td><td>yes</td><td>yes</td></tr>
 * </table>
 *
 * <p>Integer overflow wraps around, as in Java. Floating-point sums and products follow IEEE 754, in an order that the
 * algorithm chooses. Minimum and maximum are those of {@link Math#min(double, double)} and {@link Math#max(double,
 * double)}: the result is NaN if an operand is, and −0.0 is less than 0.0. The logical operators treat zero as false
 * and any other value as true, and return 0 or 1.
 *
 * <p>The location operators work on pairs (value, index) of adjacent elements. They return the pair with the smaller
 * (greater) value, and of two pairs with equal values the one with the smaller index. A NaN takes precedence over any
 * number.
 *
 * <p>Reductions are immutable.
 */
public final class Reduction {
    /** The greatest length of an operator's name, in characters. */
    public static final int NAME_LENGTH_MAX = 32;

    /** The greatest number of elements in a unit of a user-defined operator. */
    public static final int UNIT_MAX = 64;

    private static final Set<DataType> INTEGERS =
            EnumSet.of(DataType.BYTE, DataType.SHORT, DataType.INT, DataType.LONG);
    private static final Set<DataType> NUMBERS = EnumSet.of(DataType.BYTE, DataType.SHORT, DataType.INT, DataType.LONG,
            DataType.FLOAT, DataType.DOUBLE);
    private static final Set<DataType> ORDERED = EnumSet.complementOf(EnumSet.of(DataType.BOOLEAN));
    private static final Set<DataType> TRUTHS =
            EnumSet.of(DataType.BOOLEAN, DataType.BYTE, DataType.SHORT, DataType.INT, DataType.LONG);
    private static final Set<DataType> LOCATED =
            EnumSet.of(DataType.INT, DataType.LONG, DataType.FLOAT, DataType.DOUBLE);

    /** {@code left + right}. */
    public static final Reduction SUM = new Reduction("sum", NUMBERS, 1, true, null);
    /** {@code left * right}. */
    public static final Reduction PRODUCT = new Reduction("product", NUMBERS, 1, true, null);
    /** {@code min(left, right)}. */
    public static final Reduction MIN = new Reduction("min", ORDERED, 1, true, null);
    /** {@code max(left, right)}. */
    public static final Reduction MAX = new Reduction("max", ORDERED, 1, true, null);
    /** {@code left & right}. */
    public static final Reduction BITWISE_AND = new Reduction("bitwise-and", INTEGERS, 1, true, null);
    /** {@code left | right}. */
    public static final Reduction BITWISE_OR = new Reduction("bitwise-or", INTEGERS, 1, true, null);
    /** {@code left ^ right}. */
    public static final Reduction BITWISE_XOR = new Reduction("bitwise-xor", INTEGERS, 1, true, null);
    /** {@code left && right}. */
    public static final Reduction LOGICAL_AND = new Reduction("logical-and", TRUTHS, 1, true, null);
    /** {@code left || right}. */
    public static final Reduction LOGICAL_OR = new Reduction("logical-or", TRUTHS, 1, true, null);
    /** {@code left != right} as truth values. */
    public static final Reduction LOGICAL_XOR = new Reduction("logical-xor", TRUTHS, 1, true, null);
    /** The pair (value, index) with the smallest value. */
    public static final Reduction MIN_LOCATION = new Reduction("min-location", LOCATED, 2, true, null);
    /** The pair (value, index) with the greatest value. */
    public static final Reduction MAX_LOCATION = new Reduction("max-location", LOCATED, 2, true, null);

    private final String name;
    private final Set<DataType> types;
    private final int unit;
    private final boolean commutative;
    private final @Nullable RangeOperator operator;

    private Reduction(String name, Set<DataType> types, int unit, boolean commutative,
            @Nullable RangeOperator operator) {
        this.name = name;
        this.types = types;
        this.unit = unit;
        this.commutative = commutative;
        this.operator = operator;
    }

    /**
     * Returns a user-defined operator that combines ranges of elements. All ranks must pass the same name and the same
     * properties.
     *
     * @param name 1 to {@value #NAME_LENGTH_MAX} characters, the same at every rank; it appears in error messages
     * @param type the type of the elements
     * @param unit the number of elements that belong together, 1 to {@value #UNIT_MAX}: for example 2 for complex
     *            numbers, 4 for 2×2 matrices; ranges are divided only between units
     * @param commutative whether left and right may be swapped; if not, only algorithms that keep the order of the
     *            ranks are used
     * @param operator the function that combines two ranges of elements
     * @return the reduction
     * @throws IllegalArgumentException if the name is empty or too long, or if unit is less than 1 or too large
     */
    public static Reduction of(String name, DataType type, int unit, boolean commutative, RangeOperator operator) {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(operator, "operator");
        if (name.isEmpty() || name.length() > NAME_LENGTH_MAX) {
            throw new IllegalArgumentException("an operator's name has 1 to " + NAME_LENGTH_MAX + " characters, but \""
                    + name + "\" has " + name.length());
        }
        if (unit < 1 || unit > UNIT_MAX) {
            throw new IllegalArgumentException("an operator's unit is 1 to " + UNIT_MAX + " elements, not " + unit);
        }
        return new Reduction(name, EnumSet.of(type), unit, commutative, operator);
    }

    /**
     * Returns a user-defined operator that combines elements of type double, one pair at a time.
     *
     * @param name 1 to {@value #NAME_LENGTH_MAX} characters, the same at every rank
     * @param commutative whether left and right may be swapped
     * @param operator the function that combines two elements
     * @return the reduction
     * @throws IllegalArgumentException if the name is empty or too long
     */
    public static Reduction ofDoubles(String name, boolean commutative, DoubleBinaryOperator operator) {
        Objects.requireNonNull(operator, "operator");
        return of(name, DataType.DOUBLE, 1, commutative, (left, right, result, count) -> {
            for (long at = 0; at < count * Double.BYTES; at += Double.BYTES) {
                result.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, at,
                        operator.applyAsDouble(left.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at),
                                right.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, at)));
            }
        });
    }

    /**
     * Returns a user-defined operator that combines elements of type long, one pair at a time.
     *
     * @param name 1 to {@value #NAME_LENGTH_MAX} characters, the same at every rank
     * @param commutative whether left and right may be swapped
     * @param operator the function that combines two elements
     * @return the reduction
     * @throws IllegalArgumentException if the name is empty or too long
     */
    public static Reduction ofLongs(String name, boolean commutative, LongBinaryOperator operator) {
        Objects.requireNonNull(operator, "operator");
        return of(name, DataType.LONG, 1, commutative, (left, right, result, count) -> {
            for (long at = 0; at < count * Long.BYTES; at += Long.BYTES) {
                result.set(ValueLayout.JAVA_LONG_UNALIGNED, at,
                        operator.applyAsLong(left.get(ValueLayout.JAVA_LONG_UNALIGNED, at),
                                right.get(ValueLayout.JAVA_LONG_UNALIGNED, at)));
            }
        });
    }

    /**
     * Returns a user-defined operator that combines elements of type int, one pair at a time.
     *
     * @param name 1 to {@value #NAME_LENGTH_MAX} characters, the same at every rank
     * @param commutative whether left and right may be swapped
     * @param operator the function that combines two elements
     * @return the reduction
     * @throws IllegalArgumentException if the name is empty or too long
     */
    public static Reduction ofInts(String name, boolean commutative, IntBinaryOperator operator) {
        Objects.requireNonNull(operator, "operator");
        return of(name, DataType.INT, 1, commutative, (left, right, result, count) -> {
            for (long at = 0; at < count * Integer.BYTES; at += Integer.BYTES) {
                result.set(ValueLayout.JAVA_INT_UNALIGNED, at,
                        operator.applyAsInt(left.get(ValueLayout.JAVA_INT_UNALIGNED, at),
                                right.get(ValueLayout.JAVA_INT_UNALIGNED, at)));
            }
        });
    }

    /**
     * {@return the operator's name}
     */
    public String name() {
        return name;
    }

    /**
     * {@return whether left and right operands may be swapped}
     */
    public boolean isCommutative() {
        return commutative;
    }

    /**
     * {@return the number of elements that the operator combines as one value. It is 2 for the location operators, 1
     * for the other predefined operators, and the declared unit of a user-defined operator}
     */
    public int unit() {
        return unit;
    }

    /**
     * Returns whether this operator can combine elements of a type. The table in the description of this class shows
     * the types of the predefined operators. A user-defined operator supports the type with which it was declared.
     *
     * @param type the type of the elements
     * @return whether the operator supports the type
     */
    public boolean supports(DataType type) {
        return types.contains(Objects.requireNonNull(type, "type"));
    }

    /**
     * {@return the user-defined operator, empty for a predefined operator}
     */
    public Optional<RangeOperator> operator() {
        return Optional.ofNullable(operator);
    }

    @Override
    public String toString() {
        return name;
    }
}

/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

/**
 * The target of a put to another process. It names the process, a region (memory of that process that others may
 * address), the offset of the bytes in the region, and optionally a word of the region that the put changes once the
 * bytes are there. A caller reuses one target for many puts, so that puts allocate nothing. A target refers to no
 * memory of the caller, so an unused target keeps no memory alive.
 */
public final class PutTarget {
    private int process;
    private long region;
    private long offset;
    private WordAction action = WordAction.NONE;
    private long word;
    private long value;
    private long tag;

    /**
     * Sets the process, the region and the offset to which the bytes of a put go. The put changes no word, unless a
     * call of {@link #raise} or {@link #add} follows.
     *
     * @param newProcess the first rank of the other process
     * @param newRegion the handle of the region
     * @param newOffset the offset of the bytes in the region
     * @return this target
     */
    public PutTarget at(int newProcess, long newRegion, long newOffset) {
        process = newProcess;
        region = newRegion;
        offset = newOffset;
        return change(WordAction.NONE, 0, 0, 0);
    }

    /**
     * Makes the put raise a word once its bytes are visible. A word that already has the new value or a greater one
     * does not change ({@link WordAction#RAISE}).
     *
     * @param newWord the offset of the word in the region, a multiple of 8; the eight bytes after the word must be in
     *            the region as well
     * @param newValue the new value of the word
     * @param newTag the value for the eight bytes after the word
     * @return this target
     */
    public PutTarget raise(long newWord, long newValue, long newTag) {
        return change(WordAction.RAISE, newWord, newValue, newTag);
    }

    /**
     * Makes the put add to a word once its bytes are visible. Several processes may add to the same word ({@link
     * WordAction#ADD}).
     *
     * @param newWord the offset of the word in the region, a multiple of 8; the eight bytes after the word must be in
     *            the region as well
     * @param newValue the number to add to the word
     * @return this target
     */
    public PutTarget add(long newWord, long newValue) {
        return change(WordAction.ADD, newWord, newValue, 0);
    }

    private PutTarget change(WordAction newAction, long newWord, long newValue, long newTag) {
        action = newAction;
        word = newWord;
        value = newValue;
        tag = newTag;
        return this;
    }

    /** {@return a copy, which does not change when this target changes} */
    public PutTarget copy() {
        return new PutTarget().at(process, region, offset).change(action, word, value, tag);
    }

    /** {@return the first rank of the other process} */
    public int process() {
        return process;
    }

    /** {@return the region's handle} */
    public long region() {
        return region;
    }

    /** {@return the offset of the bytes in the region} */
    public long offset() {
        return offset;
    }

    /** {@return the change that the put makes to its word once the bytes are there} */
    public WordAction action() {
        return action;
    }

    /** {@return the offset of the word in the region; meaningless if the put changes no word} */
    public long word() {
        return word;
    }

    /** {@return the new value of a word that is raised, or the number that is added to a word} */
    public long value() {
        return value;
    }

    /** {@return the value for the eight bytes after a raised word} */
    public long tag() {
        return tag;
    }
}

/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

/**
 * The target of a put: the region and offset of its bytes, and the word that it changes there. A caller moves one
 * target instead of creating new ones, so that puts allocate nothing. A target refers to no memory of the caller, so an
 * unused target keeps no memory alive.
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
     * Moves the target; the put changes no word.
     *
     * @param newProcess the other process
     * @param newRegion the region's handle
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
     * Lets the put {@linkplain WordAction#RAISE raise} a word.
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
     * Lets the put {@linkplain WordAction#ADD add} to a word.
     *
     * @param newWord the offset of the word in the region, a multiple of 8; the eight bytes after the word must be in
     *            the region as well
     * @param newValue the increment
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

    /** {@return a copy, which stays when this target is moved} */
    public PutTarget copy() {
        return new PutTarget().at(process, region, offset).change(action, word, value, tag);
    }

    /** {@return the other process} */
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

    /** {@return the action on the word, once the bytes are there} */
    public WordAction action() {
        return action;
    }

    /** {@return the offset of the word in the region; meaningless if the put changes no word} */
    public long word() {
        return word;
    }

    /** {@return the word's new value, or the increment} */
    public long value() {
        return value;
    }

    /** {@return the value that is written after a raised word} */
    public long tag() {
        return tag;
    }
}

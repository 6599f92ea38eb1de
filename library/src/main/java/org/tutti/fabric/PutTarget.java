/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

/**
 * Where a put goes, and which word it changes there. It is moved rather than made anew, so that puts allocate nothing;
 * it holds no memory of the caller's, so nothing is kept alive by one that is not used for a while.
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
     * Moves the target; no word is changed.
     *
     * @param newProcess the other process
     * @param newRegion the region's handle
     * @param newOffset at which byte of the region the bytes go
     * @return this target
     */
    public PutTarget at(int newProcess, long newRegion, long newOffset) {
        process = newProcess;
        region = newRegion;
        offset = newOffset;
        return change(WordAction.NONE, 0, 0, 0);
    }

    /**
     * Has the put {@linkplain WordAction#RAISE raise} a word.
     *
     * @param newWord where the word lies in the region, a multiple of 8; the eight bytes after it must be in the region
     *            as well
     * @param newValue its new value
     * @param newTag goes into the eight bytes after it
     * @return this target
     */
    public PutTarget raise(long newWord, long newValue, long newTag) {
        return change(WordAction.RAISE, newWord, newValue, newTag);
    }

    /**
     * Has the put {@linkplain WordAction#ADD add} to a word.
     *
     * @param newWord where the word lies in the region, a multiple of 8; the eight bytes after it must be in the region
     *            as well
     * @param newValue what is added
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

    /** {@return the same target, which stays when this one is moved} */
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

    /** {@return at which byte of the region the bytes go} */
    public long offset() {
        return offset;
    }

    /** {@return what is done to the word, once the bytes are there} */
    public WordAction action() {
        return action;
    }

    /** {@return where the word lies in the region, unless none is changed} */
    public long word() {
        return word;
    }

    /** {@return the word's new value, or what is added to it} */
    public long value() {
        return value;
    }

    /** {@return what goes with a raised word} */
    public long tag() {
        return tag;
    }
}

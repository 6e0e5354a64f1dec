// Compiling this file creates the precompiled header that all folders share.

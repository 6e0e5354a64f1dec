// The file whose compilation makes the precompiled header that all folders share.

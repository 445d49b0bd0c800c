#!/bin/sh
# Builds the targets of fuzz/ into $OUT, from $SRC/stickler, as ClusterFuzzLite and OSS-Fuzz call it.
#
# STICKLER_FUZZ_MODULE is the folder of the module that the target `session` fuzzes, with its
# stickler.toml; without it, a module that ships with Stickler. FUZZ_PROFILE=dev builds quickly.
set -eu
cd "$SRC/stickler"
mkdir -p "$OUT"

case ${SANITIZER:-address} in
    address | leak | memory | thread) sanitizer=${SANITIZER:-address} ;;
    # Others are not the compiler's.
    *) sanitizer=none ;;
esac
case ${FUZZ_PROFILE:-release} in
    dev) profile=--dev folder=debug ;;
    *) profile=--release folder=release ;;
esac
host=$(rustc -vV | sed -n 's/^host: //p')
target="$PWD/fuzz/target"

cargo fuzz build "$profile" --sanitizer "$sanitizer" --target "$host" --target-dir "$target"
for name in $(cargo fuzz list); do
    cp "$target/$host/$folder/$name" "$OUT/"
done

rm -rf "$OUT/session_subject"
cp -r "${STICKLER_FUZZ_MODULE:-fixtures/modules/greeting_py}" "$OUT/session_subject"
# A session takes long for a fuzzer, and few bytes choose it.
cat >"$OUT/session.options" <<'OPTIONS'
[libfuzzer]
max_len = 256
timeout = 120
OPTIONS

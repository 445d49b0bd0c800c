# Has bash write the numbers of the lines that it runs to a file that it shares with Stickler.
# Bash reads this file before a script because BASH_ENV names it. If Stickler wants to know the lines
# themselves, bash also writes the names of their files.
if [ -n "${STICKLER_BASH_ENV-}" ]; then
    BASH_ENV=$STICKLER_BASH_ENV
    . "$STICKLER_BASH_ENV"
fi
if { exec {stickler_lines}>>"$STICKLER_COVERAGE"; } 2>/dev/null; then
    PS4='+@$LINENO@'
    if [ -n "${STICKLER_LINES-}" ]; then
        PS4='+@$LINENO@${BASH_SOURCE-}'$'\037'
    fi
    BASH_XTRACEFD=$stickler_lines
    set -x
fi

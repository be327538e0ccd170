<?php
// interpreted.py in PHP, with the same arguments, functions and FILE. It has one thread: IDLE is ignored.
const GAP_NS = 5000;
const PAUSES = 1 << 18;
const BETWEEN = 1000; // steps between two notes of their number

function a4($n) { return $n + 1; }
function a3($n) { return a4($n) + 1; }
function a2($n) { return a3($n) + 1; }
function a1($n) { return a2($n) + 1; }
function b4($n) { return $n - 1; }
function b3($n) { return b4($n) - 1; }
function b2($n) { return b3($n) - 1; }
function b1($n) { return b2($n) - 1; }

// Times that the thread gave up its CPU, and nanoseconds for which it was ready and waited.
function account()
{
    return [getrusage()["ru_nvcsw"], (int)explode(" ", file_get_contents("/proc/self/schedstat"))[1]];
}

function note($notes, $at, ...$words)
{
    fseek($notes, $at);
    fwrite($notes, pack("Q*", ...$words));
}

function watch($notes)
{
    $steps = $pauses = 0;
    [$switches, $waited] = account();
    $last = hrtime(true);
    for (;;) {
        a1($steps);
        b1($steps);
        $steps++;
        $now = hrtime(true);
        if ($now - $last > GAP_NS && $pauses < PAUSES) {
            $before = [$switches, $waited];
            [$switches, $waited] = account();
            if ($switches > $before[0]) {
                note($notes, 16 * (1 + $pauses), $now - $last, $waited - $before[1]);
                note($notes, 8, ++$pauses);
            }
            $now = hrtime(true);
        }
        if ($steps % BETWEEN == 0) {
            note($notes, 0, $steps);
            $now = hrtime(true);
        }
        $last = $now;
    }
}

function down($frames, $notes)
{
    return $frames ? down($frames - 1, $notes) : watch($notes);
}

$notes = fopen($argv[1], "w+b");
stream_set_write_buffer($notes, 0);
ftruncate($notes, 16 * (1 + PAUSES));
down((int)$argv[2] - 3, $notes);

'use strict';
// interpreted.py in JavaScript, with the same arguments, functions and FILE.
const fs = require('fs');
const { performance } = require('perf_hooks');
const GAP_MS = 0.005, PAUSES = 1 << 18, BETWEEN = 1000;

function a4(n) { return n + 1; }
function a3(n) { return a4(n) + 1; }
function a2(n) { return a3(n) + 1; }
function a1(n) { return a2(n) + 1; }
function b4(n) { return n - 1; }
function b3(n) { return b4(n) - 1; }
function b2(n) { return b3(n) - 1; }
function b1(n) { return b2(n) - 1; }

const buffer = Buffer.alloc(4096);
function text(file) { return buffer.toString('latin1', 0, fs.readSync(file, buffer, 0, 4096, 0)); }

// Times that the thread gave up its CPU, and nanoseconds for which it was ready and waited.
function account(files) {
  return [Number(/\nvoluntary_ctxt_switches:\s*(\d+)/.exec(text(files[0]))[1]),
    Number(text(files[1]).split(' ')[1])];
}

const words = Buffer.alloc(16);
function note(notes, at, first, second) {
  words.writeDoubleLE(0, 0);
  words.writeBigUInt64LE(BigInt(Math.round(first)), 0);
  if (second !== undefined)
    words.writeBigUInt64LE(BigInt(Math.round(second)), 8);
  fs.writeSync(notes, words, 0, second === undefined ? 8 : 16, at);
}

let sink = 0;
function watch(notes) {
  const files = ['status', 'schedstat'].map((name) => fs.openSync('/proc/thread-self/' + name));
  let steps = 0, pauses = 0;
  let [switches, waited] = account(files);
  let last = performance.now();
  for (;;) {
    sink += a1(steps);
    sink += b1(steps);
    steps++;
    let now = performance.now();
    if (now - last > GAP_MS && pauses < PAUSES) {
      const before = switches, ready = waited;
      [switches, waited] = account(files);
      if (switches > before) {
        note(notes, 16 * (1 + pauses), (now - last) * 1e6, waited - ready);
        note(notes, 8, ++pauses);
      }
      now = performance.now();
    }
    if (steps % BETWEEN === 0) {
      note(notes, 0, steps);
      now = performance.now();
    }
    last = now;
  }
}

function down(frames, notes) { return frames > 0 ? down(frames - 1, notes) : watch(notes); }

function begin() {
  const notes = fs.openSync(process.argv[2], 'w+');
  fs.ftruncateSync(notes, 16 * (1 + PAUSES));
  down(Number(process.argv[3]) - 3, notes);
}
begin();

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { root, setUp } from './setup.mjs';

/**
 * Sets up, then runs a program of ours with this process's arguments, in the place of this process:
 * same input and output, signals passed on, its exit code ours.
 */
export function runProgram(command, args) {
  setUp();
  const child = spawn(command, args, { cwd: root, stdio: 'inherit' });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  // A Ctrl-C in a terminal reaches the child by itself: here it must only not end us first.
  for (const signal of signals) process.on(signal, () => signal !== 'SIGINT' && child.kill(signal));
  child.on('error', (error) => {
    console.error(`cannot run ${command}: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 15)));
}

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { root, setUp } from './setup.mjs';

/**
 * Sets up, then runs a program of ours in place of this process: same arguments, input, output and
 * exit code. Signals are forwarded.
 */
export function runProgram(command, args) {
  setUp();
  const child = spawn(command, args, { cwd: root, stdio: 'inherit' });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  // A Ctrl-C in a terminal reaches the child directly. Here it must only not end this process
  // first.
  for (const signal of signals) process.on(signal, () => signal !== 'SIGINT' && child.kill(signal));
  child.on('error', (error) => {
    console.error(`cannot run ${command}: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal ?? 'SIGTERM'] ?? 15)));
}

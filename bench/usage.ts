// CPU and memory of processes and of the machine, read from /proc: Linux only.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

interface ProcessTimes {
  parent: number;
  /** Ticks of the process itself. */
  own: number;
  /** Ticks of children that have ended. */
  ended: number;
}

function timesOf(pid: number): ProcessTimes | undefined {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name, in parentheses, may contain blanks and parentheses; the fields after it are numbers.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const at = (index: number): number => Number(fields[index]);
  return { parent: at(1), own: at(11) + at(12), ended: at(13) + at(14) };
}

function treeOf(root: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = pids.map((pid) => ({ pid: Number(pid), parent: timesOf(Number(pid))?.parent }));
  const members = [root];
  for (const member of members) {
    members.push(...parents.filter(({ parent }) => parent === member).map(({ pid }) => pid));
  }
  return members;
}

/**
 * CPU seconds of a process and its descendants so far, with the ended ones. 0 for an ended process.
 */
export function cpuSecondsOfTree(pid: number): number {
  const root = timesOf(pid);
  if (root === undefined) return 0;
  const ticks = treeOf(pid).reduce((total, member) => total + (timesOf(member)?.own ?? 0), root.ended);
  return ticks / ticksPerSecond;
}

/** CPU seconds of one process alone. */
export const cpuSecondsOf = (pid: number): number => (timesOf(pid)?.own ?? 0) / ticksPerSecond;

/** Proportional set size in MiB: memory that processes share is counted once. */
export const memoryMibOfTree = (pid: number): number =>
  treeOf(pid).reduce((mib, member) => mib + memoryMibOf(member), 0);

export function memoryMibOf(pid: number): number {
  const [, kib] = /^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`) ?? '') ?? [];
  return Number(kib ?? 0) / 1024;
}

/** The largest resident memory of a process so far, in MiB. */
export function peakMemoryMibOf(pid: number): number {
  const [, kib] = /^VmHWM:\s+(\d+)/m.exec(read(`/proc/${pid}/status`) ?? '') ?? [];
  return Number(kib ?? 0) / 1024;
}

/**
 * CPU seconds for which the machine was busy since its start. Includes time stolen by its host, and
 * excludes waiting for disks.
 */
export function machineCpuSeconds(): number {
  const [first = ''] = (read('/proc/stat') ?? '').split('\n');
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, steal = 0] = first.split(/\s+/).slice(1).map(Number);
  return (user + nice + system + irq + softIrq + steal) / ticksPerSecond;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended meanwhile.
    return undefined;
  }
}

/** Open files, sockets and other handles of a process. */
export const openHandlesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

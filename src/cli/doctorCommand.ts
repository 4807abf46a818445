import type { Command } from 'commander';
import { type CheckReport, type DoctorReport, invariants, runDoctor } from '../engine/doctor/index.ts';
import { withEngine } from './connect.ts';
import { parseDuration } from './duration.ts';
import { commandOf } from './options.ts';
import { print, printable, type Terminal } from './terminal.ts';

interface DoctorCommandOptions {
  since: string;
  timeout: string;
  only?: string;
  json?: boolean;
}

/** `holdfast doctor`. Calls `onFindings` if there are violations or incomplete checks. */
export function doctorCommand(terminal: Terminal, onFindings: () => void): Command {
  return commandOf('doctor', 'check the database for violations of the invariants; exit code 1 if there are any')
    .option('--since <time>', 'check runs that finished since: 24h, 7d, or all', '24h')
    .option('--timeout <time>', 'the time limit of each check', '10s')
    .option('--only <invariants>', `check only these, a comma list of ${Object.keys(invariants).join(', ')}`)
    .action(async (options: DoctorCommandOptions) => {
      const report = await withEngine(terminal, { prepare: false }, (engine) => runDoctor(engine, toOptions(options)));
      print(terminal, options, report, describe(report));
      if (report.violations > 0 || report.gaveUp > 0) onFindings();
    });
}

const toOptions = ({ since, timeout, only }: DoctorCommandOptions) => ({
  windowMs: since === 'all' ? Number.POSITIVE_INFINITY : parseDuration('--since', since),
  timeoutMs: parseDuration('--timeout', timeout),
  only: only?.split(',').map((id) => id.trim()),
});

function describe(report: DoctorReport): string {
  const ids = [...new Set(report.checks.map(({ invariant }) => invariant))];
  const groups = ids.map((id) => describeGroup(report.checks.filter(({ invariant }) => invariant === id)));
  const scope =
    report.since.getTime() === 0 ? 'all runs' : `runs since ${report.since.toISOString()}, and unfinished ones`;
  return [`Checked ${scope}.`, '', ...groups, '', verdict(report)].join('\n');
}

function describeGroup(checks: readonly CheckReport[]): string {
  const findings = checks.flatMap(describeCheck);
  const [first] = checks;
  if (!first) return '';
  const mark = checks.some(({ violations }) => violations.length > 0) ? 'FAIL' : findings.length > 0 ? '?' : 'ok';
  return [`${mark.padEnd(5)}${first.invariant.padEnd(4)} ${first.promise}`, ...findings].join('\n');
}

const indent = ' '.repeat(10);

function describeCheck({ check, violations, isCut, gaveUp }: CheckReport): string[] {
  return [
    ...(gaveUp === undefined ? [] : [`${indent}${check} did not finish: ${gaveUp}`]),
    ...violations.map(({ message }) => `${indent}${printable(message)}`),
    ...(isCut ? [`${indent}… and more`] : []),
  ];
}

function verdict({ violations, gaveUp }: DoctorReport): string {
  const found = violations === 0 ? 'No violations.' : `${violations} violation${violations === 1 ? '' : 's'}.`;
  if (gaveUp === 0) return found;
  return `${found} ${gaveUp} check${gaveUp === 1 ? '' : 's'} did not finish: use a longer --timeout or a shorter --since.`;
}

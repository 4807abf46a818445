import { z } from 'zod';
import { type JsonDocument, readJson } from '../engine/json/index.ts';
import { terminalStatuses } from '../engine/runs/index.ts';
import type { TailLine } from './tail.ts';
import { clockTime, printable, shortTime, table } from './terminal.ts';

const failure = z.object({ name: z.string().optional(), message: z.string() }).optional();

const wait = z
  .object({
    kind: z.string(),
    until: z.coerce.date().optional(),
    step: z.string().optional(),
    error: failure,
  })
  .optional();

const run = z.object({
  id: z.string(),
  app: z.string(),
  workflow: z.string(),
  status: z.string(),
  triggerKind: z.string(),
  eventName: z.string().optional(),
  attempt: z.number(),
  createdAt: z.coerce.date(),
  durationMs: z.number().optional(),
  waitingFor: wait,
  error: failure,
});
type Run = z.output<typeof run>;

const steps = z.array(
  z.object({
    name: z.string(),
    attempt: z.number(),
    status: z.string(),
    durationMs: z.number().optional(),
    error: failure,
  }),
);

export const readRun = (text: string): Run => run.parse(JSON.parse(text));
export const readRuns = (text: string): Run[] => z.array(run).parse(JSON.parse(text));

export function runTable(runs: readonly Run[]): string {
  const rows = runs.map(({ id, status, app, workflow, createdAt, durationMs }) => [
    id,
    status,
    app,
    workflow,
    shortTime(createdAt),
    took(durationMs),
  ]);
  return table(['ID', 'STATUS', 'APP', 'WORKFLOW', 'CREATED', 'TOOK'], rows);
}

/** Describes a run and its steps: its facts, then a row for each attempt of each step. */
export function describeRun(runText: string, stepsText: string): string {
  const document = readJson(runText);
  const of = run.parse(document.value);
  const facts = [
    ['app', of.app],
    ['workflow', of.workflow],
    ['status', of.status],
    ['waits for', waitText(of.waitingFor)],
    ['trigger', [of.triggerKind, of.eventName].filter(Boolean).join(' ')],
    ['attempt', String(of.attempt)],
    ['created', shortTime(of.createdAt)],
    ['took', took(of.durationMs)],
    ['input', shown(document.raw('input'))],
    ['result', shown(document.raw('result'))],
    ['error', messageOf(of.error)],
  ].filter(([, value]) => value !== '');
  const lines = facts.map(([name = '', value = '']) => printable(`  ${name.padEnd(11)}${value}`));
  const rows = steps
    .parse(JSON.parse(stepsText))
    .map(({ name, attempt, status, durationMs, error }) => [
      name,
      String(attempt),
      status,
      took(durationMs),
      messageOf(error),
    ]);
  const stepTable = rows.length > 0 ? ['', table(['STEP', 'ATTEMPT', 'STATUS', 'TOOK', 'ERROR'], rows)] : [];
  return [of.id, '', ...lines, ...stepTable].join('\n');
}

const frame = z.object({
  kind: z.string(),
  ts: z.coerce.date(),
  status: z.string().optional(),
  step: z.string().optional(),
  attempt: z.number().optional(),
  level: z.string().optional(),
  message: z.string().optional(),
  waitingFor: wait,
  error: failure,
});

/** Describes a frame of a run's stream. The frame that ends the run is the last one. */
export function describeFrame(data: JsonDocument): TailLine {
  const { kind, ts, status = '', step = '', attempt = 1, level = '', message = '', ...rest } = frame.parse(data.value);
  const { error, waitingFor } = rest;
  const again = attempt > 1 ? `attempt ${attempt}` : '';
  const parts =
    kind === 'log'
      ? [level, message, shown(data.raw('fields'))]
      : kind === 'step_status'
        ? ['step', step, status, again]
        : ['run', status, waitText(waitingFor)];
  return {
    line: lineOf(ts, [...parts, messageOf(error)]),
    isLast: kind === 'run_status' && terminalStatuses.some((each) => each === status),
  };
}

const transition = z.object({
  runId: z.string(),
  app: z.string(),
  workflow: z.string(),
  status: z.string(),
  ts: z.coerce.date(),
});

/** Describes an event of the stream of all runs. */
export function describeTransition({ value }: JsonDocument): TailLine {
  const { runId, app, workflow, status, ts } = transition.parse(value);
  return { line: lineOf(ts, [runId, app, workflow, status]) };
}

const lineOf = (ts: Date, parts: readonly string[]): string =>
  printable([clockTime(ts), ...parts.filter((part) => part !== '')].join('  '));

/** Longer payloads are cut; `--json` shows them whole. */
const shownLength = 500;

function shown({ text }: { text: string } = { text: '' }): string {
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text;
}

/** Describes a wait: its kind and step, its end, and the failure that caused it. */
function waitText(waiting: z.output<typeof wait>): string {
  if (waiting === undefined) return '';
  const { kind, step, until, error } = waiting;
  const what = step === undefined ? kind : `${kind} (${step})`;
  const end = until === undefined ? '' : `until ${shortTime(until)}`;
  return [what, end, messageOf(error)].filter(Boolean).join('; ');
}

const messageOf = (error: z.output<typeof failure>): string =>
  error === undefined ? '' : [error.name, error.message].filter(Boolean).join(': ');

function took(ms: number | undefined): string {
  if (ms === undefined) return '';
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}

const reasons = ['skipped', 'dropped', 'debounced', 'batched', 'deduped', 'suspended'] as const;

/** Why a start made no run (4.2, 4.3): the name of the gate's flag in the answer. */
export const withheldBy = (answer: Readonly<Record<string, unknown>>): string =>
  reasons.filter((reason) => answer[reason] === true).join(', ');

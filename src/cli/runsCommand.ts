import { Command, Option } from 'commander';
import { type RawJson, stringifyRaw } from '../engine/json/index.ts';
import { instantAgo } from './duration.ts';
import { commandOf, count, jsonText, keyValue } from './options.ts';
import { describeFrame, describeRun, describeTransition, readRun, readRuns, runTable } from './runText.ts';
import { findService } from './service.ts';
import { follow } from './tail.ts';
import { printText, type Terminal } from './terminal.ts';
import { describeDiagnosis } from './whyText.ts';

const runId = ['<id>', 'the id of the run'] as const;

export function runsCommand(terminal: Terminal): Command {
  const list = commandOf('list', 'list runs, newest first')
    .option('--app <app>', 'only runs of this app')
    .option('--workflow <name>', 'only runs of this workflow')
    .option('--status <status>', 'only runs of this status; "active" is queued, running and waiting')
    .option('--session <id>', 'only runs of this conversation')
    .option('--dedupe-id <id>', 'only runs of events and triggers with this dedupeId')
    .option('--tag <key=value>', 'only runs with this tag; repeatable', keyValue)
    .option('--since <time>', 'only runs created since then: a time ago (24h) or a timestamp')
    .option('--limit <n>', 'how many runs, at most 200', count, 30)
    .addOption(new Option('--cursor <cursor>', 'continue a longer list, with the cursor that it printed'))
    .action((options: ListOptions) => listRuns(terminal, options));
  const get = commandOf('get', 'show a run and its steps')
    .argument(...runId)
    .action((id: string, options: Json) => getRun(terminal, id, options));
  const why = commandOf('why', 'tell why a run failed, or does not move, and what could be done')
    .argument(...runId)
    .action((id: string, options: Json) => diagnose(terminal, id, options));
  const tail = commandOf('tail', 'follow a run to its end, or the status of all runs until Ctrl-C')
    .argument('[id]', 'the id of the run')
    .option('--limit <n>', 'end after this many lines', count)
    .action((id: string | undefined, options: Json & { limit?: number }) => tailRuns(terminal, id, options));
  const cancel = commandOf('cancel', 'cancel a run that has not ended, and its children')
    .argument(...runId)
    .action((id: string, options: Json) => control(terminal, id, { ...options, verb: 'cancel' }));
  const replay = commandOf('replay', 'start an ended run again, as a new run')
    .argument(...runId)
    .option('--input <json>', 'the input of the new run; default: the input of the old one', jsonText)
    .action((id: string, options: Json & { input?: RawJson }) => control(terminal, id, { ...options, verb: 'replay' }));
  const runs = new Command('runs').description('list, show, explain, follow, cancel and replay runs');
  for (const command of [list, get, why, tail, cancel, replay]) runs.addCommand(command);
  return runs;
}

interface Json {
  json?: boolean;
}

interface ListOptions extends Json {
  app?: string;
  workflow?: string;
  status?: string;
  session?: string;
  dedupeId?: string;
  tag?: Record<string, string>;
  since?: string;
  limit: number;
  cursor?: string;
}

async function listRuns(terminal: Terminal, { json, tag = {}, since, limit, ...filter }: ListOptions): Promise<void> {
  const tags = Object.fromEntries(Object.entries(tag).map(([key, value]) => [`tag.${key}`, value]));
  const query = { ...filter, ...tags, since: since && instantAgo('--since', since), limit: String(limit) };
  const { text, nextCursor } = await (await findService(terminal)).get('/runs', query);
  printText(terminal, { json }, text, runTable(readRuns(text)));
  if (nextCursor !== undefined) terminal.err(`holdfast: more runs: add --cursor ${nextCursor}\n`);
}

const pathOf = (id: string, rest = ''): string => `/runs/${encodeURIComponent(id)}${rest}`;

async function getRun(terminal: Terminal, id: string, options: Json): Promise<void> {
  const service = await findService(terminal);
  const { text } = await service.get(pathOf(id));
  const steps = await service.get(pathOf(id, '/steps'));
  // Both texts unparsed, so that numbers in payloads keep their digits.
  const whole = `${text.slice(0, -1)},"steps":${steps.text}}`;
  printText(terminal, options, whole, describeRun(text, steps.text));
}

async function diagnose(terminal: Terminal, id: string, options: Json): Promise<void> {
  const { text } = await (await findService(terminal)).get(pathOf(id, '/diagnosis'));
  printText(terminal, options, text, describeDiagnosis(text));
}

function tailRuns(terminal: Terminal, id: string | undefined, options: Json & { limit?: number }): Promise<void> {
  if (id === undefined) return follow(terminal, { path: '/runs/stream', ...options }, describeTransition);
  return follow(terminal, { path: pathOf(id, '/stream'), ...options }, describeFrame);
}

interface ControlOptions extends Json {
  verb: 'cancel' | 'replay';
  input?: RawJson;
}

async function control(terminal: Terminal, id: string, { verb, input, ...options }: ControlOptions): Promise<void> {
  const service = await findService(terminal);
  const { text } = await service.post(pathOf(id, `/${verb}`), stringifyRaw({ input }));
  const run = readRun(text);
  printText(terminal, options, text, verb === 'cancel' ? `${run.id} is ${run.status}` : run.id);
}

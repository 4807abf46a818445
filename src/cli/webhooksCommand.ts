import { Command } from 'commander';
import { z } from 'zod';
import type { JsonDocument } from '../engine/json/index.ts';
import { instantAgo } from './duration.ts';
import { commandOf, count } from './options.ts';
import { findService } from './service.ts';
import { follow, type TailLine } from './tail.ts';
import { clockTime, printable, printText, shortTime, type Terminal, table } from './terminal.ts';

export function webhooksCommand(terminal: Terminal): Command {
  const list = commandOf('list', 'list deliveries of webhooks, newest first')
    .option('--status <status>', 'only deliveries of this status')
    .option('--app <app>', 'only deliveries of this app')
    .option('--endpoint <id>', 'only deliveries to this endpoint')
    .option('--kind <kind>', 'only deliveries of this kind, such as run.failed')
    .option('--run <id>', 'only deliveries that this run caused')
    .option('--since <time>', 'only deliveries created since then: a time ago (24h) or a timestamp')
    .option('--limit <n>', 'how many deliveries, at most 200', count, 30)
    .option('--cursor <cursor>', 'continue a longer list, with the cursor that it printed')
    .action((options: ListOptions) => listDeliveries(terminal, options));
  const tail = commandOf('tail', 'follow the attempts of deliveries, until Ctrl-C')
    .option('--endpoint <id>', 'only deliveries to this endpoint')
    .option('--limit <n>', 'end after this many lines', count)
    .action(({ endpoint: endpointId, ...options }: TailOptions) =>
      follow(terminal, { path: '/webhook-deliveries/stream', query: { endpointId }, ...options }, describeChange),
    );
  return new Command('webhooks')
    .description('list and follow deliveries of webhooks')
    .addCommand(list)
    .addCommand(tail);
}

interface ListOptions {
  status?: string;
  app?: string;
  endpoint?: string;
  kind?: string;
  run?: string;
  since?: string;
  limit: number;
  cursor?: string;
  json?: boolean;
}

interface TailOptions {
  endpoint?: string;
  limit?: number;
  json?: boolean;
}

const delivery = z.object({
  id: z.string(),
  app: z.string(),
  eventKind: z.string(),
  status: z.string(),
  attemptCount: z.number(),
  lastStatusCode: z.number().optional(),
  nextAttemptAt: z.coerce.date().optional(),
  createdAt: z.coerce.date(),
  updatedAt: z.coerce.date(),
});
type Delivery = z.output<typeof delivery>;

async function listDeliveries(terminal: Terminal, options: ListOptions): Promise<void> {
  const { json, endpoint: endpointId, kind: eventKind, run: runId, since, limit, ...filter } = options;
  const query = {
    ...filter,
    endpointId,
    eventKind,
    runId,
    since: since && instantAgo('--since', since),
    limit: String(limit),
  };
  const { text, nextCursor } = await (await findService(terminal)).get('/webhook-deliveries', query);
  const rows = z
    .array(delivery.extend({ url: z.string() }))
    .parse(JSON.parse(text))
    .map((each) => [
      each.id,
      each.status,
      each.eventKind,
      each.app,
      shortTime(each.createdAt),
      String(each.attemptCount),
      codeOf(each),
      each.url,
    ]);
  const headings = ['ID', 'STATUS', 'KIND', 'APP', 'CREATED', 'ATTEMPTS', 'CODE', 'URL'];
  printText(terminal, { json }, text, table(headings, rows));
  if (nextCursor !== undefined) terminal.err(`holdfast: more deliveries: add --cursor ${nextCursor}\n`);
}

/** Describes a change: the delivery, its new status and what came of its last attempt. */
function describeChange({ value }: JsonDocument): TailLine {
  const each = delivery.parse(value);
  const parts = [
    clockTime(each.updatedAt),
    each.id,
    each.app,
    each.eventKind,
    each.status,
    each.attemptCount > 0 ? `attempt ${each.attemptCount}` : '',
    codeOf(each),
    each.nextAttemptAt ? `again at ${shortTime(each.nextAttemptAt)}` : '',
  ];
  return { line: printable(parts.filter(Boolean).join('  ')) };
}

const codeOf = ({ lastStatusCode }: Delivery): string => (lastStatusCode === undefined ? '' : String(lastStatusCode));

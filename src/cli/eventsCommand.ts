import { Command, Option } from 'commander';
import { z } from 'zod';
import { type RawJson, stringifyRaw } from '../engine/json/index.ts';
import { CliError } from './cliError.ts';
import { timingOf } from './duration.ts';
import { sendEventsOf } from './eventsFile.ts';
import { commandOf, count, jsonText, keyValue, withTiming } from './options.ts';
import { withheldBy } from './runText.ts';
import { findService } from './service.ts';
import { follow } from './tail.ts';
import { clockTime, counted, printable, printText, type Terminal, table } from './terminal.ts';

export function eventsCommand(terminal: Terminal): Command {
  const sending = withTiming(commandOf('send', 'send an event, which starts workflows and wakes waiting runs'))
    .argument('[name]', 'the name by which triggers and waiting runs match it')
    .addOption(
      new Option(
        '--file <path>',
        'send the events of a file instead, one JSON object a line; - reads standard input',
      ).conflicts(['data', 'app', 'targetApp', 'session', 'dedupeId', 'tag', 'startAt', 'delay', 'ttl']),
    )
    .option('--data <json>', 'the payload', jsonText)
    .option('--app <app>', 'the app that publishes it; "default" by default')
    .option('--target-app <app>', 'start workflows of this app only')
    .option('--session <id>', 'the conversation of the started runs')
    .option('--dedupe-id <id>', 'a repeat within 24 hours is dropped')
    .option('--tag <key=value>', 'a tag of the started runs; repeatable', keyValue)
    .action((name: string | undefined, options: SendOptions) => send(terminal, name, options));
  const tail = commandOf('tail', 'show events as they arrive, until Ctrl-C')
    .option('--app <app>', 'only events that this app published')
    .option('--name <name>', 'only events of this name')
    .option('--limit <n>', 'end after this many events', count)
    .action((options: TailOptions) => tailEvents(terminal, options));
  return new Command('events').description('send and follow events').addCommand(sending).addCommand(tail);
}

interface SendOptions {
  file?: string;
  data?: RawJson;
  app?: string;
  targetApp?: string;
  session?: string;
  dedupeId?: string;
  startAt?: string;
  delay?: string;
  ttl?: string;
  tag?: Record<string, string>;
  json?: boolean;
}

const outcome = z.looseObject({ app: z.string(), workflow: z.string(), runId: z.string().optional() });
const sent = z.looseObject({ eventId: z.string(), woke: z.number(), triggered: z.array(outcome) });

async function send(terminal: Terminal, name: string | undefined, options: SendOptions): Promise<void> {
  const { file, json } = options;
  if (name !== undefined && file === undefined) return sendEvent(terminal, name, options);
  if (name !== undefined || file === undefined) throw new CliError('give the name of an event, or --file');
  await sendEventsOf(terminal, file, { ...(json && { json }) });
}

async function sendEvent(terminal: Terminal, name: string, options: SendOptions): Promise<void> {
  const { tag, json, startAt, delay, ttl, ...fields } = options;
  const timing = timingOf({ startAt, delay, ttl });
  const service = await findService(terminal);
  const { text } = await service.post('/events', stringifyRaw({ name, ...fields, ...timing, tags: tag }));
  const answer = sent.parse(JSON.parse(text));
  const rows = answer.triggered.map((each) => [each.app, each.workflow, each.runId ?? withheldBy(each)]);
  const facts = [
    `event ${answer.eventId}`,
    ...(withheldBy(answer) ? [withheldBy(answer)] : []),
    `woke ${counted(answer.woke, 'run')}`,
  ];
  const started = rows.length > 0 ? `\n\n${table(['APP', 'WORKFLOW', 'RUN'], rows)}` : ', started none';
  printText(terminal, { json }, text, facts.join(', ') + started);
}

interface TailOptions {
  app?: string;
  name?: string;
  limit?: number;
  json?: boolean;
}

const record = z.object({
  id: z.string(),
  name: z.string(),
  app: z.string(),
  receivedAt: z.coerce.date(),
  triggered: z.array(z.unknown()).default([]),
});

const tailEvents = (terminal: Terminal, { app, name, ...options }: TailOptions): Promise<void> =>
  follow(terminal, { path: '/events/stream', query: { app, name }, ...options }, ({ value }) => {
    const event = record.parse(value);
    const started = counted(event.triggered.length, 'workflow');
    return { line: printable(`${clockTime(event.receivedAt)}  ${event.id}  ${event.app}  ${event.name}  ${started}`) };
  });

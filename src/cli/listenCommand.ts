import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { CliError } from './cliError.ts';
import { type Forwarded, forward } from './forwardMessage.ts';
import { commandOf, count } from './options.ts';
import { findService, type ServiceClient, ServiceLost } from './service.ts';
import { clockTime, printable, type Terminal } from './terminal.ts';

export function listenCommand(terminal: Terminal): Command {
  return commandOf('listen', 'show the messages of a webhook source as they arrive, and post them on, until Ctrl-C')
    .requiredOption('--source <name>', 'the name or the id of the source')
    .requiredOption(
      '--forward-to <url>',
      'where to post each verified message, such as http://localhost:3000/hook',
      url,
    )
    .option('--limit <n>', 'end after this many messages', count)
    .action((options: ListenOptions) => listen(terminal, options));
}

interface ListenOptions {
  source: string;
  forwardTo: string;
  limit?: number;
  json?: boolean;
}

function url(text: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new InvalidArgumentError('It must be an http or https URL.');
  return text;
}

const pollMs = 1_000;
const outageMs = 5_000;
const pageSize = 200;
/** Messages that commit late appear among these newest ones. */
const maxSeen = 2_000;

const delivery = z.looseObject({
  id: z.string(),
  status: z.string(),
  failureReason: z.string().optional(),
  createdAt: z.coerce.date(),
});
type Delivery = z.infer<typeof delivery>;

async function listen(terminal: Terminal, options: ListenOptions): Promise<void> {
  const service = await findService(terminal);
  const source = await sourceId(service, options.source);
  const feed = new Feed(service, source);
  await feed.begin();
  terminal.err(`holdfast: listening to ${options.source}, forwarding to ${options.forwardTo}\n`);
  for (let printed = 0; ; ) {
    for (const each of await next(terminal, feed)) {
      const forwarded = await passOn(terminal, service, each.id, options.forwardTo);
      terminal.out(`${options.json ? JSON.stringify({ ...each, ...forwarded }) : lineOf(each, forwarded)}\n`);
      printed += 1;
      if (printed === options.limit) return;
    }
    await delay(pollMs);
  }
}

async function sourceId(service: ServiceClient, name: string): Promise<string> {
  const { text } = await service.get('/webhook-sources');
  const sources = z.array(z.looseObject({ id: z.string(), name: z.string().optional() })).parse(JSON.parse(text));
  const source = sources.find((each) => each.name === name) ?? sources.find((each) => each.id === name);
  if (!source) throw new CliError(`there is no webhook source ${printable(name)}`);
  return source.id;
}

/** The next messages; none while the service is away. */
async function next(terminal: Terminal, feed: Feed): Promise<Delivery[]> {
  try {
    return await feed.next();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    terminal.err(`holdfast: ${error.message}\n`);
    await delay(outageMs);
    return [];
  }
}

/** Posts a message on. While the service is away, the message waits. */
async function passOn(terminal: Terminal, service: ServiceClient, id: string, to: string): Promise<Forwarded> {
  for (;;) {
    try {
      return await forward(service, id, to);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      if (!(error instanceof ServiceLost)) return { error: error.message };
      terminal.err(`holdfast: ${error.message}\n`);
      await delay(pollMs);
    }
  }
}

/** The new deliveries of a source, each once, by polling. */
class Feed {
  readonly #service: ServiceClient;
  readonly #source: string;
  readonly #seen = new Set<string>();
  #since = new Date(0);

  constructor(service: ServiceClient, source: string) {
    this.#service = service;
    this.#source = source;
  }

  /** Skips the deliveries so far. */
  async begin(): Promise<void> {
    const { deliveries } = await this.#page(undefined);
    this.#since = deliveries[0]?.createdAt ?? this.#since;
    for (const { id } of deliveries) this.#note(id);
  }

  /** Oldest first. Reads on as long as a page has nothing but new ones. */
  async next(): Promise<Delivery[]> {
    const found: Delivery[] = [];
    for (let cursor: string | undefined; ; ) {
      const { deliveries, nextCursor } = await this.#page(cursor);
      const fresh = deliveries.filter(({ id, createdAt }) => !this.#seen.has(id) && createdAt >= this.#since);
      found.push(...fresh);
      if (fresh.length < deliveries.length || nextCursor === undefined) break;
      cursor = nextCursor;
    }
    for (const { id } of found.reverse()) this.#note(id);
    return found;
  }

  async #page(cursor: string | undefined): Promise<{ deliveries: Delivery[]; nextCursor: string | undefined }> {
    const query = { source: this.#source, limit: String(pageSize), cursor };
    const { text, nextCursor } = await this.#service.get('/webhook-source-deliveries', query);
    return { deliveries: z.array(delivery).parse(JSON.parse(text)), nextCursor };
  }

  #note(id: string): void {
    this.#seen.add(id);
    for (const oldest of this.#seen) {
      if (this.#seen.size <= maxSeen) return;
      this.#seen.delete(oldest);
    }
  }
}

function lineOf({ id, status, failureReason, createdAt }: Delivery, { forwarded, error }: Forwarded): string {
  const outcome = failureReason === undefined ? status : `${status} (${failureReason})`;
  const answer = forwarded === undefined ? (error ?? 'not forwarded') : `answered ${forwarded}`;
  return printable(`${clockTime(createdAt)}  ${id}  ${outcome}  ${answer}`);
}

import { createHash } from 'node:crypto';
import { isTerminal, runStatuses } from '../../src/engine/runs/status.ts';
import type { Observed, ObservedRun } from './checkLedgers.ts';
import type { ClientEntry } from './ledgers.ts';

export interface ServiceAddress {
  baseUrl: string;
  apiKey: string;
}

/** The fields of REST bodies that are read here. */
interface EventBody {
  id: string;
  dedupeId?: string;
  triggered: { runId?: string }[];
}
interface RunBody {
  id: string;
  workflow: string;
  status: string;
  eventId?: string;
  replayOf?: string;
}
interface StepBody {
  name: string;
  attempt: number;
  status: string;
  output?: unknown;
}

/** Reads over REST the data about everything that the client received, and about all runs. */
export async function observeService(service: ServiceAddress, client: readonly ClientEntry[]): Promise<Observed> {
  const told = client.flatMap((entry) => (entry.kind === 'answer' && entry.eventId ? [entry.eventId] : []));
  const summaries = await readRuns(service);
  const ids = new Set([...told, ...summaries.flatMap(({ eventId }) => eventId ?? [])]);
  return {
    events: (await inTurns([...ids], (id) => readEvent(service, id))).flatMap((event) => event ?? []),
    runs: await inTurns(summaries, (run) => readRun(service, run)),
  };
}

/** Processes a few items at a time. */
async function inTurns<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += 20) {
    results.push(...(await Promise.all(items.slice(start, start + 20).map(work))));
  }
  return results;
}

const get = ({ baseUrl, apiKey }: ServiceAddress, path: string): Promise<Response> =>
  fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${apiKey}` } });

async function getJson<Body>(service: ServiceAddress, path: string): Promise<{ body: Body; cursor: string | null }> {
  const response = await get(service, path);
  if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`);
  const body: Body = JSON.parse(await response.text());
  return { body, cursor: response.headers.get('x-next-cursor') };
}

/** Undefined for an event that is not in the log. */
async function readEvent(service: ServiceAddress, id: string): Promise<Observed['events'][number] | undefined> {
  const response = await get(service, `/events/${id}`);
  if (response.status === 404) return undefined;
  if (!response.ok) throw new Error(`GET /events/${id} answered ${response.status}`);
  const event: EventBody = JSON.parse(await response.text());
  return { id: event.id, dedupeId: event.dedupeId, triggered: event.triggered };
}

async function readRuns(service: ServiceAddress): Promise<RunBody[]> {
  const runs: RunBody[] = [];
  for (let next: string | null = ''; next !== null; ) {
    const { body, cursor }: { body: RunBody[]; cursor: string | null } = await getJson<RunBody[]>(
      service,
      `/runs?limit=200${next === '' ? '' : `&cursor=${encodeURIComponent(next)}`}`,
    );
    runs.push(...body);
    next = cursor;
  }
  return runs;
}

async function readRun(service: ServiceAddress, run: RunBody): Promise<ObservedRun> {
  const { body: steps } = await getJson<StepBody[]>(service, `/runs/${run.id}/steps`);
  const isOver = runStatuses.some((status) => status === run.status && isTerminal(status));
  return {
    id: run.id,
    workflow: run.workflow,
    status: run.status,
    eventId: run.eventId,
    replayOf: run.replayOf,
    steps: steps.map(({ name, attempt, status, output }) => ({
      stepId: createHash('sha256').update(name).digest('hex'),
      name,
      attempt,
      status,
      output: output === undefined ? undefined : JSON.stringify(output),
    })),
    // The stream of an unfinished run would not end.
    frames: isOver ? readFrames(await (await get(service, `/runs/${run.id}/stream`)).text()) : [],
  };
}

function readFrames(stream: string): ObservedRun['frames'] {
  const data = stream.split('\n').filter((line) => line.startsWith('data:'));
  return data.map((line): ObservedRun['frames'][number] => JSON.parse(line.slice('data:'.length)));
}

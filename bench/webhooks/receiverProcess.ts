// A receiver of webhooks in a process of its own. The path tells how it answers: `/ok/…` at once,
// `/late/…` after 2 ms, `/error/…` with 500, `/hang/…` never.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

/** The deliveries that `/ok/…` and `/late/…` received. */
export interface ReceiverReport {
  received: number;
  /** The time from the commit that each delivery tells of, in ms. */
  sinceCommitMs: number[];
}

let report: ReceiverReport = { received: 0, sinceCommitMs: [] };

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const [, behaviour] = (request.url ?? '').split('/');
  if (behaviour === 'hang') return;
  if (behaviour === 'ok' || behaviour === 'late') {
    report.received += 1;
    const { ts }: { ts?: string } = JSON.parse(body);
    if (ts !== undefined) report.sinceCommitMs.push(Date.now() - Date.parse(ts));
  }
  if (behaviour === 'late') await delay(2);
  response.writeHead(behaviour === 'error' ? 500 : 200).end();
}

const server = createServer((request, response) => {
  receive(request, response).catch(() => response.destroy());
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as { port: number }).port }));

process.on('message', (message: 'report' | 'forget') => {
  process.send?.({ report });
  if (message === 'forget') report = { received: 0, sinceCommitMs: [] };
});
process.on('disconnect', () => process.exit());

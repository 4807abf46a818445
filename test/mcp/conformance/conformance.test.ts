import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type McpServer, startMcp } from '../mcpServer.ts';
import { addKey } from './addKey.ts';
import { type Baseline, productBaseline, wiringBaseline } from './baseline.ts';
import { fixtures } from './fixtures.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-conformance-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const revisions = ['2026-07-28', '2025-11-25'] as const;
const suite = new URL('suite.mjs', import.meta.url).pathname;

/** Runs the suite's scenarios of a revision. Answers its exit code and its report. */
async function runSuite(mcp: McpServer, revision: string, baseline: Baseline): Promise<[code: number, report: string]> {
  const proxy = await addKey(mcp.url, mcp.keys.secret);
  const file = join(folder, `${revision}.yaml`);
  writeFileSync(file, JSON.stringify({ server: Object.values(baseline).flat() }));
  const args = ['server', '--url', proxy.url, '--requirements', revision, '--expected-failures', file];
  const child = spawn(process.execPath, [suite, ...args], { cwd: folder });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = await once(child, 'close');
  await proxy.close();
  return [code, Buffer.concat(chunks).toString()];
}

const servers = [
  {
    name: 'the wiring of /mcp, with the fixtures of the suite',
    options: { factory: fixtures },
    baseline: wiringBaseline,
  },
  { name: '/mcp', options: {}, baseline: productBaseline },
];

describe.each(servers)('$name', ({ options, baseline }) => {
  it.each(revisions)('passes what the protocol requires in %s, but for the listed checks', async (revision) => {
    const mcp = await startMcp(options);
    try {
      const [code, report] = await runSuite(mcp, revision, baseline[revision]);
      expect([code, code === 0 ? '' : report.slice(report.lastIndexOf('=== SUMMARY ==='))]).toEqual([0, '']);
    } finally {
      await mcp.close();
    }
  });
});

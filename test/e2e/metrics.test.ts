import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connection, Holdfast } from '../../sdk/src/index.ts';
import { projectRoot } from '../support/build.ts';
import { useServiceInProcess } from '../support/inProcess.ts';

const service = useServiceInProcess({ ALLOW_PRIVATE_TARGETS: 'true' });
const limits = { timeout: 50_000, interval: 50 };

const get = async (key: string): Promise<string> => {
  const answer = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  return answer.text();
};

/** The value of a series, by its name with its labels; 0 if there is none. */
function valueIn(text: string, series: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? 0);
}

const readSeries = async (series: string, key = service.keys.operatorKey): Promise<number> =>
  valueIn(await get(key), series);

/** Waits until the series have these values. */
const shows = (expected: Readonly<Record<string, number>>): Promise<void> =>
  expect
    .poll(async () => {
      const text = await get(service.keys.operatorKey);
      const values = Object.keys(expected).map((series) => [series, valueIn(text, series)]);
      return Object.fromEntries(values);
    }, limits)
    .toEqual(expected);

describe('the scrape of a service', () => {
  it('holds exactly the metrics that the reference page names', async () => {
    const page = await readFile(join(projectRoot, 'docs/reference/metrics.md'), 'utf8');
    const documented = [...page.matchAll(/^\| `(holdfast_\w+)` \| (\w+) \|/gm)].map(
      ([, name, type]) => `${name} ${type}`,
    );
    const text = await get(service.keys.operatorKey);
    const scraped = [...text.matchAll(/^# TYPE (holdfast_\w+) (\w+)$/gm)].map(([, name, type]) => `${name} ${type}`);
    expect(scraped.sort()).toEqual(documented.sort());
  });

  it('has no series twice, and only lines that Prometheus reads', async () => {
    const lines = (await get(service.keys.operatorKey))
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    const series = lines.map((line) => line.slice(0, line.lastIndexOf(' ')));
    expect(new Set(series).size).toBe(series.length);
    for (const line of lines) expect(line).toMatch(/^[a-z_]\w*(\{(\w+="[^"\n]*",?)*\})? (-?[\d.e+-]+|\+Inf|Nan)$/i);
  });

  it('is asked for only by names that exist, in the guide on monitoring', async () => {
    const guide = await readFile(join(projectRoot, 'docs/guides/monitoring.md'), 'utf8');
    const text = await get(service.keys.operatorKey);
    const asked = new Set([...guide.matchAll(/\bholdfast_\w+/g)].map(([name]) => name.replace(/_bucket$/, '')));
    for (const name of asked) expect(text).toContain(`# TYPE ${name} `);
  });
});

describe('metrics of runs', () => {
  let hf: Holdfast;
  let connection: Connection;
  beforeAll(async () => {
    hf = new Holdfast({ baseUrl: service.url, apiKey: service.keys.secretKey, app: 'shop' });
    let tries = 0;
    hf.workflow({ id: 'order' }, async ({ step }) => {
      await step.run('reserve', () => 'reserved');
      await step.sleep('cool down', 5);
      return 'done';
    });
    hf.workflow({ id: 'flaky', retry: { maxAttempts: 2, initialDelayMs: 1 } }, async ({ step }) => {
      await step.run('try', () => {
        tries += 1;
        if (tries % 2 === 1) throw new Error('try again');
      });
    });
    hf.workflow({ id: 'broken' }, async ({ step }) => {
      await step.run('break', () => {
        throw new Error('broken');
      });
    });
    hf.workflow({ id: 'single', singleton: { mode: 'skip' } }, async ({ step }) => {
      await step.waitForEvent('wait', { event: 'never', timeout: '1h' });
    });
    connection = hf.connect({ runner: 'r1' });
    await connection.ready;
  });
  afterAll(() => connection.close());

  const of = (workflow: string): string => `app="shop",workflow="${workflow}"`;

  it('count starts, ends, steps, durations and waits', async () => {
    await Promise.all([0, 1, 2].map(() => hf.workflows.trigger({ name: 'order' })));
    await shows({
      [`holdfast_runs_started_total{${of('order')}}`]: 3,
      [`holdfast_runs_ended_total{${of('order')},status="succeeded"}`]: 3,
      [`holdfast_steps_total{${of('order')},result="succeeded"}`]: 3,
      [`holdfast_run_duration_seconds_count{${of('order')}}`]: 3,
      [`holdfast_run_duration_seconds_bucket{${of('order')},le="+Inf"}`]: 3,
      [`holdfast_run_wait_seconds_count{${of('order')}}`]: 3,
    });
    expect(await readSeries('holdfast_timer_lateness_seconds_count')).toBeGreaterThanOrEqual(1);
    expect(await readSeries('holdfast_passes_total{outcome="succeeded",transport="socket"}')).toBe(3);
  });

  it('count attempts that are retried, and failures', async () => {
    await hf.workflows.trigger({ name: 'flaky' });
    await hf.workflows.trigger({ name: 'broken' });
    await shows({
      [`holdfast_steps_total{${of('flaky')},result="retried"}`]: 1,
      [`holdfast_steps_total{${of('flaky')},result="succeeded"}`]: 1,
      [`holdfast_runs_ended_total{${of('flaky')},status="succeeded"}`]: 1,
      [`holdfast_steps_total{${of('broken')},result="failed"}`]: 1,
      [`holdfast_runs_ended_total{${of('broken')},status="failed"}`]: 1,
    });
  });

  it('count starts that a gate withholds, repeats, and cancellations', async () => {
    const { runId = '' } = await hf.workflows.trigger({ name: 'single' }, { dedupeId: 'first' });
    await hf.workflows.trigger({ name: 'single' });
    await hf.workflows.trigger({ name: 'single' }, { dedupeId: 'first' });
    await hf.runs.cancel(runId);
    await shows({
      [`holdfast_runs_started_total{${of('single')}}`]: 1,
      [`holdfast_starts_withheld_total{${of('single')},gate="singleton"}`]: 1,
      [`holdfast_starts_withheld_total{${of('single')},gate="dedupeId"}`]: 1,
      [`holdfast_runs_ended_total{${of('single')},status="cancelled"}`]: 1,
    });
  });

  it('count events by source, runners, slots and connections', async () => {
    const before = await readSeries('holdfast_events_total{source="api"}');
    await hf.events.send({ name: 'order.placed' });
    await shows({
      'holdfast_events_total{source="api"}': before + 1,
      'holdfast_runners{transport="socket"}': 1,
      'holdfast_runner_slots{state="used"}': 0,
      'holdfast_runner_slots{state="free"}': 100,
      'holdfast_leases_lost_total{found="takeover"}': 0,
      holdfast_database_waiting: 0,
    });
    expect(await readSeries('holdfast_database_connections{state="idle"}')).toBeGreaterThan(0);
    expect(await readSeries('holdfast_invokes_total{kind="full"}')).toBeGreaterThan(0);
  });

  it('name no workflow of a project to the key of another one', async () => {
    const operate = async (query: string): Promise<string> => {
      const answer = await fetch(`${service.url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.keys.operatorKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      const { data } = await answer.json();
      return data.createProject?.project.id ?? data.createApiKey.token;
    };
    const projectId = await operate('mutation { createProject(input: { name: "stranger" }) { project { id } } }');
    const key = await operate(
      `mutation { createApiKey(input: { projectId: "${projectId}", name: "k", kind: SECRET }) { token } }`,
    );
    const seen = await get(key);
    expect(seen).not.toContain('shop');
    expect(await readSeries('holdfast_runs_started_total{app="other",workflow="other"}', key)).toBeGreaterThan(0);
    expect(await get(service.keys.secretKey)).toContain(`holdfast_runs_started_total{${of('order')}}`);
  });
});

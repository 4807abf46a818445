import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Attacker } from '../fairness/attacker.ts';
import { type Attack, attacks } from '../fairness/attacks.ts';
import { Probe } from '../fairness/probe.ts';
import { onStage, type Stage } from '../stage.ts';
import { type Measures, round } from '../stats.ts';
import { peakMemoryMibOf } from '../usage.ts';
import { defineWorkload } from './workload.ts';

export const fairness = defineWorkload({
  name: 'fairness',
  summary: 'attacks of one tenant, in per cent of their full size: how much longer another tenant waits',
  sizes: { percent: [10, 100], only: 0, everyMs: 20, beforeS: 5, watchS: 8 },
  smoke: { percent: [1], everyMs: 20, beforeS: 1, watchS: 1 },
  measure: async (sizes, options) => {
    const measures: Measures = {};
    const chosen = attacks.filter((_, at) => sizes.only === 0 || sizes.only === at + 1);
    for (const percent of sizes.percent)
      for (const attack of chosen)
        measures[`${attack.name} ${percent} %`] = await onStage(options, (stage) =>
          endure(stage, attack, { ...sizes, percent }),
        );
    return measures;
  },
});

interface FairnessSizes {
  percent: number;
  everyMs: number;
  beforeS: number;
  /** How long the probe goes on at least after the attack has begun. */
  watchS: number;
}

/** Each attack has a service of its own, so that its peak of memory is known. */
async function endure(stage: Stage, { name, size }: Attack, sizes: FairnessSizes): Promise<Measures> {
  const { service } = stage;
  const probe = new Probe({ baseUrl: service.baseUrl, apiKey: await secondTenant(stage) }, sizes.everyMs);
  const options = { attack: name, size: Math.ceil((size * sizes.percent) / 100) };
  const attacker = await Attacker.start({ ...options, baseUrl: service.baseUrl, apiKey: service.apiKey });
  try {
    await probe.during(delay(1_000));
    const before = await probe.during(delay(sizes.beforeS * 1000));
    const linesBefore = await logOf(stage);
    const striking = attacker.strike();
    const during = await probe.during(Promise.all([striking, delay(sizes.watchS * 1000)]));
    const lines = (await logOf(stage)).slice(linesBefore.length);
    return {
      before,
      during,
      timesP99: round(Number(during['p99']) / Number(before['p99']), 1),
      attacker: await striking,
      peakMemoryMib: Math.round(peakMemoryMibOf(service.pid)),
      logLines: lines.length,
      stacks: lines.filter((line) => line.includes('"stack":')).length,
    };
  } finally {
    await attacker.stop();
    probe.close();
  }
}

async function logOf({ directory }: Stage): Promise<string[]> {
  return (await readFile(join(directory, 'service.log'), 'utf8')).split('\n').filter((line) => line !== '');
}

/** Creates a project with a run, and returns a secret key of it. */
async function secondTenant({ directory, service }: Stage): Promise<string> {
  const { operatorKey }: { operatorKey: string } = JSON.parse(await readFile(join(directory, 'keys.json'), 'utf8'));
  const ask = async <Data>(query: string): Promise<Data> => {
    const headers = { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ query });
    const response = await fetch(`${service.baseUrl}/graphql`, { method: 'POST', headers, body });
    const answer: { data: Data } = JSON.parse(await response.text());
    return answer.data;
  };
  const { createProject } = await ask<{ createProject: { project: { id: string } } }>(
    'mutation { createProject(input: { name: "second tenant" }) { project { id } } }',
  );
  const { createApiKey } = await ask<{ createApiKey: { token: string } }>(
    `mutation { createApiKey(input: { projectId: "${createProject.project.id}", name: "probe", kind: SECRET }) { token } }`,
  );
  return createApiKey.token;
}

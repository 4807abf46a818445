import { expect, it } from 'vitest';
import { checks } from '../../../src/engine/doctor/checks.ts';
import './cases/approvals.ts';
import './cases/buffersAndPlaces.ts';
import './cases/counters.ts';
import './cases/events.ts';
import './cases/modelCalls.ts';
import './cases/processes.ts';
import './cases/runs.ts';
import './cases/spend.ts';
import './cases/steps.ts';
import './cases/webhooks.ts';
import { expectFindings, found, scene, useSharedScene } from './sharedScene.ts';

useSharedScene();

it('a healthy database of every kind of run has no violations', async () => {
  await scene.dispatcher({ startedMsAgo: 3_600_000 });
  await scene.ended('succeeded');
  await scene.ended('failed');
  await scene.ended('cancelled');
  await scene.ready();
  await scene.leased();
  await scene.sleeping();
  await scene.listening();
  await scene.stranded();
  await scene.woken();
  await scene.inferring();
  await scene.asking();
  await scene.decided();
  await expectFindings({});
});

it('every check was seen to find something', () => {
  expect(checks.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
});

import { expect, it } from 'vitest';
import { checks } from '../../../src/engine/doctor/checks.ts';
import './cases/approvals.ts';
import './cases/buffersAndPlaces.ts';
import './cases/counters.ts';
import './cases/events.ts';
import './cases/processes.ts';
import './cases/runs.ts';
import './cases/spend.ts';
import './cases/steps.ts';
import { expectFindings, found, openWard, patient } from './ward.ts';

openWard();

it('a healthy database of every kind of run has no violations', async () => {
  await patient.dispatcher({ startedMsAgo: 3_600_000 });
  await patient.ended('succeeded');
  await patient.ended('failed');
  await patient.ended('cancelled');
  await patient.ready();
  await patient.leased();
  await patient.sleeping();
  await patient.listening();
  await patient.stranded();
  await patient.woken();
  await patient.asking();
  await patient.decided();
  await expectFindings({});
});

it('every check was seen to find something', () => {
  expect(checks.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
});

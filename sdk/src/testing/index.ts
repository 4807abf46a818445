export { type FakeInfo, type PerAttempt, perAttempt } from './fakes.ts';
export { type RunFixture, recordRun } from './fixture.ts';
export type { GuardEvent, GuardFakes, GuardRun, GuardScope } from './guards.ts';
export { DivergenceError, type Replayed, replayRecorded } from './replayRecorded.ts';
export { type TestedEvent, TestedRun, type TestedWebhook } from './testedRun.ts';
export {
  type StartEvent,
  type TestDecision,
  type TestEvent,
  TestRun,
  type TestRunOptions,
  testRun,
} from './testRun.ts';

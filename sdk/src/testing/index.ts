export { type FakeInfo, type PerAttempt, perAttempt } from './fakes.ts';
export type { GuardEvent, GuardFakes, GuardRun, GuardScope } from './guards.ts';
export { type TestedEvent, TestedRun, type TestedWebhook } from './testedRun.ts';
export {
  type StartEvent,
  type TestDecision,
  type TestEvent,
  TestRun,
  type TestRunOptions,
  testRun,
} from './testRun.ts';

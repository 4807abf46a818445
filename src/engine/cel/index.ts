export { forEachYielding } from './forEachYielding.ts';
export { compileGuard, compileRunGuard, type Guard, type GuardRun, type RunGuard } from './guard.ts';
export { digestOf, valueAtPath } from './matchValue.ts';

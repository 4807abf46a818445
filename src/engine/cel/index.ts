export { forEachYielding } from './forEachYielding.ts';
export { compileGuard, compileRunGuard, type Guard, type RunGuard } from './guard.ts';
export { digestOf, valueAtPath } from './matchValue.ts';

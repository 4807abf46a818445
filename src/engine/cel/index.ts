export type { Equality } from './equality.ts';
export { forEachYielding } from './forEachYielding.ts';
export { compileGuard, type Guard, type GuardLimits, type OnExpensive } from './guard.ts';
export { digestOf, valueAtPath } from './matchValue.ts';

export { checkGuard } from './checkGuard.ts';
export { compileGuard, type GuardLimits } from './guard.ts';
export { digestOf, valueAtPath } from './matchValue.ts';
export { dropStates, newPattern } from './pattern.ts';
export { EventGuards, StoredGuard } from './storedGuard.ts';

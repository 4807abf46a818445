export { type InvariantId, invariants, type Violation } from './invariants/check.ts';
export { type CheckReport, type DoctorOptions, type DoctorReport, runDoctor } from './runDoctor.ts';

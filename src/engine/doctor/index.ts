export { type InvariantId, invariants, type Violation } from './check.ts';
export { type CheckReport, type DoctorOptions, type DoctorReport, runDoctor } from './runDoctor.ts';

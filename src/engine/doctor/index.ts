export { invariants } from './invariants/check.ts';
export { type CheckReport, type DoctorReport, runDoctor } from './runDoctor.ts';

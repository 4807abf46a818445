export { fireDueSchedules } from './fireSchedules.ts';
export { reanchorSchedules } from './reanchorSchedules.ts';

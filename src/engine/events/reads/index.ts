export { selectEventData } from '../sql/selectEventData.ts';
export { selectEventRows } from '../sql/selectEventRows.ts';
export { type EventRow, type TriggerRecord, toEventRow } from './eventRow.ts';
export { type EventListQuery, listEvents } from './listEvents.ts';

export { type ControlAction, type ControlRecord, controlActions, recordControl } from './recordControl.ts';

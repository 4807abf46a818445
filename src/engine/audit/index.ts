export { type ControlActionRow, listControlActions } from './reads/listControlActions.ts';
export { type ControlAction, type ControlRecord, controlActions, recordControl } from './recordControl.ts';

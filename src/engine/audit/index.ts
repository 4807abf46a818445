export { type ControlActionRow, listControlActions } from './reads/listControlActions.ts';
export { type ControlAction, controlActions, recordControl, recordControlWithin } from './recordControl.ts';

export { type ControlActionRow, listControlActions } from './reads/listControlActions.ts';
export { controlActions, recordControl, recordControlWithin } from './recordControl.ts';

export { type ControlActionRow, listControlActions } from './reads/listControlActions.ts';
export { controlActions, recordControl } from './recordControl.ts';

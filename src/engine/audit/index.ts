export { type ControlActionKind, type ControlEntry, controlActions, recordControl } from './recordControl.ts';

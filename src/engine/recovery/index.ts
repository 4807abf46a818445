export { recoverLeftovers } from './recoverLeftovers.ts';

export { heartbeatMs, registerDispatcher, retireDispatcher, silenceMs, tickDispatcher } from './dispatchers.ts';
export { addDispatcher } from './sql/addDispatcher.ts';

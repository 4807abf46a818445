export { heartbeatMs, registerDispatcher, retireDispatcher, silenceMs, tickDispatcher } from './dispatchers.ts';

export { forgetCalls } from './forgetCalls.ts';
export {
  type CallName,
  CallTakenError,
  callWindowMs,
  claimBefore,
  type Done,
  findTaken,
  OnceCall,
  type Taken,
} from './onceCall.ts';
export { type AgentStart, recordStarts, refuseOwnRun } from './starts.ts';

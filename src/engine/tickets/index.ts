export { admitTicket, type PresentedTicket } from './admitTicket.ts';
export { type IssuedCode, issueConsoleCode, redeemConsoleCode } from './consoleCode.ts';
export { forgetTickets } from './forgetTickets.ts';
export { type IssuedTicket, issueTicket, maxPathLength } from './issueTicket.ts';
export { type StreamPath, streamPathPattern, streamPaths } from './streamPaths.ts';

export { admitTicket, type PresentedTicket } from './admitTicket.ts';
export { forgetTickets } from './forgetTickets.ts';
export { type IssuedTicket, issueTicket, maxPathLength } from './issueTicket.ts';

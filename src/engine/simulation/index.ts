export { maxArrivals } from './arrivals.ts';
export type { SimulatedArrival, SimulatedOutcome } from './rehearsal.ts';
export { simulatedOutcomes } from './rehearsal.ts';
export { type FlowSimulation, type SimulationQuery, simulateFlow } from './simulateFlow.ts';
export type { SimulatedGate } from './summary.ts';

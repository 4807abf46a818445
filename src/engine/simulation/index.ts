export { maxArrivals, usualArrivals } from './arrivals.ts';
export { type SimulatedArrival, simulatedOutcomes } from './simulatedRun.ts';
export { type FlowSimulation, simulateFlow } from './simulateFlow.ts';
export type { SimulatedGate } from './summary.ts';

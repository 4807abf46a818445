import { pageSize } from '../../engine/paging/index.ts';
import {
  type FlowSimulation,
  maxArrivals,
  type SimulatedArrival,
  type SimulatedGate,
  simulatedOutcomes,
  simulateFlow,
  usualArrivals,
} from '../../engine/simulation/index.ts';
import { builder } from '../machinery/builder.ts';
import { inCapitals } from '../machinery/enums.ts';
import { FlowControlType } from './flowControl.ts';

const SimulatedOutcomeEnum = builder.enumType('SimulatedOutcome', {
  description: 'The end of a start in a simulation.',
  values: inCapitals(simulatedOutcomes),
});

const SimulatedStartType = builder.objectRef<SimulatedArrival>('SimulatedStart').implement({
  description: 'A start that came, and what becomes of it in a simulation.',
  fields: (t) => ({
    at: t.field({ type: 'DateTime', description: 'When it came.', resolve: ({ atMs }) => new Date(atMs) }),
    eventId: t.exposeID('eventId', { nullable: true, description: 'The event that it came from.' }),
    runId: t.exposeID('runId', { nullable: true, description: 'The run that it has really started.' }),
    outcome: t.expose('outcome', { type: SimulatedOutcomeEnum, description: 'Whether it starts a run, or why not.' }),
    simulatedRun: t.exposeInt('simulatedRun', {
      nullable: true,
      description: 'The number of its run in the simulation, from 0. Starts of a batch share one; null: it has none.',
    }),
    startedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When its run begins to execute; null if it never does.',
      resolve: ({ startedAtMs }) => (startedAtMs === undefined ? null : new Date(startedAtMs)),
    }),
    activeMs: t.exposeFloat('activeMs', { description: 'How long its run executes.' }),
    bufferedMs: t.exposeFloat('bufferedMs', { description: 'The delay by `debounce` and `batch`.' }),
    spacedMs: t.exposeFloat('spacedMs', { description: 'The delay by `throttle`.' }),
    queuedMs: t.exposeFloat('queuedMs', { description: "The delay by `concurrency` and the project's ceiling." }),
    ceilingMs: t.exposeFloat('ceilingMs', { description: "The part of `queuedMs` that is the ceiling's." }),
  }),
});

const SimulatedGateType = builder.objectRef<SimulatedGate>('SimulatedGate').implement({
  description: 'The effect of a policy on the starts of a simulation.',
  fields: (t) => ({
    policy: t.exposeString('policy', { description: 'The name of the policy, or `ceiling`.' }),
    withheld: t.exposeInt('withheld', { description: 'Starts without a run, and runs that a newer one displaced.' }),
    delayed: t.exposeInt('delayed', { description: 'Starts that it delays.' }),
    medianMs: t.exposeFloat('medianMs', { description: 'The median of the delays; 0 without one.' }),
    longestMs: t.exposeFloat('longestMs', { description: 'The longest of the delays; 0 without one.' }),
  }),
});

const FlowSimulationType = builder.objectRef<FlowSimulation>('FlowSimulation').implement({
  description: 'The starts of a workflow under policies that are tried.',
  fields: (t) => ({
    since: t.expose('since', { type: 'DateTime', description: 'The first instant whose starts are simulated.' }),
    until: t.expose('until', { type: 'DateTime', description: 'The end of the time whose starts are simulated.' }),
    isCapped: t.exposeBoolean('isCapped', {
      description: 'Whether more starts came in the time that was asked for. Then `since` is later.',
    }),
    flowControl: t.field({
      type: FlowControlType,
      description: 'The policies that are simulated.',
      resolve: ({ flowControl }) => flowControl,
    }),
    concurrencyCeiling: t.exposeInt('concurrencyCeiling', { description: 'The ceiling that is simulated; 0: none.' }),
    gates: t.field({
      type: [SimulatedGateType],
      description: 'The effect of each policy, in the order in which starts meet them.',
      resolve: ({ gates }) => gates,
    }),
    notSimulated: t.field({
      type: ['String'],
      description: 'Policies about spend, which a simulation leaves out.',
      resolve: (simulation) => simulation.notSimulated,
    }),
    starts: t.field({
      type: [SimulatedStartType],
      description: 'The starts, in the order in which they came.',
      resolve: ({ starts }) => starts,
    }),
  }),
});

builder.queryField('simulateFlow', (t) =>
  t.field({
    type: FlowSimulationType,
    description:
      'A simulation of flow control: the starts that came to a workflow pass the gates again, under other policies. ' +
      'The service changes nothing. At the beginning nothing executes, and the workflow has the project for itself.',
    args: {
      app: t.arg.string({ required: true, description: 'The app of the workflow.' }),
      workflow: t.arg.string({ required: true, description: 'The name of the workflow.' }),
      flowControl: t.arg({
        type: 'JSON',
        description: 'The policies to simulate, as in a registration: `{}` for none. Absent: those in force.',
      }),
      concurrencyCeiling: t.arg.int({ description: 'The ceiling to simulate; 0: none. Absent: that of the project.' }),
      since: t.arg({ type: 'DateTime', description: 'Only starts from then on. Default: an hour before `until`.' }),
      until: t.arg({ type: 'DateTime', description: 'Only starts before. Default: now.' }),
      durationMs: t.arg.float({
        description: 'How long each run executes, without waits. Absent: as the real run, else the median of all.',
      }),
      first: t.arg.int({ description: `The newest starts: ${usualArrivals} by default, at most ${maxArrivals}.` }),
    },
    resolve: (_root, { flowControl, first, ...asked }, { engine, projectId }) =>
      simulateFlow(engine, {
        ...asked,
        projectId,
        flowControl: flowControl?.parse(),
        limit: pageSize(first ?? usualArrivals, 'first'),
      }),
  }),
);

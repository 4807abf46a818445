import { defineCheck, type FoundRow } from './check.ts';
import { isOwnerless } from './grace.ts';

/** A send to a model has an outcome, or a living process that waits for it. */
export const sendOfNobody = defineCheck<FoundRow & { stepIndex: number; number: number }>({
  invariant: 'I20',
  name: 'sendOfNobody',
  text: `
    select s.run_id as subject, s.project_id, s.step_index, s.number
    from inference_send s
    where s.outcome is null and ${isOwnerless('s.process_id')}
    limit $limit`,
  describe: ({ subject, stepIndex, number }) =>
    `send ${number} of step ${stepIndex} of run ${subject} has no outcome, and its process is not alive`,
});

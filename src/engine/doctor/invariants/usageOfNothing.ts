import { defineCheck, type FoundRow } from './check.ts';

/** Each counted spend belongs to an attempt that reported it, or to a send to a model. */
export const usageOfNothing = defineCheck<FoundRow & { stepIndex: number; attempt: number }>({
  invariant: 'I18',
  name: 'usageOfNothing',
  text: `
    select u.run_id as subject, u.project_id, u.step_index, u.attempt
    from ai_usage u
    where u.run_id >= $floorId and not exists (
      select from run_step s
      where s.run_id = u.run_id and s.index = u.step_index and s.attempt = u.attempt and s.usage is not null)
      and not exists (
        select from inference_send s
        where s.run_id = u.run_id and s.step_index = u.step_index and s.attempt = u.attempt and s.number = u.send)
    limit $limit`,
  describe: ({ subject, stepIndex, attempt }) =>
    `run ${subject} has AI usage for attempt ${attempt} of step ${stepIndex}, but that attempt reported none`,
});

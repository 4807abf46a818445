import { defineCheck, type FoundRow } from './check.ts';
import { isOwnerless } from './grace.ts';

/** A leased model call has a living process. Dead ones are found within 10 s. */
export const callOfNobody = defineCheck<FoundRow & { leaseId: string }>({
  invariant: 'I20',
  name: 'callOfNobody',
  text: `
    select c.run_id as subject, c.project_id, c.lease_id
    from inference_call c
    where c.lease_id is not null and ${isOwnerless('c.lease_id')}
    limit $limit`,
  describe: ({ subject, leaseId }) => `a model call of run ${subject} is executed by ${leaseId}, which is not alive`,
});

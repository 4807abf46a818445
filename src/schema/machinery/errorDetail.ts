import { builder } from './builder.ts';
import type { ErrorDetail } from './payload.ts';

export const ErrorDetailType = builder.objectRef<ErrorDetail>('ErrorDetail').implement({
  description: 'Why a run or a step failed.',
  fields: (t) => ({
    name: t.exposeString('name', { nullable: true }),
    message: t.exposeString('message'),
    stack: t.exposeString('stack', { nullable: true }),
  }),
});
